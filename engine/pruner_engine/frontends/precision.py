"""A float32 model whose matrix products and convolutions work in a smaller float type."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.errors import UserError
from pruner_engine.frontends.hiding import hidden, shown
from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.model import LoadedModel
from pruner_engine.tasks.graph import fields_of, operator_of, rewritten, shape_of
from pruner_engine.tasks.prepare import with_constants
from pruner_engine.tasks.rewrites.batch_norms import fold_batch_norms

#: what soon leaves the range of float16; TVM computes these in the type of the product that they are of
_IN_FLOAT32 = ("cosh", "exp", "log", "power", "rsqrt", "sinh", "square")
_GROUP_NORM = "relax.nn.group_norm"  # TVM has none of bfloat16
_POLICY, _NEVER = "TMixedPrecisionPolicy", 2  # of operators that stay in their type; TVM's for those that say none, too


def in_precision(model: LoadedModel, dtype: str) -> LoadedModel:
    """The model with products in `dtype`, summed in float32; inputs and outputs keep their types.

    What loses too much in a small type stays in float32: exponentials and powers, and what TVM's ToMixedPrecision
    leaves there, such as means and softmax.

    Args:
        dtype: float32 (nothing changes), float16 or bfloat16.

    Raises:
        UserError: the model has floats of another type than float32, or TVM cannot convert it.
    """
    if dtype == model.dtype:
        return model
    others = sorted({s.dtype for s in model.inputs if "float" in s.dtype and s.dtype != "float32"})
    if model.dtype != "float32" or others:
        found = ", ".join(others) or model.dtype
        raise UserError(f"{model.name} has inputs of {found}; only a float32 model is converted.", "Leave out --dtype.")
    _keep_in_float32()
    with importing(model.name):
        # in all their digits, before weights are cast; what follows a norm would stay in float32 with it
        mod = fold_batch_norms(with_constants(model.mod))
        mod = hidden(rewritten(mod, _OfTensors(mod)), _is_to_stay)
        mod = relax.transform.ToMixedPrecision(out_dtype="float32")(relax.transform.ConvertToDataflow()(mod))
        if dtype != "float16":
            mod = _retype(mod, dtype)
        mod = shown(mod)
    return replace(model, mod=mod, dtype=dtype, coarsest=dtype)


@functools.cache
def _keep_in_float32() -> None:
    """Tell TVM of the operators that do not work in a small type."""
    for name in _IN_FLOAT32:
        tvm.ir.Op.get(f"relax.{name}").set_attr(_POLICY, _NEVER, 99)


def _triangle(part: Callable[..., np.ndarray]) -> Callable[..., relax.Expr]:
    def kept(x: relax.Expr, diagonal: int) -> relax.Expr:
        ones = part(np.ones((shape_of(x) or [])[-2:], bool), diagonal)
        return relax.op.where(relax.const(ones), x, relax.const(0, str(x.ty.dtype)))

    return kept


def _clipped(x: relax.Expr, low: float, high: float) -> relax.Expr:
    dtype = str(x.ty.dtype)
    return relax.op.minimum(relax.op.maximum(x, relax.const(low, dtype)), relax.const(high, dtype))


#: operators that are given plain numbers beside their tensor, which ToMixedPrecision refuses: the same of tensors alone
_OF_NUMBERS: dict[str, Callable[..., relax.Expr]] = {
    "relax.clip": _clipped,
    "relax.tril": _triangle(np.tril),
    "relax.triu": _triangle(np.triu),
}


@mutator
class _OfTensors(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if _is_of_depth_one(visited):
            return relax.op.multiply(*visited.args)
        x, *numbers = visited.args or [None]
        known = all(isinstance(number, tirx.IntImm | tirx.FloatImm) for number in numbers)
        if operator_of(visited) not in _OF_NUMBERS or not known or shape_of(x) is None:
            return visited
        return _OF_NUMBERS[visited.op.name](x, *(number.value for number in numbers))


def _is_of_depth_one(call: relax.Call) -> bool:
    """Whether it is a matrix product that sums nothing up, as that of positions and frequencies in rotary embeddings: a
    small type does not tell positions apart, and a product of tensors costs no more.
    """
    if operator_of(call) != "relax.matmul" or str(call.args[0].ty.dtype) != "float32":
        return False
    shapes = [shape_of(factor) or [] for factor in call.args]
    return min(map(len, shapes)) > 1 and shapes[0][-1] == 1


def _is_to_stay(call: relax.Call) -> bool:
    """Whether a call is none that is converted, which TVM would not leave alone."""
    return _is_of_others(call) or _is_given_more(call)


def _is_given_more(call: relax.Call) -> bool:
    """Whether an operator that stays in its type is given something beside tensors, such as an importer's kernel."""
    kinds = [ty for argument in call.args for ty in fields_of(argument.ty)]
    stays = call.op.get_attr(_POLICY) in (None, _NEVER)
    return stays and not all(isinstance(ty, relax.TensorType) for ty in kinds)


def _is_of_others(call: relax.Call) -> bool:
    """Whether it is a product of other numbers than float32, such as bytes, or a cast to halves of the model's own."""
    name = operator_of(call)
    if name == "relax.matmul" or name.startswith("relax.nn.conv"):
        return str(call.args[0].ty.dtype) != "float32"
    return name == "relax.astype" and str(call.ty.dtype) == "float16"


def _retype(mod: tvm.IRModule, dtype: str) -> tvm.IRModule:
    """Casts to float16 become casts to `dtype`; what is computed from them follows."""
    return rewritten(mod, _Retyper(mod, dtype))


@mutator
class _Retyper(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, dtype: str) -> None:
        super().__init__(mod)
        self.dtype = dtype

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        if operator_of(call) == _GROUP_NORM and str(call.ty.dtype) == "float16":
            wide = [self.builder_.emit(relax.op.astype(self.visit_expr(arg), "float32")) for arg in call.args]
            return relax.op.astype(self.builder_.emit(relax.Call(call.op, wide, call.attrs)), self.dtype)
        visited = super().visit_call_(call)
        if operator_of(visited) == "relax.astype" and visited.attrs.dtype == "float16":
            return relax.op.astype(visited.args[0], self.dtype)
        return visited
