"""Transpositions move behind operators that do not care for the order of axes, where they meet the ones back.

TVM's conversion of layouts knows no leaky rectifier, choice or padding: it puts each between two transpositions of all
that comes and goes, and a network of them is slower channels last than as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.rewriting import (
    BINARY,
    UNARY,
    bound,
    operator_of,
    order_of,
    parts_of_reshape,
    rewritten,
    shape_of,
)

_COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_SIMPLE = ("isnan", "logical_and", "logical_not", "logical_or", "nn.softplus", "power", "round", "sign", "where")
_EACH = UNARY | BINARY | {f"relax.{name}" for name in (*_COMPARED, *_SIMPLE)}  # element by element


def follow_layout(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with transpositions behind such operators in "main"; a transposition and the one back vanish."""
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Sinker(mod)))


@mutator
class _Sinker(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        if name == "relax.permute_dims":
            return self._joined(visited)
        known = name in _EACH or name in _ALONG or name == "relax.reshape"
        order = self._order(visited) if known else None
        if order is None:
            return visited
        if name == "relax.reshape":
            return self._reshaped(visited, order)
        moved = self._each(visited, order) if name in _EACH else self._along(visited, order)
        return visited if moved is None else relax.op.permute_dims(self.builder_.emit(moved), order)

    def _joined(self, call: relax.Call) -> relax.Expr:
        """Two transpositions as one, or none."""
        before = bound(self, call.args[0])
        if operator_of(before) != "relax.permute_dims":
            return call
        inner, outer = order_of(before), order_of(call)
        order = [inner[axis] for axis in outer]
        whole = order == [*range(len(order))]
        return before.args[0] if whole else relax.op.permute_dims(before.args[0], order)

    def _reshaped(self, call: relax.Call, order: Sequence[int]) -> relax.Expr:
        """A reshape of what was transposed as a transposition of what was reshaped, where it joins neighbours.

        Pixels in a row, as tokens of a transformer, are so channels last, as they came.
        """
        before, shape = bound(self, call.args[0]).args[0], shape_of(call)
        if shape is None or shape_of(before) is None:
            return call
        behind = _reshaped_before(shape_of(before) or [], order, shape)
        if behind is None:
            return call
        made = relax.op.reshape(before, [shape[axis] for axis in behind])
        if behind == sorted(behind):
            return made
        return relax.op.permute_dims(self.builder_.emit(made), [behind.index(axis) for axis in range(len(behind))])

    def _order(self, call: relax.Call) -> list[int] | None:
        """The order of axes that an operand of a call was brought into, channels first; None where none was."""
        found = (bound(self, operand) for operand in self._operands(call))
        orders = (order_of(each) for each in found if operator_of(each) == "relax.permute_dims")
        return next((order for order in orders if order == [0, len(order) - 1, *range(1, len(order) - 1)]), None)

    def _operands(self, call: relax.Call) -> Sequence[relax.Expr]:
        first = bound(self, call.args[0])
        return list(first.fields) if isinstance(first, relax.Tuple) else list(call.args)

    def _each(self, call: relax.Call, order: Sequence[int]) -> relax.Expr | None:
        operands = [self._back(operand, order) for operand in call.args]
        known = [operand for operand in operands if operand is not None]
        return relax.Call(call.op, known, call.attrs) if len(known) == len(operands) else None

    def _along(self, call: relax.Call, order: Sequence[int]) -> relax.Expr | None:
        parts = bound(self, call.args[0])
        if isinstance(parts, relax.Tuple):
            back = [self._back(part, order) for part in parts.fields]
            operand = None if any(part is None for part in back) else relax.Tuple(back)
        else:
            operand = self._back(parts, order)
        return None if operand is None else _ALONG[call.op.name](call, operand, order)

    def _back(self, operand: relax.Expr, order: Sequence[int]) -> relax.Expr | None:
        """What an operand was before its axes were brought into an order; None where it came in no order."""
        before, shape = bound(self, operand), shape_of(operand)
        if operator_of(before) == "relax.permute_dims":
            return before.args[0] if order_of(before) == [*order] else None
        if not isinstance(operand.ty, relax.TensorType) or shape == []:
            return operand
        if not isinstance(before, GenericConst) or shape is None or len(shape) > len(order):
            return None
        values = before.value.numpy().reshape([1] * (len(order) - len(shape)) + shape)
        inverse = sorted(range(len(order)), key=lambda place: order[place])
        return relax.const(values.transpose(inverse).copy(), str(operand.ty.dtype))


def _reshaped_before(before: Sequence[int], order: Sequence[int], shape: Sequence[int]) -> list[int] | None:
    """The axes of a reshape of transposed data in the order that they have without the transposition.

    None where it makes one axis of some that do not lie together then.

    Args:
        before: shape of the data.
        order: of its axes before they are reshaped.
        shape: that they are given.
    """
    parts = parts_of_reshape([before[axis] for axis in order], list(shape))
    places = [place for place, extent in enumerate(before) if extent != 1]
    found: list[tuple[int, range]] = []
    for axes, made in parts or ():
        own = [order[axis] for axis in axes if before[order[axis]] != 1]
        if own and own != places[places.index(own[0]) :][: len(own)]:
            return None
        first = own[0] if own else min((order[axis] for axis in axes), default=found[-1][0] if found else 0)
        found.append((first, range(made.start, made.stop)))
    return [axis for _, made in sorted(found, key=lambda part: part[0]) for axis in made] if parts else None


def _padded(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr:
    widths = [int(width) for width in call.attrs.pad_width]
    pairs = dict(zip(order, zip(widths[::2], widths[1::2], strict=True), strict=True))
    flat = [width for axis in range(len(order)) for width in pairs[axis]]
    return relax.op.nn.pad(operand, flat, call.attrs.pad_mode, call.attrs.pad_value)


def _sliced(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr:
    axes = [order[int(axis.value) % len(order)] for axis in call.args[1].fields]
    return relax.op.strided_slice(operand, axes, *call.args[2:], assume_inbound=call.attrs.assume_inbound)


def _taken(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr | None:
    """By a row of indices, which keeps the axes that there are."""
    indices = call.args[1]
    if call.attrs.axis is None or not isinstance(indices.ty, relax.TensorType) or indices.ty.ndim != 1:
        return None
    return relax.op.take(operand, indices, order[int(call.attrs.axis) % len(order)], call.attrs.mode)


#: operators along axes: of a call, its operand (or tuple of them) in another order, and that order
_ALONG: dict[str, Callable[[relax.Call, relax.Expr, Sequence[int]], relax.Expr | None]] = {
    "relax.concat": lambda call, parts, order: relax.op.concat(parts, order[int(call.attrs.axis) % len(order)]),
    "relax.nn.log_softmax": lambda call, x, order: relax.op.nn.log_softmax(x, order[int(call.attrs.axis) % len(order)]),
    "relax.nn.pad": _padded,
    "relax.strided_slice": _sliced,
    "relax.take": _taken,
}
