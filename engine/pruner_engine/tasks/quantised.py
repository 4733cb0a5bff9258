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

from pruner_engine.tasks.rewriting import operator_of, rewritten, shape_of

_MAKE, _TAKE = "relax.quantize", "relax.dequantize"
_SHIFT = 128  # from signed bytes to unsigned ones


def in_arithmetic(mod: tvm.IRModule) -> tvm.IRModule:
    """Write out `quantize` and `dequantize` of bytes in "main".

    Signed bytes that are only read to be real numbers again become unsigned ones: processors multiply these.
    """
    return rewritten(mod, _Writer(mod))


def rounds_to_bytes(mod: tvm.IRModule) -> bool:
    """Whether "main" rounds real numbers to bytes, as quantised models do."""
    found = False

    def visit(node: relax.Expr) -> None:
        nonlocal found
        if operator_of(node) in (_MAKE, "relax.astype"):
            kinds = (str(getattr(node.args[0].ty, "dtype", "")), str(getattr(node.ty, "dtype", "")))
            found |= "float" in kinds[0] and kinds[1] in ("int8", "uint8")

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


@mutator
class _Writer(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self._inner = _only_taken(mod["main"])
        self._shifted: set[relax.Var] = set()

    def visit_var_binding_(self, binding: relax.VarBinding) -> None:
        """Called for each binding: notes which tensors are held as other bytes than the graph says."""
        value = binding.value
        if _makes_bytes(value) and value.attrs.out_dtype == "int8" and binding.var in self._inner:
            made = self.builder_.emit(self._quantised(self._visited(value), _SHIFT))
            self._shifted.add(made)
            self.set_var_remap(binding.var, made)
        else:
            super().visit_var_binding_(binding)

    def _visited(self, call: relax.Call) -> relax.Call:
        return relax.Call(call.op, [self.visit_expr(arg) for arg in call.args], call.attrs)

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if _makes_bytes(call):
            return self._quantised(visited, 0)
        return self._real(visited) if _takes_real(call) else visited

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


def _only_taken(function: relax.Function) -> set[relax.Var]:
    """The variables of quantised numbers that nothing reads but `dequantize` as it is written out here."""
    made: set[relax.Var] = set()
    elsewhere: set[relax.Var] = {function.body.body}

    def visit(node: relax.Expr) -> None:
        if isinstance(node, relax.Call):
            elsewhere.update(arg for arg in node.args[_takes_real(node) :] if isinstance(arg, relax.Var))
        elif isinstance(node, relax.Tuple):
            elsewhere.update(field for field in node.fields if isinstance(field, relax.Var))

    relax.analysis.post_order_visit(function, visit)
    for block in function.body.blocks:
        for binding in block.bindings:
            if operator_of(binding.value) == _MAKE:
                made.add(binding.var)
            elif isinstance(binding.value, relax.Var):
                elsewhere.add(binding.value)
    return made - elsewhere
