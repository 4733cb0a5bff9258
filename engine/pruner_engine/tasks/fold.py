"""Fold constants whose data only moves, without compiling a kernel for each as TVM's FoldConstant does.

A layout change transposes every weight: on DenseNet-121 TVM builds some hundred kernels for that.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.rewriting import bound, operator_of, order_of, rewritten, shape_of


def fold_movement(mod: tvm.IRModule) -> tvm.IRModule:
    """Replace permute_dims, reshape and expand_dims of constants by constants, in "main"."""
    return rewritten(mod, _Folder(mod))


@mutator
class _Folder(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        if name not in ("relax.permute_dims", "relax.reshape", "relax.expand_dims"):
            return visited
        operand, shape = bound(self, visited.args[0]), shape_of(call)
        if not isinstance(operand, GenericConst) or shape is None:
            return visited
        data = operand.value.numpy()
        data = data.transpose(order_of(visited)) if name == "relax.permute_dims" else data.reshape(shape)
        return relax.const(np.asarray(data, order="C"), str(operand.ty.dtype))
