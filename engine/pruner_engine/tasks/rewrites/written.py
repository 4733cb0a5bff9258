"""What arithmetic in a graph stands for, in the forms in which exporters write it: numbers, squares, means, norms."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import tvm
import tvm_ffi
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator

from pruner_engine.tasks.graph import bound, occurrences, operator_of, shape_of


@dataclass(frozen=True)
class Over:
    """A tensor, and the axes over which something of it is taken that keeps them."""

    x: relax.Expr
    axes: list[int]


def number_of(rewriter: PyExprMutator, value: relax.Expr) -> float | None:
    """The number of a constant of one."""
    found = bound(rewriter, value)
    shape = shape_of(found) if isinstance(found, GenericConst) else None
    return float(found.value.numpy().item()) if shape is not None and math.prod(shape) == 1 else None


def is_same(rewriter: PyExprMutator, one: relax.Expr, other: relax.Expr) -> bool:
    """Whether two values are the same, or come of one operator on the same."""
    first, second = bound(rewriter, one), bound(rewriter, other)
    return bool(first.same_as(second)) or (
        isinstance(first, relax.Call) and bool(tvm_ffi.structural_equal(first, second))
    )


def mean_of(rewriter: PyExprMutator, value: relax.Expr, operator: str = "relax.mean") -> Over | None:
    """What a mean is of, or a variance."""
    found = bound(rewriter, value)
    if operator_of(found) != operator or not found.attrs.keepdims or shape_of(found.args[0]) is None:
        return None
    rank = len(found.args[0].ty.shape)
    axes = range(rank) if found.attrs.axis is None else sorted(int(axis) % rank for axis in found.attrs.axis)
    return Over(found.args[0], list(axes))


def squared(rewriter: PyExprMutator, value: relax.Expr) -> relax.Expr | None:
    """What a square is of."""
    found = bound(rewriter, value)
    product = operator_of(found) == "relax.multiply" and is_same(rewriter, *found.args)
    whole = product or operator_of(found) == "relax.square" or _is_power(rewriter, found, 2)
    return found.args[0] if whole else None


def rooted(rewriter: PyExprMutator, value: relax.Expr) -> relax.Expr | None:
    """What a root is of."""
    found = bound(rewriter, value)
    return found.args[0] if operator_of(found) == "relax.sqrt" or _is_power(rewriter, found, 0.5) else None


def rooted_below_one(rewriter: PyExprMutator, value: relax.Expr) -> relax.Expr | None:
    """What the root is of that 1 is divided by."""
    found = bound(rewriter, value)
    if operator_of(found) == "relax.rsqrt" or _is_power(rewriter, found, -0.5):
        return found.args[0]
    if operator_of(found) == "relax.divide" and number_of(rewriter, found.args[0]) == 1:
        return rooted(rewriter, found.args[1])
    return None


def beside_number(rewriter: PyExprMutator, value: relax.Expr) -> Iterator[tuple[relax.Expr, float]]:
    """Of a sum what a number is added to, and that number: an epsilon."""
    found = bound(rewriter, value)
    if operator_of(found) == "relax.add":
        for one, other in (found.args, list(found.args)[::-1]):
            number = number_of(rewriter, other)
            if number is not None:
                yield one, number


def _is_power(rewriter: PyExprMutator, call: relax.Expr, exponent: float) -> bool:
    return operator_of(call) == "relax.power" and number_of(rewriter, call.args[1]) == exponent


def either_way(call: relax.Call, rule: Callable[[relax.Expr, relax.Expr], relax.Expr | None]) -> relax.Expr | None:
    """What a rule makes of the two operands of a call, in the one order or the other."""
    one, other = call.args
    made = rule(one, other)
    return rule(other, one) if made is None else made


class NormRewriter(PyExprMutator):
    """Writes norms for what divides by a root, or multiplies with one by it; norms take up factors behind them."""

    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self.readers = occurrences(mod)

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        shape = shape_of(call)
        if not shape or str(call.ty.dtype) != "float32":
            return visited
        made = self.norm_of(visited, shape)
        return visited if made is None else made

    def norm_of(self, call: relax.Call, shape: list[int]) -> relax.Expr | None:
        """What to write for a call that makes this shape; None where it is no part of a norm."""
        name = operator_of(call)
        if name == "relax.divide":
            return self.normed(call.args[0], rooted(self, call.args[1]), shape)
        if name == "relax.multiply":
            made = either_way(call, lambda x, factor: self.normed(x, rooted_below_one(self, factor), shape))
            return either_way(call, self.scaled) if made is None else made
        return None

    @abstractmethod
    def normed(self, value: relax.Expr, below: relax.Expr | None, shape: list[int]) -> relax.Expr | None:
        """The norm whose last step divides a value by the root of what is below, and makes this shape."""

    @abstractmethod
    def scaled(self, value: relax.Expr, factor: relax.Expr) -> relax.Expr | None:
        """The norm with another scale, instead of a product of it and a constant."""
