"""Places of kernels under the roofline, by hand."""

from __future__ import annotations

import json

import pytest

import chosen_runs
from pruner_engine.store.figures.roofline import above_the_peak, ceilings, place
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

PROFILE = {
    "cores": 2,
    "peak_flops": 100e9,
    "dram_bandwidth": 10e9,
    "caches": [
        {"level": 2, "bytes": 1 << 20, "shared_by": 1, "bandwidth": 50e9},
        {"level": 1, "bytes": 1 << 15, "shared_by": 1, "bandwidth": 200e9},
    ],
}


def tensors(*shapes, dtype="float32"):
    return [{"name": "p", "shape": list(shape), "dtype": dtype} for shape in shapes]


def test_roofs_come_peak_first_then_from_the_nearest_level():
    assert [(roof.name, roof.per_second) for roof in ceilings(PROFILE)] == [
        ("peak", 100e9),
        ("L1", 200e9),
        ("L2", 50e9),
        ("DRAM", 10e9),
    ]
    assert ceilings({}) == []


@pytest.mark.parametrize(
    ("elements", "flops", "bound", "roof"),
    [
        (1 << 12, 1 << 12, "L1", 200e9 / 4),  # 16 KB in the two L1 caches, 1/4 FLOP a byte
        (1 << 17, 1 << 17, "L2", 50e9 / 4),  # 512 KB in the two L2 caches
        (1 << 22, 1 << 22, "DRAM", 10e9 / 4),
        (1 << 22, 1 << 30, "peak", 100e9),  # 64 FLOP a byte
    ],
)
def test_the_nearest_level_that_holds_the_arguments_sets_the_roof(elements, flops, bound, roof):
    found = place({"flops": float(flops), "shapes": tensors((elements,))}, PROFILE, "warm")
    assert (found.bound, found.roof) == (bound, pytest.approx(roof))


@pytest.mark.parametrize(
    ("reuse", "bound", "seconds"),
    [
        ((0, 0), "L1", 32768 / 200e9),  # as with warm caches: 32 KB in the two L1 caches
        ((0, 1 << 20), "L2", 16384 / 50e9),  # a weight, behind a megabyte of other kernels' data
        ((0, 1 << 30), "DRAM", 16384 / 10e9),
        ((1 << 30, 1 << 30), "DRAM", 32768 / 10e9),
    ],
)
def test_in_a_network_an_argument_comes_from_as_far_as_the_others_leave_it(reuse, bound, seconds):
    shapes = [{**spec, "reuse": one} for spec, one in zip(tensors((4096,), (4096,)), reuse, strict=True)]
    task = {"flops": 1e3, "shapes": shapes}
    found = place(task, PROFILE, "network")
    assert (found.bound, found.roof) == (bound, pytest.approx(1e3 / seconds))
    assert place(task, PROFILE, "warm").bound == "L1", "whatever a network would leave"


def test_without_operations_or_a_profile_there_is_no_roof():
    assert place({"flops": 10.0, "shapes": tensors((4,))}, PROFILE, "warm").roof > 0
    assert place({"flops": 0.0, "shapes": tensors((4,))}, PROFILE, "warm") is None
    assert place({"flops": 1.0, "shapes": tensors((4,))}, {}, "warm") is None


def test_matrix_units_count_for_products_of_words():
    device = {**PROFILE, "matrix_flops": 800e9}
    for shapes, roof in (
        (tensors((64, 64), (64, 64), dtype="int32"), 800e9),
        (tensors((64, 64), (64,), dtype="int32"), 100e9),  # one matrix is no product
        (tensors((64, 64), (64, 64)), 100e9),
    ):
        assert place({"flops": 1e12, "shapes": shapes}, device, "warm").roof == roof


def test_half_precision_counts_two_bytes_and_tensor_cores():
    shapes = tensors((8, 8), dtype="float16")
    assert place({"flops": 128.0, "shapes": shapes}, PROFILE, "warm").intensity == 1
    gpu = {**PROFILE, "gpu": {"tensor_flops": 900e9}}
    assert place({"flops": 1e9, "shapes": shapes}, gpu, "warm").roof == 900e9
    assert place({"flops": 1e9, "shapes": tensors((8, 8))}, gpu, "warm").roof == 100e9


def test_tasks_of_a_run_are_placed_and_their_gains_numbered(tmp_path):
    project = tmp_path / "p.pruner"
    chosen_runs.make_project(project, {"a": (1, 0.5), "b": (1, 0.5)})
    with Project(project) as opened, opened.transaction() as db:
        db["targets"].update(1, {"profile": json.dumps(PROFILE)})
        db["tasks"].update(1, {"shapes": json.dumps(tensors((1 << 12,))), "flops": 1e6})
    events = [("begin", 0)]
    events += [("trial", 1, seconds, 1) for seconds in (0.4, -0.01, None, 0.5, 0.2)]
    run_id = chosen_runs.add_run(project, "pruner", [*events, ("trial", 2, 0.3, 2), ("end", 2)])
    with ProjectReader(project) as reader:
        first, second = reader.tasks(run_id)
        assert (first["bound"], first["roof_share"]) == ("peak", pytest.approx(1e6 / 0.2 / 100e9))
        assert first["intensity"] == pytest.approx(1e6 / (4 << 12))
        assert second["roof_share"] is None, "no shapes are known of it"
        assert above_the_peak([first, second]) == []
        fast = {**first, "roof_share": 1.3}
        assert above_the_peak([fast, second, {**fast, "bound": "L2"}]) == [fast], "caches give more than was measured"
        assert reader.gains(run_id) == {1: [(1, 0.4), (5, 0.2)], 2: [(1, 0.3)]}, (
            "abandoned and failed ones gain nothing"
        )
