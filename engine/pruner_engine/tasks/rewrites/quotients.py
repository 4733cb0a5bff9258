"""Writes quotients by a constant 0, which TVM refuses to compile, as products with infinity."""

from __future__ import annotations

import math

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, operator_of, rewritten, shape_of


def without_zero_divisors(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose quotients by the constant 0 in "main" are infinite, or NaN where 0 is divided."""
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.divide" or "float" not in str(visited.ty.dtype):
            return visited
        divisor = bound(self, visited.args[1])
        if not isinstance(divisor, GenericConst) or shape_of(divisor) != []:
            return visited
        zero = divisor.value.numpy().item()
        if zero != 0:
            return visited
        infinite = relax.const(np.copysign(math.inf, zero), str(divisor.ty.dtype))
        return relax.op.multiply(visited.args[0], infinite)
