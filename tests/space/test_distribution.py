"""Shares of each decision's values: the exact prior agrees with what is sampled."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pruner_engine.errors import UserError
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.distribution import distributions, elite_of
from schedules import CPU, task_of


@pytest.mark.parametrize("workload", ["matmul:64,96,48", "conv2d:1,16,14,14,32,3,pad=1"])
def test_the_prior_is_what_the_sketch_samples(workload):
    for sketch in DesignSpace.generate(task_of(workload), CPU).sketches:
        rows = sketch.sample(np.random.default_rng(0), 20_000)
        sampled = [sketch.to_json(row) for row in rows]
        found = distributions(sketch.decisions_json(), sampled, sampled[:3])
        assert found or not sketch.width
        for one in found:
            assert sum(one.prior) == pytest.approx(1) and sum(one.elite) == pytest.approx(1)
            assert np.abs(np.array(one.prior) - one.drafted).max() < 0.02, one.name


def test_values_of_a_choice_are_told_and_fixed_decisions_left_out():
    specs = [
        {"kind": "categorical", "name": "unroll", "domain": {"candidates": [0, 16, 64], "probs": [0.5, 0.25, 0.25]}},
        {"kind": "tile", "name": "i", "domain": {"extent": 1, "n": 2, "max_innermost": 4, "partition": [0, 1]}},
        {"kind": "tile", "name": "j", "domain": {"extent": 4, "n": 2, "max_innermost": 2, "partition": [0, 1]}},
        {"kind": "location", "name": "pad", "domain": {"indices": [-2, -1, 3]}},
    ]
    rows = [[2, [1, 1], [4, 1], -2], [2, [1, 1], [2, 2], 3]]
    unroll, outer, inner, pad = distributions(specs, rows, rows[:1])
    assert (unroll.values, unroll.prior, unroll.drafted) == ([0, 16, 64], [0.5, 0.25, 0.25], [0, 0, 1])
    assert (outer.values, outer.prior, outer.drafted, outer.elite) == ([2, 4], [0.5, 0.5], [0.5, 0.5], [0, 1])
    assert (inner.factor, inner.values) == (1, [1, 2]), "no more than two innermost"
    assert (pad.values, pad.drafted) == ([-2, -1, 3], [0.5, 0, 0.5])
    assert distributions(specs, [], [])[0].drafted == [0, 0, 0]


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"kind": "location", "name": "pad", "domain": {}},
        {"kind": "location", "name": "pad", "domain": {"indices": []}},
        {"kind": "tile", "name": "i", "domain": {"extent": 8, "n": 2, "max_innermost": 0, "partition": [0, 1]}},
        {"kind": "tile", "name": "i", "domain": {"extent": 8, "n": 2, "max_innermost": "4", "partition": [0, 1]}},
        *(
            {"kind": "tile", "name": "i", "domain": {"extent": e, "n": n, "max_innermost": 4, "partition": [0, 1]}}
            for e, n in [(1 << 63, 2), (0, 2), ("64", 2), (64, 1 << 40), (1 << 30, 8), (64, 0)]
        ),
    ],
)
def test_a_decision_that_makes_no_sense_is_a_sentence(spec):
    with pytest.raises(UserError, match="makes no sense"):
        distributions([spec], [], [])


def test_the_elite_is_the_fastest_tenth_of_what_ran_to_its_end():
    row = {"stage": "ok", "censored": 0}
    rows = [{**row, "seconds": float(at)} for at in range(1, 22)]
    rows += [{**row, "seconds": 0.5, "censored": 1}, {"stage": "run", "censored": 0, "seconds": None}]
    assert [one["seconds"] for one in elite_of(rows)] == [1, 2, 3]
    assert elite_of([]) == []


def test_the_window_can_use_it_without_tvm():
    code = "import sys; import pruner_engine.space.distribution; sys.exit('tvm' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
