"""Lets small floats (float16, bfloat16) be summed in float32, as PyTorch and ONNX Runtime do it, and powers computed.

TVM sums in the type of the data: in float16, ones add up to no more than 2048. Some functions it has not of them, and
the exponentials of which it makes others leave their range.
"""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, fields_of, nodes_of, operator_of, rewritten

_WIDE = "float32"
SUMMED_AS = {"float16": _WIDE, "bfloat16": _WIDE}  # what sums of a type are computed in; others in themselves
_SUMS = {
    *(f"relax.{name}" for name in ("einsum", "mean", "prod", "std", "sum", "variance")),
    *("relax.nn.log_softmax", "relax.nn.softmax"),
    *(f"relax.nn.{kind}avg_pool{axes}d" for kind in ("", "adaptive_") for axes in (1, 2, 3)),
}
_RUNNING = {"relax.cumprod": relax.op.cumprod, "relax.cumsum": relax.op.cumsum}
# of which TVM has no kernel of one of the small types
_WIDE_ALONE = {
    *(f"relax.{name}" for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "cosh", "sinh")),
    *(f"relax.{name}" for name in ("floor_mod", "mod", "power")),
}
_TAILS = {"relax.sigmoid", "relax.tanh"}  # whose steps leave a half's range or precision, not their results
# whose results are no floats
_OF_WIDE = {f"relax.{name}" for name in ("argmax", "argmin", "isfinite", "isinf", "isnan")}
_CONVOLUTIONS = {f"relax.nn.conv{axes}d{kind}" for axes in (1, 2, 3) for kind in ("", "_transpose")}
_FORM = ("strides", "padding", "dilation", "groups", "data_layout", "kernel_layout", "out_layout")


def summed_in_float32(mod: tvm.IRModule) -> tvm.IRModule:
    """The module whose products, sums and means of small floats in "main" are float32 until they are complete, as are
    functions of which TVM has no kernel of small floats.

    Products that say themselves what they are summed in stay as they are.
    """
    return rewritten(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) in _OF_WIDE and str(visited.args[0].ty.dtype) in SUMMED_AS:
            return relax.Call(visited.op, [_widened(visited.args[0])], visited.attrs)
        dtype = str(getattr(call.ty, "dtype", ""))
        summed = self._in_float32(visited) if dtype in SUMMED_AS else None
        return visited if summed is None else relax.op.astype(self.builder_.emit(summed), dtype)

    def _in_float32(self, call: relax.Call) -> relax.Call | None:
        """A logarithm of a sigmoid is one without rounding between: where a half is 0, it is finite."""
        if operator_of(call) == "relax.log":
            rounded = bound(self, call.args[0])
            wide = rounded.args[0] if operator_of(rounded) == "relax.astype" else None
            if operator_of(bound(self, wide)) == "relax.sigmoid":
                return relax.op.log(wide)
        return _summed(call)


def _summed(call: relax.Call) -> relax.Call | None:
    """The sum or function that a call makes, in float32; None where it makes neither."""
    name, attrs = operator_of(call), call.attrs
    if name in _SUMS | _WIDE_ALONE | _TAILS:
        return relax.Call(call.op, [_widened(arg) for arg in call.args], attrs)
    if name in _RUNNING:
        return _RUNNING[name](_widened(call.args[0]), attrs.axis, _WIDE, bool(attrs.exclusive))
    if getattr(attrs, "out_dtype", None):
        return None
    if name == "relax.matmul":
        return relax.op.matmul(*call.args, out_dtype=_WIDE)
    if name in _CONVOLUTIONS:
        form = [*_FORM, "output_padding"] if name.endswith("_transpose") else _FORM
        convolve = getattr(relax.op.nn, name.removeprefix("relax.nn."))
        return convolve(*call.args, **{key: getattr(attrs, key) for key in form}, out_dtype=_WIDE)
    return None


def _widened(value: relax.Expr) -> relax.Expr:
    if isinstance(value, relax.Tuple):
        return relax.Tuple([_widened(field) for field in value.fields])
    return relax.op.astype(value, _WIDE)


def coarsest_float(mod: tvm.IRModule) -> str:
    """The type with the fewest bits among the floats that "main" computes, whatever goes in and comes out."""
    types = (ty for node in nodes_of(mod["main"]) if isinstance(node, relax.Call) for ty in fields_of(node.ty))
    found = {str(ty.dtype) for ty in types if isinstance(ty, relax.TensorType)}
    return next((dtype for dtype in ("bfloat16", "float16") if dtype in found), "float32")
