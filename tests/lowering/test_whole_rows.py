"""Rows of a length that is no power of two are read at once, and nothing behind the last of them is."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from guarded_pages import at_the_end_of_a_page
from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm import IRModule, s_tir, te  # noqa: E402
from tvm.target import Target  # noqa: E402

from pruner_engine.processes.isolation import deadly  # noqa: E402
from pruner_engine.targets.target import resolve_target  # noqa: E402

ROWS = 16  # so that all of them are a multiple of the alignment that TVM asks for
SUMMED_AT_ONCE = 4
LENGTHS = [3, 5, 7, 12, 14, 15, 28, 49]
PUT_TOGETHER = ("vinsertps", "vinsertf128", "vinsertf32x4")


def raised(lanes: int, dtype: str = "float32", *, copied: bool = False) -> IRModule:
    """out[i, j] = x[i, j] + 1 in vectors of a row, of a copy that the kernel makes before if it is asked to."""
    x = te.placeholder((ROWS, lanes), dtype, "x")
    source = te.compute((ROWS, lanes), lambda i, j: x[i, j] * te.const(1, dtype), "copy") if copied else x
    out = te.compute((ROWS, lanes), lambda i, j: source[i, j] + te.const(1, dtype), "out")
    sch = s_tir.Schedule(te.create_prim_func([x, out]))
    sch.vectorize(sch.get_loops(sch.get_sblock("out"))[-1])
    return sch.mod


def summed(lanes: int, steps: int = 64) -> IRModule:
    """out[i, j] = sum of weight[i, k] * x[k, j], each sum where the results are, rows in vectors."""
    x, weight = te.placeholder((steps, lanes), name="x"), te.placeholder((ROWS, steps), name="weight")
    k = te.reduce_axis((0, steps), "k")
    out = te.compute((ROWS, lanes), lambda i, j: te.sum(weight[i, k] * x[k, j], k), "out")
    sch = s_tir.Schedule(te.create_prim_func([x, weight, out]))
    block = sch.get_sblock("out")
    i, j, k = sch.get_loops(block)
    outer, inner = sch.split(i, [None, SUMMED_AT_ONCE])
    sch.reorder(outer, k, inner, j)
    sch.parallel(outer)
    sch.unroll(inner)
    sch.vectorize(j)
    sch.decompose_reduction(block, k)
    return sch.mod


def run(mod: IRModule, lanes: int, *given: tvm.runtime.Tensor) -> np.ndarray:
    out = tvm.runtime.tensor(np.zeros((ROWS, lanes), given[0].dtype))
    tvm.compile(mod, target=resolve_target("auto"))["main"](*given, out)
    return out.numpy()


def code(mod: IRModule, language: str, processor: str) -> str:
    target = {"kind": "llvm", "mtriple": "x86_64-unknown-linux-gnu", "mcpu": processor, "num-cores": 2}
    return tvm.tirx.build(mod, target=Target(target)).inspect_source(language)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "int8", "float16"])
@pytest.mark.parametrize("lanes", LENGTHS)
def test_each_element_is_read(lanes, dtype, copied):
    x = np.random.default_rng(0).integers(-50, 50, (ROWS, lanes)).astype(dtype)
    found = run(raised(lanes, dtype, copied=copied), lanes, tvm.runtime.tensor(x))
    np.testing.assert_array_equal(found, x + np.ones((), dtype))


@pytest.mark.parametrize("lanes", LENGTHS)
def test_sums_are_right(lanes):
    rng = np.random.default_rng(0)
    x, weight = (rng.standard_normal(shape).astype("float32") for shape in ((64, lanes), (ROWS, 64)))
    found = run(summed(lanes), lanes, tvm.runtime.tensor(x), tvm.runtime.tensor(weight))
    np.testing.assert_allclose(found, weight @ x, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("lanes", [3, 7, 14, 49])
def test_nothing_is_read_behind_the_last_row(lanes):
    mod = raised(lanes)

    def read(x: np.ndarray) -> None:
        run(mod, lanes, tvm.runtime.from_dlpack(x))

    assert not deadly([partial(at_the_end_of_a_page, (ROWS, lanes), "float32", read)])


@pytest.mark.parametrize("processor", ["skylake-avx512", "x86-64-v3"])
@pytest.mark.parametrize("lanes", [7, 14])
def test_no_row_is_put_together(lanes, processor):
    assembly = code(summed(lanes), "asm", processor)
    assert "vfmadd" in assembly
    assert not any(part in assembly for part in PUT_TOGETHER)


def test_sums_are_stored_once():
    """LLVM is told that nothing writes to what is read under a mask; else it would store them at every step."""
    assert code(summed(14), "ll", "skylake-avx512").count("store <14 x float>") == SUMMED_AT_ONCE


def test_a_view_of_what_is_written_is_read_as_it_was_written():
    source = """
@T.prim_func(s_tir=True)
def main(x: T.Buffer((16, 7), "float32"), out: T.Buffer((16, 7), "float32")):
    seen = T.decl_buffer((16, 7), "float32", data=out.data)
    for i in range(16):
        for j in T.vectorized(7):
            out[i, j] = x[i, j] * T.float32(2)
        for j in T.vectorized(7):
            out[i, j] = seen[i, j] + T.float32(1)
"""
    kernel = tvm.script.from_source(source, {"T": tvm.script.tirx})
    x = np.arange(7 * ROWS, dtype="float32").reshape(ROWS, 7)
    mod = IRModule({"main": kernel})
    np.testing.assert_array_equal(run(mod, 7, tvm.runtime.tensor(x)), 2 * x + 1)
    masked = code(mod, "ll", "x86-64-v3").count("call <8 x float> @llvm.masked.load")
    assert masked == ROWS, "those of x alone: LLVM is told that nothing writes to what is read so"


def test_two_kernels_of_a_library_read_rows_of_the_same_length():
    kernels = {name: raised(7)["main"].with_attr("global_symbol", name) for name in ("one", "other")}
    library = tvm.compile(IRModule(kernels), target=resolve_target("auto"))
    x = np.arange(7 * ROWS, dtype="float32").reshape(ROWS, 7)
    for name in kernels:
        out = tvm.runtime.tensor(np.zeros_like(x))
        library[name](tvm.runtime.tensor(x), out)
        np.testing.assert_array_equal(out.numpy(), x + 1)


def test_processors_that_cannot_mask_read_as_before():
    assert "masked" not in code(raised(7), "ll", "nehalem")
