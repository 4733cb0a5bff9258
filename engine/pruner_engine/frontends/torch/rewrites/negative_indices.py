"""Indices that count from the end, as PyTorch has them: TVM's `take` would read memory before the tensor."""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import operator_of, rewritten


def count_from_the_start(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose `take` operations in "main" get no constant negative index.

    Computed ones are mapped where a program indexes; elsewhere (embeddings) PyTorch refuses negative numbers itself.
    """
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.take":
            return visited
        data, indices = visited.args
        if not isinstance(indices, GenericConst):
            return visited
        shape = list(data.ty.shape) if isinstance(data.ty.shape, relax.ShapeExpr) else []
        axis = visited.attrs.axis
        if not shape or (axis is None and len(shape) > 1):
            return visited
        extent = shape[int(axis or 0)]
        numbers = indices.value.numpy()
        if (numbers >= 0).all():
            return visited
        if not isinstance(extent, (int, tirx.IntImm)):
            return relax.op.take(data, indices, axis, "wrap")
        dtype = str(indices.ty.dtype)
        counted = relax.const(np.where(numbers < 0, numbers + int(extent), numbers).astype(dtype), dtype)
        return relax.op.take(data, counted, axis, visited.attrs.mode)
