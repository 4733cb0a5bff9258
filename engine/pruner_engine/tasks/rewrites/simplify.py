"""Rewrite a graph so that more of it fuses: element-wise operators next to the kernel whose result they change.

PyTorch's exporter puts a reshape between a matrix product and its bias, activation or residual; such a reshape keeps
them in kernels of their own. Here it moves behind them, where it meets the reshape back and both vanish.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import (
    BINARY,
    RESHAPES,
    UNARY,
    bound,
    ends_of_parts,
    keeps_elements,
    operator_of,
    order_of,
    reshaped,
    rewritten,
    shape_of,
)

_SHAPING = ("relax.reshape", "relax.broadcast_to", "relax.split")  # a split into one part is no tuple


def simplify(mod: tvm.IRModule) -> tvm.IRModule:
    """Move reshapes behind element-wise operators and norms, and write operators in the form that fuses, in "main".

    Clipping becomes minimum and maximum, which every layout can follow; a power of 2, 3, ±1 or ±½ products, a quotient
    or a root; a split one slice for each part. Transpositions that move none but axes of one element, and what adds or
    drops such axes, become reshapes, of which several are one: a kernel of two would copy. Broadcasts and reshapes to
    the shape that is there already vanish, and so do empty parts of concatenations and splits into one part.
    """
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Simplifier(mod)))


@mutator
class _Simplifier(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:  # noqa: PLR0911 (one case a kind)
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        shape = shape_of(call)
        if shape is None:
            return visited
        if name in _SHAPING and shape_of(visited.args[0]) == shape:
            return visited.args[0]
        if name in RESHAPES or (name == "relax.permute_dims" and _keeps_order(visited)):
            return self._reshaped(visited.args[0], shape)
        if name == "relax.concat":
            return self._joined(visited)
        rewritten = self._rewritten(name, visited)
        if rewritten is not None:
            return self.visit_expr(rewritten)
        if name in BINARY:
            return self._binary(visited, shape)
        if name in UNARY or self._along_last_axis(name, visited):
            return self._sunk(visited, shape)
        return visited

    def visit_tuple_getitem_(self, item: relax.TupleGetItem) -> relax.Expr:
        """Called for each item of a tuple: a part of a split is a slice."""
        visited = super().visit_tuple_getitem_(item)
        split = self._producer(visited.tuple_value, "relax.split")
        shape = None if split is None else shape_of(split.args[0])
        if split is None or shape is None:
            return visited
        axis = int(split.attrs.axis)
        bounds = [0, *ends_of_parts(split, shape[axis])]
        return relax.op.strided_slice(split.args[0], [axis], [bounds[item.index]], [bounds[item.index + 1]])

    # ------------------------------------------------------------ forms

    def _joined(self, call: relax.Call) -> relax.Expr:
        """A concatenation without its empty parts, as of rotary embeddings that turn whole heads."""
        parts = bound(self, call.args[0])
        if not isinstance(parts, relax.Tuple):
            return call
        kept = [part for part in parts.fields if 0 not in (shape_of(part) or [])]
        if len(kept) in (0, len(parts.fields)):
            return call
        return kept[0] if len(kept) == 1 else relax.op.concat(kept, axis=int(call.attrs.axis))

    def _rewritten(self, name: str, call: relax.Call) -> relax.Expr | None:
        if name == "relax.clip" and str(call.ty.dtype).startswith("float"):
            return self._clipped(call.args[0], *(float(bound.value) for bound in call.args[1:]))
        if name == "relax.power":
            return self._powered(*call.args)
        return None

    def _clipped(self, x: relax.Expr, low: float, high: float) -> relax.Expr:
        """Between bounds that are numbers; of NaN and another number kernels take the second, which is to be NaN."""
        made = x
        for operator, number, none in ((relax.op.maximum, low, -math.inf), (relax.op.minimum, high, math.inf)):
            if number != none:
                made = self._emitted(operator(relax.const(number, str(x.ty.dtype)), made))
        return made

    def _powered(self, x: relax.Expr, exponent: relax.Expr) -> relax.Expr | None:
        """A power that arithmetic has; roots of −0 and −∞ are those of the root, as in PyTorch."""
        power = _scalar(exponent, len(x.ty.shape))
        if power == 1:
            return x
        if power == 2:
            return relax.op.multiply(x, x)
        if power == 3:
            return relax.op.multiply(self.builder_.emit(relax.op.multiply(x, x)), x)
        if "float" not in str(x.ty.dtype):
            return None
        if power == -1:
            return relax.op.divide(relax.const(1, str(x.ty.dtype)), x)
        return {0.5: relax.op.sqrt, -0.5: relax.op.rsqrt}[power](x) if power in (0.5, -0.5) else None

    def _along_last_axis(self, name: str, call: relax.Call) -> bool:
        """Whether the operator works on rows: what lies before the last axis may have any shape."""
        if name not in _ROWS or not getattr(call.attrs, "keepdims", True):
            return False
        axes = call.attrs.axes if hasattr(call.attrs, "axes") else call.attrs.axis
        shape = shape_of(call.args[0])
        every = [axes] if isinstance(axes, (int, tvm.tirx.IntImm)) else axes or []
        return shape is not None and [int(axis) % len(shape) for axis in every] == [len(shape) - 1]

    # ------------------------------------------------------------ reshapes

    def _producer(self, operand: relax.Expr, name: str) -> relax.Call | None:
        found = bound(self, operand)
        return found if operator_of(found) == name else None

    def _before(self, operand: relax.Expr) -> relax.Expr | None:
        """What a reshape made the operand from."""
        reshape = self._producer(operand, "relax.reshape")
        return reshape.args[0] if reshape is not None and shape_of(reshape.args[0]) else None

    def _reshaped(self, operand: relax.Expr, shape: Sequence[int]) -> relax.Expr:
        """The operand in another shape, with no more than one reshape behind what computes it."""
        if isinstance(operand, GenericConst):
            return relax.const(operand.value.numpy().reshape(shape), str(operand.ty.dtype))
        before = self._before(operand)
        inner = operand if before is None else before
        return inner if shape_of(inner) == list(shape) else reshaped(inner, shape)

    def _emitted(self, value: relax.Expr) -> relax.Expr:
        return self.builder_.emit(value) if isinstance(value, relax.Call) else value

    def _sunk(self, call: relax.Call, shape: Sequence[int]) -> relax.Expr:
        operand, *rest = call.args
        inner = self._before(operand)
        if inner is None:
            return call
        if call.op.name in UNARY:
            made = relax.Call(call.op, [inner, *rest], call.attrs)
        elif shape_of(operand)[-1:] == shape_of(inner)[-1:]:  # type: ignore[index]
            made = _ROWS[call.op.name](call.attrs, inner, *rest)
        else:
            return call
        return reshaped(self.builder_.emit(made), shape)

    def _binary(self, call: relax.Call, shape: list[int]) -> relax.Expr:
        for place in (0, 1):
            this, other = call.args[place], call.args[1 - place]
            inner = self._before(this)
            if inner is None or shape_of(this) != shape or shape_of(other) is None:
                continue
            to = _follow(shape_of(other), shape, shape_of(inner))  # type: ignore[arg-type]
            if to is None:
                continue
            moved = other if shape_of(other) == to else self._emitted(self._reshaped(other, to))
            both = [moved, inner] if place else [inner, moved]
            return reshaped(self.builder_.emit(relax.Call(call.op, both, call.attrs)), shape)
        return call


_ROWS: dict[str, Callable[..., relax.Expr]] = {
    "relax.nn.layer_norm": lambda a, x, gamma, beta: relax.op.nn.layer_norm(
        x, gamma, beta, axes=[-1], epsilon=a.epsilon, center=a.center, scale=a.scale
    ),
    "relax.nn.rms_norm": lambda a, x, weight: relax.op.nn.rms_norm(x, weight, axes=[-1], epsilon=a.epsilon),
    "relax.nn.softmax": lambda a, x: relax.op.nn.softmax(x, axis=-1),
    "relax.nn.log_softmax": lambda a, x: relax.op.nn.log_softmax(x, axis=-1),
    "relax.mean": lambda a, x: relax.op.mean(x, axis=[-1], keepdims=True),
    "relax.sum": lambda a, x: relax.op.sum(x, axis=[-1], keepdims=True),
    "relax.max": lambda a, x: relax.op.max(x, axis=[-1], keepdims=True),
}


def _follow(other: list[int], shape: list[int], inner: list[int]) -> list[int] | None:
    """The shape in which an operand of the shape `other` broadcasts to `inner` as it does to `shape`; None if none."""
    if math.prod(other) == 1:  # a constant with axes keeps some: without it would be written into its kernel
        return [1] * len(inner) if other else []
    if other == shape:
        return inner
    full = [1] * (len(shape) - len(other)) + other
    if [n for n in shape if n != 1] != [n for n in inner if n != 1]:
        return _split(full, shape, inner)
    kept = iter([own for own, n in zip(full, shape, strict=True) if n != 1])
    return [1 if n == 1 else next(kept) for n in inner]


def _split(other: list[int], shape: list[int], inner: list[int]) -> list[int] | None:
    """The same where `inner` has several axes for some of `shape`."""
    followed: list[int] = []
    rest = list(inner)
    for extent, n in zip(other, shape, strict=True):
        if n == 1:
            continue
        part = [rest.pop(0)] if rest else []
        while rest and math.prod(part) < n:
            part.append(rest.pop(0))
        if math.prod(part) != n:
            return None
        followed += part if extent == n else [1] * len(part)
    return None if math.prod(rest) != 1 else followed + rest


def _keeps_order(call: relax.Call) -> bool:
    """Whether a transposition moves none but axes of one element."""
    shape = shape_of(call.args[0])
    return shape is not None and keeps_elements(order_of(call), shape)


def _scalar(value: relax.Expr, rank: int) -> float | None:
    """The one number of a constant that has no more axes than what it is combined with; None of others."""
    shape = shape_of(value)
    if not isinstance(value, GenericConst) or shape is None or math.prod(shape) != 1 or len(shape) > rank:
        return None
    return float(value.value.numpy().item())
