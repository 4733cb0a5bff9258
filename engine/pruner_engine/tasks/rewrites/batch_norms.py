"""Batch norms of inference as a scale and a shift, which the convolution or matrix product before them takes up.

A norm is x·a + b, with numbers for each channel that are computed here in double precision. Where x is made by a
convolution or product with constant weights, and read by nothing else, the filters are scaled by a, and b joins the
bias.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import bound, occurrences, operator_of, rewritten, shape_of
from pruner_engine.tasks.rewrites.halves import SUMMED_AS


def fold_batch_norms(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with batch norms of constant parameters in "main" folded away, or else written as x·a + b."""
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Rewriter(mod)))


@mutator
class _Rewriter(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self.readers = occurrences(mod)

    def visit_tuple_getitem_(self, item: relax.TupleGetItem) -> relax.Expr:
        """Called for each item of a tuple: the first of a batch norm is what it makes of its operand."""
        visited = super().visit_tuple_getitem_(item)
        norm = bound(self, visited.tuple_value)
        if visited.index != 0 or operator_of(norm) != "relax.nn.batch_norm":
            return visited
        x, *given = norm.args
        parameters = [bound(self, value) for value in given]
        known = isinstance(x.ty.shape, relax.ShapeExpr)
        if not known or not all(isinstance(value, GenericConst) for value in parameters):
            return visited
        gamma, beta, mean, variance = map(_exact, parameters)
        a = (gamma if norm.attrs.scale else 1) / np.sqrt(variance + norm.attrs.epsilon)
        b = (beta if norm.attrs.center else 0) - mean * a
        axis = int(norm.attrs.axis) % len(x.ty.shape)
        taken_up = self._taken_up(x, axis, a, b)
        return self._scaled(x, axis, a, b) if taken_up is None else taken_up

    def _scaled(self, x: relax.Expr, axis: int, a: np.ndarray, b: np.ndarray) -> relax.Expr:
        """x·a + b in arithmetic."""
        dtype, rank = str(x.ty.dtype), len(x.ty.shape)
        wide = SUMMED_AS.get(dtype, dtype)
        if wide != dtype:
            x = self.builder_.emit(relax.op.astype(x, wide))
        product = self.builder_.emit(relax.op.multiply(x, _along(a, axis, rank, wide)))
        made = relax.op.add(product, _along(b, axis, rank, wide))
        return relax.op.astype(self.builder_.emit(made), dtype) if wide != dtype else made

    def _taken_up(self, x: relax.Expr, axis: int, a: np.ndarray, b: np.ndarray) -> relax.Expr | None:
        """x·a + b by other weights of what makes x; None where that has none, or has other readers."""
        made = bound(self, x)
        name = operator_of(made)
        if not name or self.readers.get(x, 1) > 1:
            return None
        if name == "relax.add":
            for value, other in (made.args, list(made.args)[::-1]):
                bias = _of_channels(other, axis, len(x.ty.shape), len(a))
                if bias is not None and len(value.ty.shape) == len(x.ty.shape):
                    return self._taken_up(value, axis, a, b + a * bias)
        elif name == "relax.astype" and "float" in str(made.args[0].ty.dtype):
            inner = self._taken_up(made.args[0], axis, a, b)
            return None if inner is None else relax.op.astype(self.builder_.emit(inner), made.ty.dtype)
        elif name == "relax.reshape":
            before, after = shape_of(made.args[0]), shape_of(made)
            if axis == 1 and before is not None and after is not None and before[:2] == after[:2]:
                inner = self._taken_up(made.args[0], axis, a, b)
                return None if inner is None else relax.op.reshape(self.builder_.emit(inner), after)
        elif len(made.args) > 1 and isinstance(weight := bound(self, made.args[1]), GenericConst):
            filters = _constant(_filters(made, _exact(weight), axis, a), str(weight.ty.dtype))
            if filters is not None:
                product = self.builder_.emit(relax.Call(made.op, [made.args[0], filters], made.attrs))
                return relax.op.add(product, _along(b, axis, len(x.ty.shape), str(made.ty.dtype)))
        return None


def _filters(call: relax.Call, weight: np.ndarray, axis: int, a: np.ndarray) -> np.ndarray | None:
    """Weights of a convolution or matrix product whose channels, its result's `axis`, come out times a."""
    name, attrs = operator_of(call), call.attrs
    if name == "relax.matmul":
        last = weight.ndim > 1 and weight.shape[-1] == len(a) and axis == len(call.ty.shape) - 1
        return weight * a if last else None
    if not name.startswith("relax.nn.conv") or (attrs.out_layout or attrs.data_layout).find("C") != axis:
        return None
    layout, transposed = str(attrs.kernel_layout), "transpose" in name
    parts = int(attrs.groups) if transposed else 1  # of a transposed one, each group has filters [in, out] of its own
    out, inner = layout.find("O"), layout.find("I")
    if weight.ndim != len(layout) or weight.shape[out] * parts != len(a):
        return None
    apart = np.moveaxis(weight, (inner, out), (0, 1))
    grouped = apart.reshape(parts, -1, *apart.shape[1:])
    factors = a.reshape(parts, 1, -1, *[1] * (weight.ndim - 2))
    return np.moveaxis((grouped * factors).reshape(apart.shape), (0, 1), (inner, out))


def _of_channels(value: relax.Expr, axis: int, rank: int, channels: int) -> np.ndarray | None:
    """What a constant adds to each channel; None where it is none, or differs within a channel."""
    if not isinstance(value, GenericConst):
        return None
    numbers = _exact(value)
    along = (1,) * (rank - numbers.ndim) + numbers.shape
    if numbers.ndim > rank or any(n != 1 for i, n in enumerate(along) if i != axis) or along[axis] not in (1, channels):
        return None
    return np.broadcast_to(numbers.reshape(-1), (channels,))


def _exact(value: GenericConst) -> np.ndarray:
    return np.asarray(value.value.numpy()).astype("float64")


def _constant(numbers: np.ndarray | None, dtype: str) -> relax.Expr | None:
    """A constant of numbers that its type holds; None of others."""
    if numbers is None:
        return None
    with np.errstate(over="ignore"):
        made = relax.const(numbers, dtype)
    return made if np.isfinite(_exact(made)).all() else None


def _along(numbers: np.ndarray, axis: int, rank: int, dtype: str) -> relax.Expr:
    """Numbers of channels as a constant that broadcasts along an axis."""
    return relax.const(numbers.reshape([-1 if i == axis else 1 for i in range(rank)]), dtype)
