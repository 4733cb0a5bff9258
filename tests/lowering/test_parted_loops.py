"""Loops over the parts of a concatenation: one for each part, whoever has scheduled them."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tvm
from tvm import te, topi
from tvm.s_tir import Schedule

from machines import plain
from pruner_engine.lowering.loops.parted_loops import in_parted_loops
from pruner_engine.targets.target import resolve_target
from seeds import seeds

HOST = plain(resolve_target("auto"))


def kernel(parts: list[tuple[int, ...]], axis: int) -> tvm.IRModule:
    """Halves of what is joined."""
    read = [te.placeholder(shape, name=f"part{i}") for i, shape in enumerate(parts)]
    joined = topi.concatenate(read, axis)
    half = te.compute(joined.shape, lambda *at: joined[at] * te.const(0.5, "float32"), name="half")
    return tvm.IRModule({"main": te.create_prim_func([*read, half])})


def run(mod: tvm.IRModule, arrays: list[np.ndarray]) -> np.ndarray:
    args = [tvm.runtime.tensor(a) for a in arrays]
    tvm.tirx.build(mod, HOST)["main"](*args)
    return args[-1].numpy()


def drawn(parts: list[tuple[int, ...]], axis: int) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype("f") for shape in parts]
    want = np.concatenate(arrays, axis) * np.float32(0.5)
    return [*arrays, np.zeros_like(want)], want


@pytest.mark.parametrize("seed", seeds())
def test_every_part_has_its_loop(seed):
    rng = random.Random(seed)
    axis = rng.randrange(3)
    shape = [rng.randint(1, 6) for _ in range(3)]
    parts = [tuple(rng.randint(1, 40) if i == axis else n for i, n in enumerate(shape)) for _ in range(5)]
    mod = in_parted_loops(kernel(parts, axis))
    assert "if_then_else" not in mod.script()
    assert mod.script().count('T.sblock("T_concat")') == len(parts)
    arrays, want = drawn(parts, axis)
    assert np.array_equal(run(mod, arrays), want)


@pytest.mark.parametrize(("lanes", "left"), [(8, False), (16, True)])
def test_a_vector_that_two_parts_share_keeps_its_cases(lanes, left):
    parts = [(5, 16), (5, 24), (5, 8)]
    schedule = Schedule(kernel(parts, 1))
    schedule.compute_inline(schedule.get_sblock("T_concat"))
    _, row = schedule.get_loops(schedule.get_sblock("half"))
    vectors, lane = schedule.split(row, factors=[None, lanes])
    schedule.unroll(vectors)
    schedule.vectorize(lane)
    mod = in_parted_loops(schedule.mod)
    assert ("if_then_else" in mod.script()) == left
    arrays, want = drawn(parts, 1)
    assert np.array_equal(run(mod, arrays), want)


def test_what_does_not_change_along_a_loop_stays():
    image = te.placeholder((6, 6, 8), name="image")
    padded = topi.nn.pad(image, (1, 1, 0), (1, 1, 0))
    mod = tvm.IRModule({"main": te.create_prim_func([image, padded])})
    tvm.ir.assert_structural_equal(in_parted_loops(mod), mod)
