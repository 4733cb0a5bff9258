"""Indices that lie outside of what they address never reach other memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
import tvm_ffi
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import host_target
from pruner_engine.tasks.prepare import layouts, prepare
from pruner_engine.tasks.rewrites.within_bounds import within_bounds

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


def by_places(shapes: list[tuple[int, ...]], make: Callable[..., relax.Expr]) -> tvm.IRModule:
    """What is made of a table of 10 rows of 4, places that are given, and numbers that are."""
    builder, kinds = relax.BlockBuilder(), ("int64", "float32")
    given = [relax.Var("x", relax.TensorType(TABLE.shape, "float32"))]
    given += [relax.Var(kind, relax.TensorType(shape, kind)) for shape, kind in zip(shapes, kinds, strict=False)]
    with builder.function("main", given):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(make(*given)))
        builder.emit_func_output(out)
    return builder.get()


@pytest.mark.parametrize("column", [2, 4, -5, 10**9])
def test_elements_are_read_and_put_at_the_nearest_place(column: int):
    nearest, places = min(max(column, 0), 3), np.full((10, 1), column, "int64")
    gathered = outcome(by_places([(10, 1)], lambda x, i: op.gather_elements(x, i, axis=1)), TABLE, places)
    np.testing.assert_array_equal(gathered, TABLE[:, nearest : nearest + 1])
    put = by_places([(10, 1), (10, 1)], lambda x, i, u: op.scatter_elements(x, i, u, axis=-1))
    wanted = TABLE.copy()
    wanted[:, nearest] = -1.0
    np.testing.assert_array_equal(outcome(put, TABLE, places, np.full((10, 1), -1.0, "float32")), wanted)


@pytest.mark.parametrize("row, column", [(9, 0), (10, 1), (3, 4), (-1, -1), (10**9, -(10**9))])
def test_so_are_those_that_several_indices_name(row: int, column: int):
    nearest, places = (min(max(row, 0), 9), min(max(column, 0), 3)), np.array([[row, column]], "int64")
    gathered = outcome(by_places([(1, 2)], op.gather_nd), TABLE, places)
    np.testing.assert_array_equal(gathered, [TABLE[nearest]])
    wanted = TABLE.copy()
    wanted[nearest] = -1.0
    put = by_places([(1, 2), (1,)], lambda x, i, u: op.scatter_nd(x, i, u, "update"))
    np.testing.assert_array_equal(outcome(put, TABLE, places, np.array([-1.0], "float32")), wanted)


def test_scattering_counts_from_the_end():
    put = by_places([(10, 1), (10, 1)], lambda x, i, u: op.scatter_elements(x, i, u, axis=1))
    wanted = TABLE.copy()
    wanted[:, 3] = -1.0
    places, numbers = np.full((10, 1), -1, "int64"), np.full((10, 1), -1.0, "float32")
    np.testing.assert_array_equal(outcome(put, TABLE, places, numbers), wanted)


def test_constants_that_lie_inside_cost_nothing():
    assert tvm_ffi.structural_equal(within_bounds(chosen(INSIDE)), chosen(INSIDE))
    assert not tvm_ffi.structural_equal(within_bounds(chosen(OUTSIDE)), chosen(OUTSIDE))


def test_an_axis_that_counts_from_the_end_keeps_no_convolution_from_its_layout():
    """As those between the parts of PyTorch's attention, whose squeezed axis is the last but one."""

    def network(x, filters, weights):
        image = op.nn.relu(op.nn.conv2d(x, filters, padding=1))
        rows = op.matmul(op.reshape(image, (8, 64)), weights)
        parts = op.permute_dims(op.expand_dims(op.reshape(rows, (8, 1, 3, 16)), [0]), [3, 1, 2, 0, 4])
        return op.squeeze(parts, [-2])

    mod = graph(network, (1, 3, 8, 8), constants=[(8, 3, 3, 3), (64, 48)])
    found = layouts(mod, host_target())
    assert found.channels_last is not None
    image = np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype("float32")
    machines = [machine_of(found.prepared(name)) for name in ("own", "channels-last")]
    both = [machine["main"](tvm.runtime.tensor(image)).numpy() for machine in machines]
    assert both[0].shape == (3, 8, 1, 16)
    np.testing.assert_allclose(*both, rtol=1e-4, atol=1e-4)
