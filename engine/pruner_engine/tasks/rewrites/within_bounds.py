"""Indices that may lie outside: a kernel reads, or puts, the nearest element then, never other memory.

Axes that count from the end, too: by those of `squeeze`, TVM's conversion of layouts writes before a string, and fails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten, shape_of

_FROM_THE_END = "relax.scatter_elements"  # of which indices may count from there
_COUNTED = (_FROM_THE_END, "relax.scatter_nd", "relax.gather_elements", "relax.gather_nd")


def within_bounds(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose operations in "main" clip indices that are computed, given, or constant and outside.

    Axes of `squeeze` count from the first one.
    """
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) == "relax.squeeze" and visited.attrs.axis and min(visited.attrs.axis) < 0:
            (data,) = visited.args
            return relax.op.squeeze(data, [int(axis) % data.ty.ndim for axis in visited.attrs.axis])
        if operator_of(visited) == "relax.take":
            return self._taken(visited)
        if operator_of(visited) in _COUNTED:
            return self._counted(visited)
        return visited

    def _taken(self, call: relax.Call) -> relax.Expr:
        data, indices = call.args
        shape, axis = shape_of(data), call.attrs.axis
        extent = None if shape is None else math.prod(shape) if axis is None else shape[axis]
        if call.attrs.mode != "fast" or (extent is not None and self._inside(indices, 0, extent - 1)):
            return call
        return relax.op.take(data, indices, axis, "clip")

    def _counted(self, call: relax.Call) -> relax.Expr:
        data, indices, *rest = call.args
        extents = _extents(call)
        if extents is None:
            return call
        dtype = str(indices.ty.dtype)
        highest = np.array(extents, dtype) - 1
        lowest = -highest - 1 if operator_of(call) == _FROM_THE_END else np.zeros_like(highest)
        if self._inside(indices, lowest, highest):
            return call
        above = self.builder_.emit(relax.op.maximum(indices, relax.const(lowest, dtype)))
        places = self.builder_.emit(relax.op.minimum(above, relax.const(highest, dtype)))
        return relax.Call(call.op, [data, places, *rest], call.attrs)

    def _inside(self, indices: relax.Expr, lowest: int | np.ndarray, highest: int | np.ndarray) -> bool:
        """Whether they are constants within bounds, which may differ along their last axis."""
        known = bound(self, indices)
        if not isinstance(known, GenericConst):
            return False
        places = known.value.numpy()
        return bool(((places >= lowest) & (places <= highest)).all())


def _extents(call: relax.Call) -> Sequence[int] | int | None:
    """Of the axis that indices count along, or of those that each of them names; None where one is not known."""
    shape, places = shape_of(call.args[0]), shape_of(call.args[1])
    if shape is None or places is None:
        return None
    if operator_of(call).endswith("elements"):
        return shape[call.attrs.axis]
    first = int(getattr(call.attrs, "batch_dims", 0))
    return shape[first : first + places[-1]]
