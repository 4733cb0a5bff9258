"""A task's first round is short where the budget is short for many tasks."""

import pytest

from pruner_engine.protocol import Failed, RunFinished, Tune
from pruner_engine.resources import resource_dir
from pruner_engine.search.budget import Budget, WorkClock
from pruner_engine.store.reader import ProjectReader

SMALL = {"population": 64, "draft_set": 16, "fresh_samples": 4, "model": "xgb", "check": "none", "repeats": 1}


def rounds_of(engine, project, strategy, trials):
    """(task, trials measured) of each round of a tuned network."""
    model = str(resource_dir() / "models" / "small-cnn.onnx")
    engine.send(Tune(project=str(project), model=model, strategy=strategy, trials=trials, settings=SMALL))
    last = next(e for e in engine.events() if isinstance(e, RunFinished | Failed))
    assert isinstance(last, RunFinished) and last.trials == trials, last
    with ProjectReader(project) as reader:
        return [(r["task_id"], r["measured"]) for r in reader.rounds(1)]


def test_a_budget_of_few_trials_reaches_many_tasks(engine, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", "pruner", trials=24)
    first = {}
    for task, measured in rounds:
        first.setdefault(task, measured)  # a heavy task may come again before the last light one
    assert len(first) > 24 / 10 + 1, "more than rounds of ten would reach"
    assert all(measured <= 3 for measured in first.values())


def test_a_strategy_that_was_published_with_its_rounds_keeps_them(engine, tmp_path):
    rounds = rounds_of(engine, tmp_path / "p.pruner", "random", trials=20)
    assert [measured for _, measured in rounds] == [20]


@pytest.mark.parametrize(
    ("budget", "left"), [(Budget(None, None), None), (Budget(100, None), 60.0), (Budget(100, 0.0), 0.0)]
)
def test_the_clock_tells_how_many_trials_are_left(budget, left):
    assert WorkClock(budget, before_s=5.0).trials_left(trials=40) == left


def test_the_clock_reckons_trials_of_a_limit_in_time_by_its_pace():
    clock = WorkClock(Budget(None, 3600.0), before_s=0.0)
    guessed = clock.trials_left(trials=0)
    clock.begin()
    clock.mark(trials=0)
    clock.mark(trials=10_000)  # at once: the pace is thousands a second
    assert clock.trials_left(trials=10_000) > 100 * guessed > 0


def test_the_clock_stands_until_it_begins():
    clock = WorkClock(Budget(None, 60.0), before_s=7.0)
    assert clock.elapsed_s == clock.elapsed_s == 7.0
    clock.begin()
    assert clock.elapsed_s > 7.0
