"""Vectors whose elements lie a few apart are read as whole ones, and nothing else is read."""

from __future__ import annotations

import mmap
from functools import partial

import numpy as np
import pytest

from guarded_pages import at_the_end_of_a_page, forbid
from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm import IRModule, s_tir, te  # noqa: E402
from tvm.target import Target  # noqa: E402

from pruner_engine.processes.isolation import deadly  # noqa: E402
from pruner_engine.targets.target import resolve_target  # noqa: E402

AVX512 = Target({"kind": "llvm", "mtriple": "x86_64-unknown-linux-gnu", "mcpu": "skylake-avx512", "num-cores": 2})
ROWS = 16  # so that all of them are a multiple of the alignment that TVM asks for
ONE_BY_ONE = "vinsertps"
# element of a row that a column reads
INDICES = {
    "every second": lambda j: 2 * j,
    "every third": lambda j: 3 * j + 1,
    "every fourth": lambda j: 4 * j + 3,
    "groups of four": lambda j: j // 4 * 4 + 2,
    "groups of eight": lambda j: j // 8 * 8 + 7,
    "two of each": lambda j: j // 2,
    "four of every two": lambda j: j // 4 * 2 + 1,
}


def gather(index, lanes: int, *, vectors: int = 3, dtype: str = "float32") -> IRModule:
    """out[i, j] = x[i, index(j)] + 1 in vectors."""
    columns = lanes * vectors
    x = te.placeholder((ROWS, index(columns - 1) + 1), dtype, "x")
    one = te.const(1, dtype)
    out = te.compute((ROWS, columns), lambda i, j: x[i, index(j)] + one, "out")
    return in_vectors(x, out, lanes)


def in_vectors(x: te.Tensor, out: te.Tensor, lanes: int) -> IRModule:
    sch = s_tir.Schedule(te.create_prim_func([x, out]))
    _, lane = sch.split(sch.get_loops(sch.get_sblock("out"))[-1], [None, lanes])
    sch.vectorize(lane)
    return sch.mod


def run(mod: IRModule, x: tvm.runtime.Tensor, columns: int) -> np.ndarray:
    kernel = tvm.compile(mod, target=resolve_target("auto"))
    out = tvm.runtime.tensor(np.zeros((ROWS, columns), x.dtype))
    kernel["main"](x, out)
    return out.numpy()


@pytest.mark.parametrize("lanes", [4, 7, 8, 14, 16, 32])
@pytest.mark.parametrize("name", INDICES)
def test_the_elements_are_those_of_the_index(name, lanes):
    index, columns = INDICES[name], 3 * lanes
    x = np.random.default_rng(0).standard_normal((ROWS, index(columns - 1) + 1)).astype("float32")
    wanted = x[:, [index(j) for j in range(columns)]] + 1
    np.testing.assert_array_equal(run(gather(index, lanes), tvm.runtime.tensor(x), columns), wanted)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float16", "int32", "int64", "float64"])
def test_elements_of_any_size(dtype):
    index, lanes = INDICES["every second"], 16
    x = np.random.default_rng(0).integers(0, 99, (ROWS, index(3 * lanes - 1) + 1)).astype(dtype)
    wanted = x[:, [index(j) for j in range(3 * lanes)]] + np.ones((), dtype)
    np.testing.assert_array_equal(run(gather(index, lanes, dtype=dtype), tvm.runtime.tensor(x), 3 * lanes), wanted)


@pytest.mark.parametrize("lanes", [7, 16])
def test_truth_values(lanes):
    columns = 3 * lanes
    x = te.placeholder((ROWS, 2 * columns), "bool", "x")
    out = te.compute(
        (ROWS, columns),
        lambda i, j: tvm.tirx.Select(x[i, 2 * j + 1], te.const(3.0, "float32"), te.const(-1.0, "float32")),
        "out",
    )
    given = np.random.default_rng(0).integers(0, 2, (ROWS, 2 * columns)).astype(bool)
    kernel = tvm.compile(in_vectors(x, out, lanes), target=resolve_target("auto"))
    found = tvm.runtime.tensor(np.zeros((ROWS, columns), "float32"))
    kernel["main"](tvm.runtime.tensor(given), found)
    np.testing.assert_array_equal(found.numpy(), np.where(given[:, 1::2], 3.0, -1.0))


@pytest.mark.parametrize("name", INDICES)
def test_none_is_put_into_its_lane_alone(name):
    assembly = tvm.tirx.build(gather(INDICES[name], 16), target=AVX512).inspect_source("asm")
    assert "zmm" in assembly
    assert ONE_BY_ONE not in assembly


def test_elements_far_apart_are_read_one_by_one():
    assembly = tvm.tirx.build(gather(lambda j: 9 * j, 16), target=AVX512).inspect_source("asm")
    assert ONE_BY_ONE in assembly


@pytest.mark.parametrize("lanes", [7, 14, 16])
@pytest.mark.parametrize("name", INDICES)
def test_nothing_is_read_behind_the_last_element(name, lanes):
    """Behind it lies a page that nobody may read."""
    index, columns = INDICES[name], 3 * lanes
    mod, shape = gather(index, lanes), (ROWS, index(columns - 1) + 1)

    def read(x: np.ndarray) -> None:
        run(mod, tvm.runtime.from_dlpack(x), columns)

    assert not deadly([partial(at_the_end_of_a_page, shape, "float32", read)])


def test_a_page_that_nobody_may_read_ends_who_does():
    def read_it() -> None:
        pages = mmap.mmap(-1, mmap.PAGESIZE)
        forbid(pages, 0)
        pages[0]

    assert deadly([read_it])


def test_a_condition_that_the_lane_decides_keeps_its_meaning():
    columns, dtype = 32, "float32"
    x = te.placeholder((ROWS, 2 * columns - 9), dtype, "x")
    out = te.compute(
        (ROWS, columns),
        lambda i, j: te.if_then_else(2 * j < 2 * columns - 9, x[i, 2 * j], te.const(-1, dtype)),
        "out",
    )
    given = np.random.default_rng(0).standard_normal((ROWS, 2 * columns - 9)).astype(dtype)
    wanted = np.full((ROWS, columns), -1, dtype)
    wanted[:, : (2 * columns - 8) // 2] = given[:, ::2]
    np.testing.assert_array_equal(run(in_vectors(x, out, 16), tvm.runtime.tensor(given), columns), wanted)
