"""A task's first round is short where the budget is short for many tasks."""

import itertools

import numpy as np
import onnx
import pytest

from pruner_engine.protocol import Failed, RunFinished, Tune
from pruner_engine.search.budget import Budget, WorkClock
from pruner_engine.store.reader import ProjectReader

SMALL = {"population": 64, "draft_set": 16, "fresh_samples": 4, "model": "xgb", "check": "none", "repeats": 1}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Six small products of different shapes, one after another."""
    sizes = [8 * (index + 2) for index in range(7)]
    weights = {f"w{at}": np.ones(shape, np.float32) for at, shape in enumerate(itertools.pairwise(sizes))}
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", [f"x{at}", f"w{at}"], [f"x{at + 1}"]) for at in range(len(weights))],
        "products",
        [onnx.helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, [16, sizes[0]])],
        [onnx.helper.make_tensor_value_info(f"x{len(weights)}", onnx.TensorProto.FLOAT, [16, sizes[-1]])],
        [onnx.numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    path = tmp_path_factory.mktemp("model") / "products.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


def rounds_of(engine, project, model, strategy, trials):
    """(task, trials measured) of each round of a tuned network."""
    engine.send(Tune(project=str(project), model=model, strategy=strategy, trials=trials, settings=SMALL))
    last = next(e for e in engine.events() if isinstance(e, RunFinished | Failed))
    assert isinstance(last, RunFinished) and last.trials == trials, last
    with ProjectReader(project) as reader:
        return [(r["task_id"], r["measured"]) for r in reader.rounds(1)]


def test_a_budget_of_few_trials_reaches_many_tasks(engine, model, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", model, "pruner", trials=24)
    first = {}
    for task, measured in rounds:
        first.setdefault(task, measured)  # a heavy task may come again before the last light one
    assert len(first) > 24 / 10 + 1, "more than rounds of ten would reach"
    assert all(measured <= 3 for measured in first.values())


def test_a_strategy_that_was_published_with_its_rounds_keeps_them(engine, model, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", model, "random", trials=20)
    assert [measured for _, measured in rounds] == [20]


@pytest.mark.parametrize(
    ("budget", "left"), [(Budget(None, None), None), (Budget(100, None), 60.0), (Budget(100, 0.0), 0.0)]
)
def test_the_clock_tells_how_many_trials_are_left(budget, left):
    assert WorkClock(budget, before_s=5.0).trials_left(trials=40) == left


def test_the_clock_reckons_trials_of_a_limit_in_time_by_its_pace():
    clock = WorkClock(Budget(None, 3600.0), before_s=0.0)
    guessed = clock.trials_left(trials=0)
    clock.mark(trials=0)
    clock.mark(trials=10_000)  # at once: the pace is thousands a second
    assert clock.trials_left(trials=10_000) > 100 * guessed > 0
