"""The end-to-end comparison: every contender measured in turn, and said why where that is not possible."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
import torch
import tvm
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.export import turns
from pruner_engine.export.baselines import example_inputs
from pruner_engine.export.compare import bench_e2e, summed_up
from pruner_engine.export.contents import FILES
from pruner_engine.export.turns import IN_TORCH, LIBRARIES, Turns
from pruner_engine.frontends import load_model
from schedules import CPU


def test_contenders_are_measured_in_every_round(work):
    steps = []
    found = bench_e2e(work.tuned(), Turns(2, 2, ["torch.compile"]), on_phase=steps.append)
    rows = found["contenders"]
    assert list(rows) == ["tuned", "untuned", "onnxruntime", "torch"]
    assert [rows[name]["measured"] for name in ("tuned", "untuned", "onnxruntime")] == [4, 4, 4]
    assert all(rows[name]["agreement"]["ok"] for name in ("tuned", "untuned", "onnxruntime"))
    assert (rows["torch"]["measured"], rows["torch"]["note"]) == (0, "runs pt2 and workload files only")
    assert found["best_library"] == "onnxruntime"
    assert found["ratio"] == rows["tuned"]["median_s"] / rows["onnxruntime"]["median_s"]
    assert steps[-1] == "round 2 of 2: ONNX Runtime"


@pytest.mark.parametrize("apart", [0.0, math.inf])
def test_another_turn_decides_where_those_of_a_contender_are_far_apart(apart, work, monkeypatch):
    """How far is too far for any two turns here, or not far enough."""
    monkeypatch.setattr(turns, "_APART", apart)
    steps, more = [], 0 if apart else 2
    found = bench_e2e(work.tuned(), Turns(2, 2, ["untuned", *IN_TORCH], decide=True), on_phase=steps.append)
    measured = {name: row["measured"] for name, row in found["contenders"].items()}
    assert measured == {"tuned": 4 + more, "untuned": 1, "onnxruntime": 4 + more}
    last = ["round 3 of 3: tuned", "round 3 of 3: ONNX Runtime"]
    assert [step for step in steps if step.startswith("round 3")] == (last if more else [])


@pytest.mark.parametrize("several", [False, True])
def test_of_a_library_no_share_of_the_peak_is_told_where_our_operations_are_counted_otherwise(
    several, work, monkeypatch
):
    monkeypatch.setattr("pruner_engine.export.compare.holds_word_products", lambda _: several)
    found = bench_e2e(work.tuned(), Turns(1, 1, ["torch", "torch.compile"]), peak_flops=1e9)["contenders"]
    assert {name for name, row in found.items() if "peak_share" in row} == {"tuned", "untuned"} | (
        set() if several else {"onnxruntime"}
    )


@pytest.mark.parametrize("slow", [False, True])
def test_the_untuned_library_runs_once_where_it_is_left_out_or_slow(slow, work):
    untuned, left_out = ({task.hash: 1.0 for task in work.tasks}, []) if slow else ({}, ["untuned"])
    rows = bench_e2e(work.tuned(untuned=untuned), Turns(2, 2, [*left_out, *LIBRARIES]))["contenders"]
    assert {name: row["measured"] for name, row in rows.items()} == {"tuned": 4, "untuned": 1}
    assert rows["tuned"]["agreement"]["ok"], "its outputs are the reference"


def test_what_was_measured_before_an_interruption_is_told(work):
    def interrupt(phase):
        if "ONNX Runtime" in phase:
            raise KeyboardInterrupt

    found = bench_e2e(work.tuned(), Turns(2, 2), on_phase=interrupt)
    rows = found["contenders"]
    assert found["stopped"] and [rows[name]["measured"] for name in ("tuned", "untuned")] == [2, 2]
    assert {row["note"] for name, row in rows.items() if name in LIBRARIES} == {"interrupted"} and found[
        "ratio"
    ] is None


def test_an_interruption_before_there_is_something_to_compare_ends_it(work):
    def interrupt(phase):
        if phase.endswith(": untuned"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench_e2e(work.tuned(), Turns(1, 1), on_phase=interrupt)


def test_a_contender_that_is_none_is_refused(work):
    with pytest.raises(UserError, match="no contender"):
        bench_e2e(work.tuned(), Turns(without=["abacus"]))


@pytest.mark.parametrize(
    "workload",
    [
        "matmul:5,7,9",
        "bmm:2,5,7,9",
        "dense:5,7,9",
        "conv2d:1,4,9,8,6,3,stride=2,pad=1",
        "conv2d:2,4,9,8,6,3,layout=NHWC",
        "conv2d:1,4,9,9,6,3,dilation=2,groups=2",
        "depthwise:1,6,9,8,3,layout=NHWC",
        "maxpool:1,4,9,9,3,stride=2,pad=1",
        "softmax:4,9",
        "layernorm:4,9",
        "sum:4,9",
        "gelu:4,9",
    ],
)
def test_pytorch_computes_the_same_operator(workload):
    model = load_model(workload)
    inputs = example_inputs(model)
    spec = importlib.util.spec_from_file_location("operators", FILES / "operators.py")
    operators = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(operators)
    given = operators.arranged(workload, list(map(torch.from_numpy, inputs)))
    got = operators.operator(workload)(*given).numpy()
    machine = relax.VirtualMachine(tvm.compile(model.mod, target=CPU), tvm.cpu())
    np.testing.assert_allclose(got, machine["main"](*map(tvm.runtime.tensor, inputs)).numpy(), rtol=1e-4, atol=1e-5)


def test_the_mean_is_over_what_a_library_runs():
    found = summed_up([{"ratio": 0.5}, {"ratio": None}, {"ratio": 2.0}])
    assert (found["compared"], found["ratio"]) == (2, pytest.approx(1.0))
    assert summed_up([{"ratio": None}])["ratio"] is None
