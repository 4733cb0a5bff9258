"""Take parts of tensors before their data moves: each part then moves on its own, in one kernel with what follows.

Attention reshapes and transposes queries, keys and values together, and takes them apart behind that: all of them are
written in the new order, and then each once more. A part that is taken before is moved once. Shifted windows are
gathered by constant indices, which no kernel around takes up; as parts that are put together anew they fuse.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, nodes_of, operator_of, order_of, reshaped, rewritten, shape_of

_RUNS = 2  # of indices: more parts are more cases than one gather is worth
_PARTS = 3  # of a tensor, queries, keys and values: each of more, such as the steps of a sequence, would be a kernel
_SLICING = ("relax.strided_slice", "relax.take")


def parts_first(mod: tvm.IRModule) -> tvm.IRModule:
    """Move slices before reshapes and transposes, and write gathers of few runs of indices as slices, in "main"."""
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Parts(mod)))


@mutator
class _Parts(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        slices = (node for node in nodes_of(mod["main"]) if operator_of(node) in _SLICING)
        self._parts = Counter(node.args[0] for node in slices)  # that are taken of a tensor

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(call) not in _SLICING or self._parts[call.args[0]] > _PARTS or not _holds_data(call):
            return visited
        if operator_of(visited) == "relax.strided_slice":
            bounds = _bounds(visited)
            return visited if bounds is None else self._part(visited.args[0], *bounds)
        taken = self._taken(visited)
        return visited if taken is None else taken

    def _part(self, operand: relax.Expr, axis: int, begin: int, end: int) -> relax.Expr:
        """What lies between two places of an axis."""
        made = bound(self, operand)
        name = operator_of(made)
        if name == "relax.permute_dims":
            order = order_of(made)
            return relax.op.permute_dims(self._emitted(made.args[0], order[axis], begin, end), order)
        before = shape_of(made.args[0]) if name == "relax.reshape" else None
        if before is not None:
            shape = shape_of(operand) or []
            source = _before_reshape(before, shape, axis)
            if source is not None:
                place, times = source
                part = self._emitted(made.args[0], place, begin * times, end * times)
                return reshaped(part, [*shape[:axis], end - begin, *shape[axis + 1 :]])
        return relax.op.strided_slice(operand, [axis], [begin], [end])

    def _emitted(self, operand: relax.Expr, axis: int, begin: int, end: int) -> relax.Expr:
        return self.builder_.emit(self._part(operand, axis, begin, end))

    def _taken(self, call: relax.Call) -> relax.Expr | None:
        operand, indices = call.args
        shape, wanted = shape_of(operand), shape_of(call)
        if not isinstance(indices, GenericConst) or call.attrs.axis is None or shape is None or wanted is None:
            return None
        axis = int(call.attrs.axis) % len(shape)
        numbers = indices.value.numpy()
        if numbers.ndim > 1 or not numbers.size or numbers.min() < 0 or numbers.max() >= shape[axis]:
            return None
        runs = _runs(np.atleast_1d(numbers))
        if len(runs) > _RUNS:
            return None
        parts = [self._emitted(operand, axis, *run) for run in runs]
        if len(parts) == 1:
            return reshaped(parts[0], wanted) if numbers.ndim == 0 else parts[0]
        return relax.op.concat(parts, axis)


def _holds_data(call: relax.Call) -> bool:
    """Whether a slice is of numbers of a known shape; whole numbers may be extents that TVM computes."""
    ty = call.args[0].ty
    return shape_of(call) is not None and shape_of(call.args[0]) is not None and "float" in str(ty.dtype)


def _bounds(call: relax.Call) -> tuple[int, int, int] | None:
    """Axis, begin and end of a slice of one axis without gaps; None of others."""
    axes, begins, ends, *strides = map(_numbers, call.args[1:])
    shape = shape_of(call.args[0])
    if not axes or len(axes) > 1 or not begins or not ends or shape is None or any(step != [1] for step in strides):
        return None
    axis = axes[0] % len(shape)
    begin, end = (min(max(at + shape[axis] if at < 0 else at, 0), shape[axis]) for at in (begins[0], ends[0]))
    return (axis, begin, end) if begin < end else None


def _numbers(values: relax.Expr) -> list[int] | None:
    """A tuple of whole numbers; None where one is not known."""
    known = isinstance(values, relax.Tuple) and all(isinstance(field, tvm.tirx.IntImm) for field in values.fields)
    return [int(field) for field in values.fields] if known else None


def _before_reshape(before: Sequence[int], shape: Sequence[int], axis: int) -> tuple[int, int] | None:
    """The axis of `before` that parts of an axis of `shape` are parts of, and how many of its places one place is."""
    if 0 in before:
        return None
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    for place, extent in enumerate(before):
        around, within = math.prod(before[:place]), math.prod(before[place + 1 :])
        if around == outer and extent > 1 and inner % within == 0:
            return place, inner // within
    return None


def _runs(numbers: np.ndarray) -> list[tuple[int, int]]:
    """First index of each run of ascending ones, and the one behind its last."""
    gaps = np.flatnonzero(np.diff(numbers) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, gaps)]
