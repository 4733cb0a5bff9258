"""What counts as an operation of a kernel."""

from __future__ import annotations

import pytest
import tvm
from tvm import te, tirx
from tvm.s_tir.analysis import estimate_tir_flops

from pruner_engine.tasks.operations import operations_of
from pruner_engine.tasks.rewrites.winograd import transform_input


def kernel(*tensors: te.Tensor) -> tvm.IRModule:
    return tvm.IRModule({"main": te.create_prim_func(list(tensors))})


def test_of_a_choice_the_dearer_side_counts():
    x = te.placeholder((10, 8), name="x")
    chosen = te.compute(
        (10, 8), lambda i, j: tirx.if_then_else(i < 5, x[i, j] * 2.0 + 1.0, x[i, j] + 3.0 + x[i, j] * x[i, j])
    )
    assert operations_of(kernel(x, chosen)) == 3 * 80


@pytest.mark.parametrize(("tile", "most"), [(2, 2), (4, 6)])
def test_a_winograd_transform_needs_one_row_of_its_matrix_an_element(tile, most):
    """Multiplications and additions of the dearest row, in two stages."""
    x = te.placeholder((1, 16, 16, 8), name="x")
    mod = kernel(x, transform_input(x, tile, (1, 1), (16, 16)))
    elements = (tile + 2) ** 2 * (16 // tile) ** 2 * 8
    assert operations_of(mod) == 2 * most * elements
    assert operations_of(mod) < estimate_tir_flops(mod) / 3
