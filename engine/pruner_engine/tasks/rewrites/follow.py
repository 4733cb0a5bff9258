"""Transpositions move behind operators that do not care for the order of axes, where they meet the ones back.

TVM's conversion of layouts knows no leaky rectifier, choice or padding: it puts each between two transpositions of all
that comes and goes, and a network of them is slower channels last than as it came.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import (
    EACH,
    bound,
    keeps_elements,
    operator_of,
    order_of,
    parts_of_reshape,
    reshaped,
    rewritten,
    shape_of,
)
from pruner_engine.tasks.rewrites.along_axes import ALONG_AXES, axes_left


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
        if name == "relax.reshape":
            turned = operator_of(bound(self, visited.args[0])) == "relax.permute_dims"
            return self._reshaped(visited) if turned else visited
        order = self._order(visited) if name in EACH or name in ALONG_AXES else None
        if order is None:
            return visited
        moved = self._each(visited, order) if name in EACH else self._along(visited, order)
        if moved is None:
            return visited
        axes = axes_left(visited, order)
        return moved if axes == sorted(axes) else relax.op.permute_dims(self.builder_.emit(moved), axes)

    def _joined(self, call: relax.Call) -> relax.Expr:
        """Two transpositions as one, or none."""
        before = bound(self, call.args[0])
        if operator_of(before) != "relax.permute_dims":
            return call
        inner, outer = order_of(before), order_of(call)
        order = [inner[axis] for axis in outer]
        whole = order == [*range(len(order))]
        return before.args[0] if whole else relax.op.permute_dims(before.args[0], order)

    def _reshaped(self, call: relax.Call) -> relax.Expr:
        """A reshape of what was transposed as a transposition of what was reshaped.

        Where it joins neighbours, such as pixels to tokens of a transformer, nothing else moves. Where it joins others,
        as shuffles of channels and of pixels do, those are brought together before.
        """
        source, shape = bound(self, call.args[0]), shape_of(call)
        before = shape_of(source.args[0])
        if shape is None or before is None:
            return call
        order = order_of(source)
        found = _reshaped_before(before, order, shape)
        if found is None:
            return call
        together, behind = found
        made, still = source.args[0], keeps_elements(together, before)
        if not (_is_channels_first(order) if still else _is_channels_first(behind)):
            return call
        if not still:
            made = self.builder_.emit(relax.op.permute_dims(made, together))
        made = reshaped(made, [shape[behind.index(place)] for place in range(len(shape))])
        return made if behind == sorted(behind) else relax.op.permute_dims(self.builder_.emit(made), behind)

    def _order(self, call: relax.Call) -> list[int] | None:
        """The order of axes that an operand of a call was brought into, channels first; None where none was."""
        found = (bound(self, operand) for operand in self._operands(call))
        orders = (order_of(each) for each in found if operator_of(each) == "relax.permute_dims")
        return next(filter(_is_channels_first, orders), None)

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
        return None if operand is None else ALONG_AXES[call.op.name](call, operand, order)

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


def _reshaped_before(
    before: Sequence[int], order: Sequence[int], shape: Sequence[int]
) -> tuple[list[int], list[int]] | None:
    """How to bring axes together that a reshape of transposed data joins, and how to transpose what it makes of them.

    Args:
        before: shape of the data.
        order: of its axes before they are reshaped.
        shape: that they are given.
    """
    parts = parts_of_reshape([before[axis] for axis in order], list(shape))
    if not parts:
        return None
    found: list[tuple[int, list[int], range]] = []
    for axes, made in parts:
        own = [order[axis] for axis in axes]
        longer = [axis for axis in own if before[axis] != 1]
        first = min(longer or own, default=found[-1][0] if found else 0)
        found.append((first, own, range(made.start, made.stop)))
    found.sort(key=lambda part: part[0])
    places = [axis for _, _, made in found for axis in made]
    return [axis for _, own, _ in found for axis in own], [places.index(axis) for axis in range(len(shape))]


def _is_channels_first(order: Sequence[int]) -> bool:
    return len(order) > 2 and list(order) == [0, len(order) - 1, *range(1, len(order) - 1)]
