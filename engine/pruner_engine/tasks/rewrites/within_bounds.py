"""Indices that may lie outside: a kernel reads the nearest element then, never other memory.

Axes that count from the end, too: by those of `squeeze`, TVM's conversion of layouts writes before a string, and fails.
"""

from __future__ import annotations

import math

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten, shape_of


def within_bounds(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose `take` operations in "main" clip indices that are computed, given, or constant and outside.

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
        if operator_of(visited) != "relax.take" or visited.attrs.mode != "fast":
            return visited
        data, indices = visited.args
        if _inside(bound(self, indices), data, visited.attrs.axis):
            return visited
        return relax.op.take(data, indices, visited.attrs.axis, "clip")


def _inside(indices: relax.Expr, data: relax.Expr, axis: int | None) -> bool:
    """Whether indices are constants that an axis of `data`, or without one all of it, is known to hold."""
    extents = shape_of(data)
    if not isinstance(indices, GenericConst) or extents is None:
        return False
    places = indices.value.numpy()
    extent = math.prod(extents) if axis is None else extents[axis]
    return not places.size or (places.min() >= 0 and places.max() < extent)
