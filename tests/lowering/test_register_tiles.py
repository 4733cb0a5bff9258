"""The results of a tile stay in registers until they are stored, as many as a CPU has."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pruner_engine.tvm_import import import_tvm

tvm = import_tvm()

from tvm import IRModule, s_tir, te  # noqa: E402
from tvm.target import Target  # noqa: E402

from pruner_engine.targets.target import resolve_target  # noqa: E402

AVX512 = Target({"kind": "llvm", "mtriple": "x86_64-unknown-linux-gnu", "mcpu": "skylake-avx512", "num-cores": 2})
ROWS, COLUMNS, INNER = 56, 96, 24
PATTERNS = {
    "results": r"vmaxps\s.*%zmm",
    "stores": r"vmov[au]ps\s+%zmm\d+, .*\(",
    "calls of memset": "memset",
}


def tiled_product(rows: int, vectors: int, *, written_out: bool) -> IRModule:
    """max(A B, 0) in tiles of rows by vectors of 16 columns; `written_out` are the loops that begin and end a tile."""
    a = te.placeholder((ROWS, INNER), "float32", "a")
    b = te.placeholder((INNER, COLUMNS), "float32", "b")
    k = te.reduce_axis((0, INNER), "k")
    c = te.compute((ROWS, COLUMNS), lambda i, j: te.sum(a[i, k] * b[k, j], k), "c")
    d = te.compute((ROWS, COLUMNS), lambda i, j: te.max(c[i, j], te.const(0.0, "float32")), "d")
    sch = s_tir.Schedule(te.create_prim_func([a, b, d]))
    product, positive = sch.get_sblock("c"), sch.get_sblock("d")
    i, j = sch.get_loops(positive)
    i, i_tile = sch.split(i, [None, rows])
    j, j_tile, lane = sch.split(j, [None, vectors, 16])
    sch.reorder(i, j, i_tile, j_tile, lane)
    sch.vectorize(lane)
    sch.parallel(i)
    sch.compute_at(product, j)
    i_tile, j_tile, k_loop = sch.get_loops(product)[2:]
    j_tile, lane = sch.split(j_tile, [None, 16])
    sch.reorder(k_loop, i_tile, j_tile, lane)
    sch.vectorize(lane)
    first = sch.decompose_reduction(product, k_loop)
    for loop in [i_tile, j_tile, *(sch.get_loops(first)[2:4] if written_out else [])]:
        sch.unroll(loop)
    return sch.mod


@pytest.mark.parametrize("written_out", [True, False])
@pytest.mark.parametrize(("rows", "vectors"), [(7, 2), (8, 2), (14, 2), (4, 6)])
def test_no_result_is_written_before_it_is_complete(rows, vectors, written_out):
    assembly = tvm.tirx.build(tiled_product(rows, vectors, written_out=written_out), target=AVX512).inspect_source(
        "asm"
    )
    counts = {name: len(re.findall(pattern, assembly)) for name, pattern in PATTERNS.items()}
    assert counts["results"] % (rows * vectors) == 0
    assert counts == {"results": counts["results"], "stores": counts["results"], "calls of memset": 0}


@pytest.mark.parametrize(("rows", "vectors"), [(7, 2), (14, 2), (14, 3), (28, 6)])
def test_results_are_right_whatever_the_tile(rows, vectors):
    kernel = tvm.compile(tiled_product(rows, vectors, written_out=True), target=resolve_target("auto"))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype("float32") for shape in ((ROWS, INNER), (INNER, COLUMNS)))
    out = tvm.runtime.tensor(np.full((ROWS, COLUMNS), np.nan, "float32"))
    kernel["main"](tvm.runtime.tensor(a), tvm.runtime.tensor(b), out)
    np.testing.assert_allclose(out.numpy(), np.maximum(a @ b, 0), rtol=1e-4, atol=1e-5)
