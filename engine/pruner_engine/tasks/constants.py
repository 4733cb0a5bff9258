"""Constants of a graph computed by NumPy: TVM's FoldConstant compiles a kernel for each, which takes minutes where a
network has hundreds of batch norms. What is not known here is left to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.rewriting import bound, operator_of, rewritten, shape_of

_Rule = Callable[..., Any]

# of the operands; the result takes the type and the shape that the graph says
_ELEMENTWISE: dict[str, _Rule] = {
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power")},
    **{name: getattr(np, name) for name in ("negative", "sqrt", "exp", "log", "abs", "tanh", "where")},
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    **{name: lambda x: x for name in ("astype", "reshape", "expand_dims", "squeeze", "flatten")},
}


def fold_constants(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with results in place of arithmetic, types, shapes and transpositions of constants in "main"."""
    return rewritten(mod, _Folder(mod))


@mutator
class _Folder(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited).removeprefix("relax.")
        if name not in _ELEMENTWISE and name not in ("permute_dims", "broadcast_to"):
            return visited
        shape = shape_of(visited)
        known = [bound(self, arg) for arg in visited.args if not isinstance(arg, relax.ShapeExpr)]
        if shape is None or not all(isinstance(value, GenericConst | tirx.IntImm | tirx.FloatImm) for value in known):
            return visited
        operands = [_numbers(value) for value in known]
        with np.errstate(all="ignore"):
            if name == "permute_dims":
                axes = visited.attrs.axes
                made = np.transpose(operands[0], None if axes is None else [int(axis) for axis in axes])
            elif name == "broadcast_to":
                made = np.broadcast_to(operands[0], shape)
            else:
                made = _ELEMENTWISE[name](*operands)
        dtype = str(visited.ty.dtype)  # said, as TVM would narrow numbers of 64 bits
        # no np.ascontiguousarray, which gives a number without axes one
        return relax.const(np.asarray(made, dtype, order="C").reshape(shape), dtype)


def _numbers(constant: relax.Expr) -> np.ndarray:
    if isinstance(constant, GenericConst):
        return np.asarray(constant.value.numpy())
    return np.asarray(constant.value, str(constant.ty.dtype))
