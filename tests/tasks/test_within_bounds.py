"""Indices that lie outside of what they address never reach other memory."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
import tvm_ffi
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import host_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.within_bounds import within_bounds

TABLE = np.arange(40, dtype="float32").reshape(10, 4)
INSIDE, OUTSIDE = [3, 0, 9], [10, -2, 10**6]


def outcome(mod: tvm.IRModule, *inputs: np.ndarray) -> np.ndarray:
    machine = machine_of(prepare(mod, host_target()))
    return machine["main"](*map(tvm.runtime.tensor, inputs)).numpy()


def lookup() -> tvm.IRModule:
    """A row of a table for each index that is given."""
    builder, indices = relax.BlockBuilder(), relax.Var("i", relax.TensorType((3,), "int64"))
    with builder.function("main", [indices]):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(op.take(relax.const(TABLE), indices, axis=0)))
        builder.emit_func_output(out)
    return builder.get()


def chosen(rows: list[int]) -> tvm.IRModule:
    """Rows of an input whose places the model holds."""
    return graph(lambda x: op.take(x, relax.const(np.array(rows, "int64")), axis=0), TABLE.shape)


@pytest.mark.parametrize("rows", [INSIDE, OUTSIDE])
def test_given_indices_read_the_nearest_row(rows: list[int]):
    np.testing.assert_array_equal(outcome(lookup(), np.array(rows, "int64")), TABLE[np.clip(rows, 0, 9)])


@pytest.mark.parametrize("rows", [INSIDE, OUTSIDE])
def test_so_do_the_models_own(rows: list[int]):
    np.testing.assert_array_equal(outcome(chosen(rows), TABLE), TABLE[np.clip(rows, 0, 9)])


def test_constants_that_lie_inside_cost_nothing():
    assert tvm_ffi.structural_equal(within_bounds(chosen(INSIDE)), chosen(INSIDE))
    assert not tvm_ffi.structural_equal(within_bounds(chosen(OUTSIDE)), chosen(OUTSIDE))
