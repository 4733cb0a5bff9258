"""Parts of a tensor are taken before it is moved, and compute the same."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.relax import op

from graphs import emitted
from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.simplify import simplify
from pruner_engine.tasks.rewrites.slices import parts_first

HOST = resolve_target("auto")


def const(*shape: int) -> relax.Expr:
    return relax.const(np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32"))


def indices(*numbers: int) -> relax.Expr:
    return relax.const(np.array(numbers), "int64")


def together(x: relax.Var) -> relax.Expr:
    """Queries, keys and values of two heads: [3, 1, 2, 6, 4]."""
    heads = op.reshape(op.matmul(op.reshape(x, (6, 8)), const(8, 24)), (1, 6, 3, 2, 4))
    return op.permute_dims(heads, [2, 0, 3, 1, 4])


def attention(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Taken apart by a split, as PyTorch exports `unbind`."""
    split = builder.emit(op.split(together(x), 3, axis=0))
    q, k, v = (op.squeeze(relax.TupleGetItem(split, i), [0]) for i in range(3))
    scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2]))
    return op.matmul(op.nn.softmax(scores, axis=-1), v)


def gathered(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Taken apart by single indices, as ONNX models have it."""
    q, k, v = (op.take(together(x), relax.const(i, "int64"), axis=0) for i in range(3))
    return op.add(op.multiply(q, k), v)


def shifted(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Windows of two rows and two columns, shifted by one."""
    image = op.reshape(x, (1, 6, 4, 2))
    moved = op.take(op.take(image, indices(1, 2, 3, 4, 5, 0), axis=1), indices(3, 0, 1, 2), axis=2)
    return op.permute_dims(op.reshape(moved, (1, 3, 2, 2, 2, 2)), [0, 1, 3, 2, 4, 5])


def kept(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """A part across what was one axis, one with gaps, and indices in no order."""
    across = builder.emit(op.strided_slice(builder.emit(op.reshape(x, (2, 24))), [1], [2], [9]))
    gaps = builder.emit(op.strided_slice(builder.emit(op.permute_dims(x, [2, 0, 1])), [0], [0], [7], [2]))
    gathered = builder.emit(op.take(x, indices(5, 1, 3), axis=1))
    return op.concat([builder.emit(op.reshape(y, (-1,))) for y in (across, gaps, gathered)], 0)


def ends(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Bounds that count from the end, and one beyond it."""
    return op.strided_slice(op.permute_dims(x, [0, 2, 1]), [-1], [-4], [100])


def moved_from_the_end(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Axes that count from the end."""
    return op.strided_slice(op.permute_dims(op.reshape(x, (6, 2, 4)), [-1, 0, -2]), [0], [1], [3])


CASES = [(attention, ["matmul"]), (gathered, ["matmul"]), (shifted, []), (ends, []), (moved_from_the_end, [])]


def calls(mod: tvm.IRModule) -> list[relax.Call]:
    bindings = [binding for block in mod["main"].body.blocks for binding in block.bindings]
    return [binding.value for binding in bindings if isinstance(binding.value, relax.Call)]


def run(mod: tvm.IRModule) -> np.ndarray:
    x = np.random.default_rng(7).standard_normal((1, 6, 8)).astype("float32")
    return machine_of(mod, HOST)["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize("function", [attention, gathered, shifted, kept, ends, moved_from_the_end])
def test_the_result_is_the_same(function):
    mod = emitted((1, 6, 8), function)
    np.testing.assert_allclose(run(prepare(mod, HOST)), run(mod), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("function", "before"), CASES)
def test_a_part_is_taken_before_anything_moves(function, before):
    names = [call.op.name.removeprefix("relax.") for call in calls(parts_first(simplify(emitted((1, 6, 8), function))))]
    assert "take" not in names
    first = names.index("strided_slice")
    assert [name for name in names[:first] if name not in ("reshape", "split")] == before


def test_what_cannot_be_taken_before_stays():
    mod = emitted((1, 6, 8), kept)
    assert [call.op.name for call in calls(parts_first(mod))] == [call.op.name for call in calls(mod)]


def test_each_of_queries_keys_and_values_is_moved_by_one_kernel():
    """The input's other shape, its product, three moves, two products and a softmax between them."""
    assert len(calls(prepare(emitted((1, 6, 8), attention), HOST))) == 8


def sums_of_parts(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    none = op.strided_slice(x, [2], [0], [0])
    parts = op.strided_slice(emit_shape(builder, none, (2, 3, 4, 0, 1)), [0], [0], [1])
    return op.sum(builder.emit(parts), axis=[0, 3])


def sums_of_rows(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    none = op.strided_slice(x, [2], [0], [0])
    return op.sum(builder.emit(op.multiply(emit_shape(builder, none, (24, 0)), const(24, 1))), axis=[1])


def emit_shape(builder: relax.BlockBuilder, x: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
    """Not by `op.reshape`, which takes 0 for the extent that was there before."""
    return builder.emit(relax.Call(tvm.ir.Op.get("relax.reshape"), [builder.emit(x), relax.ShapeExpr(shape)]))


@pytest.mark.parametrize(("function", "shape"), [(sums_of_parts, (3, 4, 1)), (sums_of_rows, (24,))])
def test_what_has_no_elements_keeps_its_shape(function, shape):
    x = np.random.default_rng(1).standard_normal((6, 4, 5)).astype("float32")
    machine = machine_of(prepare(emitted((6, 4, 5), function), HOST), HOST)
    np.testing.assert_array_equal(machine["main"](tvm.runtime.tensor(x)).numpy(), np.zeros(shape, "float32"))
