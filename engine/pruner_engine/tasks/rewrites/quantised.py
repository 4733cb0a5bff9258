"""Quantised numbers as the arithmetic that they stand for, which layouts, fusion and rewrites of a graph know.

A tensor of bytes q with a scale s and a zero z stands for (q - z) · s; a number x is quantised to
min(max(round(x / s) + z, least), most).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bindings_of, nodes_of, operator_of, rewritten, shape_of

_MAKE, _TAKE = "relax.quantize", "relax.dequantize"
ROUNDED_ELSEWHERE = "pruner.rounded_elsewhere"  # attribute of a "main" that keeps real what the file's runtime rounds
_SHIFT = 128  # from signed bytes to unsigned ones
_ARITHMETIC = {
    *("abs", "add", "clip", "divide", "erf", "exp", "maximum", "minimum", "multiply", "negative", "power", "rsqrt"),
    *("sigmoid", "sqrt", "square", "subtract", "tanh", "nn.gelu", "nn.relu", "nn.silu"),
}


def in_arithmetic(mod: tvm.IRModule) -> tvm.IRModule:
    """Write out `quantize` and `dequantize` of bytes in "main".

    Signed bytes that are only read to be real numbers again become unsigned ones: processors multiply these. Numbers
    that are quantised and taken as real again on the way from one arithmetic to the next, as all steps of a GELU are in
    some models, are no bytes in between: such a kernel would be fifty stages, which take LLVM half a minute.
    """
    return rewritten(mod, _Writer(mod))


def rounds_to_bytes(mod: tvm.IRModule) -> bool:
    """Whether "main" rounds real numbers to bytes, as quantised models do, or the runtime of the model's file does."""
    if (mod["main"].attrs or {}).get(ROUNDED_ELSEWHERE, False):
        return True
    casts = (node for node in nodes_of(mod["main"]) if operator_of(node) in (_MAKE, "relax.astype"))
    kinds = ((str(getattr(cast.args[0].ty, "dtype", "")), str(getattr(cast.ty, "dtype", ""))) for cast in casts)
    return any("float" in given and made in ("int8", "uint8") for given, made in kinds)


@mutator
class _Writer(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self._inner = _only_taken(mod["main"])
        self._bindings, self._readers = _bindings_of(mod["main"])
        self._shifted: set[relax.Var] = set()

    def visit_var_binding_(self, binding: relax.VarBinding) -> None:
        """Called for each binding: notes which tensors are held as other bytes than the graph says."""
        value = binding.value
        if _makes_bytes(value) and value.attrs.out_dtype == "int8" and binding.var in self._inner:
            made = self.builder_.emit(self._quantised(self._visited(value), _SHIFT))
            self._shifted.add(made)
            self.set_var_remap(binding.var, made)
        elif (rounded := self._rounded(binding)) is not None:
            self.set_var_remap(binding.var, self._emit(rounded))
        else:
            super().visit_var_binding_(binding)

    def _visited(self, call: relax.Call) -> relax.Call:
        return relax.Call(call.op, [self.visit_expr(arg) for arg in call.args], call.attrs)

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if _makes_bytes(call):
            return self._quantised(visited, 0)
        if _takes_real(call):
            return self._real(visited)
        if operator_of(call) == "relax.multiply" and shape_of(call):
            return relax.op.multiply(*map(self._with_axes, call.args, visited.args))
        return visited

    def _with_axes(self, original: relax.Expr, operand: relax.Expr) -> relax.Expr:
        """An operand; where it is the product of a computed number and a constant one, that with an axis.

        Dynamic quantisation multiplies the scale of an operand by that of the weights: `_along` tells why.
        """
        product = self._bindings.get(original)
        if product is None or operator_of(product) != "relax.multiply" or shape_of(product) != []:
            return operand
        if not any(isinstance(arg, GenericConst) for arg in product.args):
            return operand
        return self._emit(relax.op.multiply(*(_along(self.visit_expr(arg), -1, 1) for arg in product.args)))

    def _quantised(self, call: relax.Call, shift: int) -> relax.Expr:
        x, scale, zero = call.args
        bounds = np.iinfo(str(call.attrs.out_dtype))
        along = partial(_along, axis=int(call.attrs.axis), rank=len(shape_of(x) or ()))
        if isinstance(scale, GenericConst):  # a division takes a processor many times as long as a product
            part: relax.Expr = relax.const(1 / scale.value.numpy())
        else:
            part = self._emit(relax.op.divide(relax.const(1.0, "float32"), scale))
        steps = self._emit(relax.op.multiply(x, along(part)))
        moved = self._moved(relax.op.add, self._emit(relax.op.round(steps)), along(self._float(zero, shift)))
        least = self._emit(relax.op.maximum(moved, relax.const(float(bounds.min + shift), "float32")))
        most = self._emit(relax.op.minimum(least, relax.const(float(bounds.max + shift), "float32")))
        return relax.op.astype(most, "uint8" if shift else str(call.attrs.out_dtype))

    def _rounded(self, binding: relax.VarBinding) -> relax.Expr | None:
        """A quantised number as the real one that it stands for, where arithmetic alone reads it; None elsewhere."""
        take = binding.value
        make = self._bindings.get(take.args[0]) if _takes_real(take) else None
        if make is None or not _makes_bytes(make) or not self._is_between_arithmetic(take.args[0]):
            return None
        x, scale, zero = self._visited(make).args
        other = take.args[2]
        if not all(isinstance(value, GenericConst) for value in (scale, zero, other, take.args[1])):
            return None
        shift = zero.value.numpy().astype("float32")
        if not np.array_equal(shift, other.value.numpy()) or (shift.size > 1 and make.attrs.axis != take.attrs.axis):
            return None
        along = partial(_along, axis=int(make.attrs.axis), rank=len(shape_of(x) or ()))
        bounds = np.iinfo(str(make.attrs.out_dtype))
        steps = self._emit(
            relax.op.round(self._emit(relax.op.multiply(x, along(relax.const(1 / scale.value.numpy())))))
        )
        for bounded, bound in ((relax.op.maximum, bounds.min), (relax.op.minimum, bounds.max)):
            at = along(relax.const(bound - shift)) if shift.any() else relax.const(float(bound), "float32")
            steps = self._emit(bounded(steps, at))
        return relax.op.multiply(steps, along(take.args[1]))

    def _is_between_arithmetic(self, quantised: relax.Var) -> bool:
        """Whether a quantised tensor is read as real numbers only, and these by arithmetic only: else it is kept."""
        taken = self._readers.get(quantised, [])
        if not all(var in self._bindings and _takes_real(self._bindings[var]) for var in taken):
            return False
        names = {operator_of(self._bindings.get(reader)) for var in taken for reader in self._readers.get(var, [])}
        return {name.removeprefix("relax.") for name in names} <= _ARITHMETIC

    def _real(self, call: relax.Call) -> relax.Expr:
        q, scale, zero = call.args
        along = partial(_along, axis=int(call.attrs.axis), rank=len(shape_of(q) or ()))
        number = self._emit(relax.op.astype(q, "float32"))
        moved = self._moved(relax.op.subtract, number, along(self._float(zero, _SHIFT if q in self._shifted else 0)))
        return relax.op.multiply(moved, along(self._float(scale, 0)))

    def _moved(self, operator: Callable[..., relax.Expr], x: relax.Expr, by: relax.Expr) -> relax.Expr:
        nothing = isinstance(by, GenericConst) and not by.value.numpy().any()
        return x if nothing else self._emit(operator(x, by))

    def _float(self, value: relax.Expr, shift: int) -> relax.Expr:
        """The numbers of a scale or zero as float32, `shift` added."""
        if isinstance(value, GenericConst):
            return relax.const(value.value.numpy().astype("float32") + np.float32(shift))
        number = self._emit(relax.op.astype(value, "float32"))
        return self._emit(relax.op.add(number, relax.const(float(shift), "float32"))) if shift else number

    def _emit(self, value: relax.Expr) -> relax.Expr:
        return self.builder_.emit(value)


def _makes_bytes(node: relax.Expr) -> bool:
    """Whether it quantises float32 numbers of known shape to bytes."""
    if operator_of(node) != _MAKE or shape_of(node) is None:
        return False
    return str(node.attrs.out_dtype) in ("uint8", "int8") and str(node.args[0].ty.dtype) == "float32"


def _takes_real(node: relax.Expr) -> bool:
    """Whether it makes float32 numbers of known shape of quantised ones."""
    return operator_of(node) == _TAKE and shape_of(node) is not None and str(node.attrs.out_dtype) == "float32"


def _along(value: relax.Expr, axis: int, rank: int) -> relax.Expr:
    """A scale or zero in the shape in which it broadcasts along an axis.

    A single number that is constant gets axes, too: without them it would be written into kernels, which were
    all different then.
    """
    shape, constant = shape_of(value) or [], isinstance(value, GenericConst)
    if all(n == 1 for n in shape):
        wanted = [1] * rank if constant else []
    else:
        wanted = [*shape, *[1] * (rank - 1 - axis % rank)]
    if shape == wanted:
        return value
    return relax.const(value.value.numpy().reshape(wanted)) if constant else relax.op.reshape(value, wanted)


def _bindings_of(
    function: relax.Function,
) -> tuple[dict[relax.Var, relax.Expr], dict[relax.Var, list[relax.Var | None]]]:
    """What each variable stands for, and the variables that are made from it; None for the result of the function."""
    bindings = bindings_of(function)
    readers: dict[relax.Var, list[relax.Var | None]] = {
        var: [None] for var in relax.analysis.all_vars(function.body.body)
    }
    for made, value in bindings.items():
        for var in relax.analysis.all_vars(value):
            readers.setdefault(var, []).append(made)
    return bindings, readers


def _only_taken(function: relax.Function) -> set[relax.Var]:
    """The variables of quantised numbers that nothing reads but `dequantize` as it is written out here."""
    made: set[relax.Var] = set()
    elsewhere: set[relax.Var] = {function.body.body}
    for node in nodes_of(function):
        if isinstance(node, relax.Call):
            elsewhere.update(arg for arg in node.args[_takes_real(node) :] if isinstance(arg, relax.Var))
        elif isinstance(node, relax.Tuple):
            elsewhere.update(field for field in node.fields if isinstance(field, relax.Var))
    for var, value in bindings_of(function).items():
        if operator_of(value) == _MAKE:
            made.add(var)
        elif isinstance(value, relax.Var):
            elsewhere.add(value)
    return made - elsewhere
