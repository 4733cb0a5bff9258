"""Kernels that are no matrix, have several results or no elements: they are tuned, or left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tvm.relax import Expr, op

from draft.spaces import CPU, GPU, analyzer_of
from graphs import GRAPHS, NORMS, TWO_RESULTS, graph, tasks_of_graph
from pruner_engine.protocol import Notice, Phase
from pruner_engine.resources import resource_dir
from pruner_engine.space import design_space
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.rules.rows import RowReductions
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from run_jobs import QUICK, started

ROWS = 64  # of a kernel, at most, but for two of each sketch


@pytest.mark.parametrize("name", GRAPHS)
def test_every_sketch_is_drafted_and_applied(name):
    rng = np.random.default_rng(0)
    for task in tasks_of_graph(name, CPU):
        space = DesignSpace.generate(task, CPU)
        for sketch in space.sketches:
            rows = sketch.sample(rng, min(8, max(2, ROWS // len(space.sketches))))
            assert np.isfinite(analyzer_of(space).score(sketch.index, rows)).all()
            assert len(space.materialise([space.candidate(sketch.index, row) for row in rows])) == len(rows)


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("name", [*TWO_RESULTS, *NORMS])
def test_reductions_to_two_results_and_norms_have_a_closed_form(name, target):
    task = tasks_of_graph(name, target)[0]
    space = DesignSpace.generate(task, target)
    analyzer = analyzer_of(space)
    assert all(analyzer.compiled(sketch.index) for sketch in space.sketches)


def test_a_kernel_without_elements_is_no_task():
    empty = graph(op.matmul, (0, 32), constants=[(32, 16)])
    assert extract_tasks(prepare(empty, CPU), CPU) == []


@pytest.mark.parametrize("kind", [RuntimeError, TypeError, ZeroDivisionError])
def test_a_rule_that_fails_leaves_the_space_to_the_others(kind, monkeypatch, caplog):
    def fail(*_):
        raise kind("no such loop")

    (task,) = tasks_of_graph("softmax of a vector", CPU)
    monkeypatch.setattr(RowReductions, "apply", fail)
    assert DesignSpace.generate(task, CPU).sketches
    assert "no such loop" in caplog.text


def test_a_run_tells_once_of_a_rule_that_fails(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("no such loop")

    monkeypatch.setattr(RowReductions, "apply", fail)
    model = resource_dir() / "models" / "small-cnn.onnx"
    said = started(tmp_path / "p.pruner", model, trials=2, settings={**QUICK, "round_trials": 1})
    assert len([event for event in said if isinstance(event, Phase) and event.name == "space"]) == 2
    (told,) = (event for event in said if isinstance(event, Notice) and '"rows" fails' in event.text)
    assert told.level == "warning" and re.search(r"RuntimeError in \w+\.py:\d+: no such loop\.$", told.text)


@pytest.mark.parametrize("seed", range(1, 4))
def test_rows_of_several_axes_are_worked_on_one_by_one(seed, monkeypatch):
    """Their number has splits that cut through an axis: 6 x 392 of 4 x 12 x 49, say."""
    mod = prepare(graph(lambda x: op.nn.softmax(x, axis=-1), (4, 12, 49, 49)), CPU)
    (task,) = extract_tasks(mod, CPU)
    monkeypatch.setattr(design_space, "_SEED", seed)
    (sketch,) = DesignSpace.generate(task, CPU).sketches
    assert "sch.vectorize" in str(sketch.trace)


def test_a_stage_without_elements_costs_nothing():
    """Of a kernel as TVM fuses it where nobody has simplified the graph."""

    def joined(x: Expr) -> Expr:
        return op.concat([op.exp(x), op.strided_slice(x, [1], [32], [32])], axis=1)

    (task,) = extract_tasks(prepare(graph(joined, (16, 32)), CPU, without=["simplify"]), CPU)
    space = DesignSpace.generate(task, CPU)
    rows = space.sketches[0].sample(np.random.default_rng(0), 4)
    scores = analyzer_of(space).score(0, rows)
    assert np.isfinite(scores).any()
