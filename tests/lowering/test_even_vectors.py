"""Vectors have a power of two of elements where LLVM would tear them, beside padding those of one pixel each."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
import tvm_ffi
from tvm import te, tirx
from tvm.s_tir import Schedule

from machines import result_of
from pruner_engine.lowering.loops.even_vectors import in_even_vectors
from pruner_engine.lowering.nodes import nodes_in
from pruner_engine.targets.target import resolve_target

HOST = resolve_target("auto")
PIXELS, TAPS, CHANNELS = 14, 3, 6


def convolution(filters: int, *, padded: bool = True) -> tvm.IRModule:
    """out[x, f] = sum of data[x + r - 1, c] * weight[r, c, f], zeros beyond both ends."""
    data = te.placeholder((PIXELS, CHANNELS), name="data")
    weight = te.placeholder((TAPS, CHANNELS, filters), name="weight")
    zero = te.const(0, "float32")

    def pixel(x, c):
        return te.if_then_else(te.all(x >= 1, x <= PIXELS), data[x - 1, c], zero)

    wide = te.compute((PIXELS + 2, CHANNELS), pixel, name="pad") if padded else data
    r, c = te.reduce_axis((0, TAPS if padded else 1), name="r"), te.reduce_axis((0, CHANNELS), name="c")
    out = te.compute((PIXELS, filters), lambda x, f: te.sum(wide[x + r, c] * weight[r, c, f], axis=[r, c]), name="out")
    return tvm.IRModule({"main": te.create_prim_func([data, weight, out])})


def scheduled(mod: tvm.IRModule, pixels: int, *, bound: bool = False) -> tvm.IRModule:
    """With all filters of some pixels in one vector; others of them are blocks of a GPU's grid if they are bound."""
    schedule = Schedule(mod)
    if len(schedule.get_child_blocks(schedule.get_sblock("root"))) > 1:
        schedule.compute_inline(schedule.get_sblock("pad"))
    block = schedule.get_sblock("out")
    x, f, r, c = schedule.get_loops(block)
    outer, inner = schedule.split(x, [None, pixels])
    schedule.reorder(outer, r, c, inner, f)
    if bound:
        schedule.bind(outer, "blockIdx.x")
    schedule.vectorize(schedule.fuse(inner, f))
    schedule.decompose_reduction(block, r)
    return schedule.mod


def vectors(mod: tvm.IRModule) -> list[int]:
    loops = nodes_in(mod["main"].body, tirx.For)
    return [int(loop.extent) for loop in loops if loop.kind == tirx.ForKind.VECTORIZED]


@pytest.mark.parametrize(
    ("filters", "pixels", "parts"),
    [
        (12, 2, [8, 4] * 2),
        (24, 1, [16, 8]),
        (36, 1, [16, 16, 4]),
        (16, 2, [16] * 2),
        (10, 1, [8, 2]),
        (10, 2, [8, 2] * 2),
        (5, 2, [4] * 2),
        (16, 1, [16]),
    ],
)
def test_vectors_are_parted_and_compute_the_same(filters, pixels, parts):
    mod = scheduled(convolution(filters), pixels)
    assert vectors(in_even_vectors(mod)) == parts * 2  # of the zeros that sums begin with, too
    rng = np.random.default_rng(0)
    data, weight = (rng.standard_normal(shape).astype("f") for shape in ((PIXELS, CHANNELS), (TAPS, CHANNELS, filters)))
    wide = np.pad(data, ((1, 1), (0, 0)))
    wanted = sum(wide[r : r + PIXELS] @ weight[r] for r in range(TAPS))
    out = tvm.runtime.tensor(np.full((PIXELS, filters), np.nan, "f"))
    library = tvm.tirx.build(mod, HOST)
    library["main"](tvm.runtime.tensor(data), tvm.runtime.tensor(weight), out)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-4, atol=1e-5)
    code = library.inspect_source("ll")
    lengths = {lanes for lanes in range(2, 65) if f"<{lanes} x float>" in code}
    assert all(lanes & (lanes - 1) == 0 for lanes in lengths) and max(parts) in lengths


def bound_to(mod: tvm.IRModule, processor: str) -> tvm.IRModule:
    """As TVM gives kernels to its lowering."""
    return tirx.transform.BindTarget(tvm.target.Target({"kind": "llvm", "mcpu": processor}))(mod)


@pytest.mark.parametrize(
    ("processor", "filters", "pixels", "parts"),
    [
        ("skylake-avx512", 12, 1, [12]),
        ("skylake-avx512", 12, 2, [12] * 2),
        ("skylake-avx512", 24, 1, [16, 8]),
        ("skylake-avx512", 16, 3, [16] * 3),
        ("x86-64-v3", 6, 1, [6]),
        ("x86-64-v3", 12, 1, [8, 4]),
        ("x86-64-v3", 24, 1, [16, 8]),
        ("x86-64-v3", 16, 2, [32]),
        ("x86-64", 6, 1, [4, 2]),
        ("x86-64", 3, 1, [3]),
    ],
)
def test_sums_in_vectors_that_fill_no_registers_are_parted(processor, filters, pixels, parts):
    """LLVM widens what is shorter than a register, and splits a power of two."""
    mod = bound_to(scheduled(convolution(filters, padded=False), pixels), processor)
    assert vectors(in_even_vectors(mod)) == parts * 2


def test_parted_sums_are_kept_in_vectors_and_are_the_same():
    mod = scheduled(convolution(24, padded=False), 1)
    rng = np.random.default_rng(0)
    data, weight = (rng.standard_normal(shape).astype("f") for shape in ((PIXELS, CHANNELS), (TAPS, CHANNELS, 24)))
    out = tvm.runtime.tensor(np.full((PIXELS, 24), np.nan, "f"))
    library = tvm.tirx.build(mod, HOST)
    library["main"](tvm.runtime.tensor(data), tvm.runtime.tensor(weight), out)
    np.testing.assert_allclose(out.numpy(), data @ weight[0], rtol=1e-4, atol=1e-5)
    assert "<24 x float>" not in library.inspect_source("ll")


def test_vectors_of_what_sums_nothing_stay_as_they_are():
    data = te.placeholder((PIXELS, 24), name="data")
    out = te.compute((PIXELS, 24), lambda x, f: data[x, f] * 2.0, name="out")
    schedule = Schedule(tvm.IRModule({"main": te.create_prim_func([data, out])}))
    schedule.vectorize(schedule.get_loops(schedule.get_sblock("out"))[-1])
    mod = bound_to(schedule.mod, "x86-64-v3")
    assert tvm_ffi.structural_equal(in_even_vectors(mod), mod)


@pytest.mark.parametrize("pixels", [7, 14])
def test_vectors_of_pixels_some_of_which_are_padding_stay_as_they_are(pixels):
    """LLVM makes more of them than of their parts."""
    schedule = Schedule(convolution(12))
    schedule.compute_inline(schedule.get_sblock("pad"))
    block = schedule.get_sblock("out")
    x, f, r, c = schedule.get_loops(block)
    outer, inner = schedule.split(x, [None, pixels])
    schedule.reorder(outer, f, r, c, inner)
    schedule.vectorize(inner)
    schedule.decompose_reduction(block, r)
    assert vectors(schedule.mod) == [pixels] * 2
    assert tvm_ffi.structural_equal(in_even_vectors(schedule.mod), schedule.mod)


def test_vectors_of_a_gpu_stay_as_they_are():
    mod = scheduled(convolution(12), 2, bound=True)
    assert tvm_ffi.structural_equal(in_even_vectors(mod), mod)


def test_places_of_the_largest_are_found_in_parts():
    """A reduction to two results names what it compares: each part of a vector has names of its own."""
    columns = 24
    x = te.placeholder((7, columns), "float32", name="x")
    mod = tvm.IRModule({"main": te.create_prim_func([x, tvm.topi.argmax(x, axis=0)])})
    schedule = Schedule(mod)
    block, *_ = schedule.get_child_blocks(schedule.get_sblock("root"))
    column, step = schedule.get_loops(block)
    schedule.reorder(step, column)
    schedule.vectorize(column)
    schedule.decompose_reduction(block, step)
    assert len(vectors(in_even_vectors(schedule.mod))) > len(vectors(schedule.mod))
    numbers = np.random.default_rng(0).standard_normal((7, columns)).astype("float32")
    places = np.zeros(columns, "int32")
    assert np.array_equal(result_of(schedule.mod, [numbers, places], HOST), numbers.argmax(0))
