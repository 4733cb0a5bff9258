"""Kernels of norms over channels or groups of them, in two passes: the mean, then the squares around it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tvm import te, tirx
from tvm.ir import Expr

from pruner_engine.tasks.rewrites.halves import SUMMED_AS


def norm_of_rows(x: te.Tensor, scale: te.Tensor, shift: te.Tensor, groups: int, epsilon: float) -> te.Tensor:
    """A norm of [batch, group, position], the channels of a group one behind the other.

    Args:
        scale, shift: of each channel.
    """
    *rows, length = x.shape
    dtype = SUMMED_AS.get(x.dtype, x.dtype)
    each = int(scale.shape[0]) // groups
    k, m = te.reduce_axis((0, length), name="k"), te.reduce_axis((0, length), name="k")
    total = te.compute(rows, lambda *i: te.sum(x(*i, k).astype(dtype), axis=k), name="norm_sum")
    mean = te.compute(rows, lambda *i: _shared(total(*i), length), name="norm_mean")

    def apart(*i: Expr) -> Expr:
        return x(*i).astype(dtype) - mean(*i[:-1])

    spread = te.compute(rows, lambda *i: te.sum(apart(*i, m) * apart(*i, m), axis=m), name="norm_spread")
    share = te.compute(rows, lambda *i: _inverse(spread(*i), length, epsilon), name="norm_share")

    def normed(b: Expr, g: Expr, i: Expr) -> Expr:
        channel = g * each + i // (length // each)
        factor = scale(channel).astype(dtype)
        return (apart(b, g, i) * share(b, g) * factor + shift(channel).astype(dtype)).astype(x.dtype)

    return te.compute(x.shape, normed, name="norm")


def norm_of_columns(
    x: te.Tensor, scale: te.Tensor, shift: te.Tensor, groups: int, epsilon: float, first: int
) -> te.Tensor:
    """A norm of [batch, …, position, …, channel], whose sums are vectors of channels.

    Args:
        first: the axis of the positions from which on they are normalised.
        scale, shift: of each channel.
    """
    batch, within, channels = x.shape[:first], x.shape[first:-1], int(x.shape[-1])
    dtype = SUMMED_AS.get(x.dtype, x.dtype)
    each = channels // groups
    length = math.prod(within) * each

    def column(i: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return *i[:first], i[-1]

    def summed(value: Callable[..., Expr], name: str) -> te.Tensor:
        """Sums of a group, of each of its channels."""
        over = [te.reduce_axis((0, n), name="k") for n in within]
        own = te.compute((*batch, channels), lambda *i: te.sum(value(*i[:-1], *over, i[-1]), axis=over), name=name)
        if each == 1:
            return own
        c = te.reduce_axis((0, each), name="c")
        return te.compute(
            own.shape, lambda *i: te.sum(own(*i[:-1], i[-1] // each * each + c), axis=c), name=f"{name}_group"
        )

    total = summed(lambda *i: x(*i).astype(dtype), "norm_sum")
    mean = te.compute(total.shape, lambda *i: _shared(total(*i), length), name="norm_mean")

    def apart(*i: Expr) -> Expr:
        return x(*i).astype(dtype) - mean(*column(i))

    spread = summed(lambda *i: apart(*i) * apart(*i), "norm_spread")
    share = te.compute(total.shape, lambda *i: _inverse(spread(*i), length, epsilon), name="norm_share")

    def normed(*i: Expr) -> Expr:
        factor = share(*column(i)) * scale(i[-1]).astype(dtype)
        return (apart(*i) * factor + shift(i[-1]).astype(dtype)).astype(x.dtype)

    return te.compute(x.shape, normed, name="norm")


def _shared(total: Expr, length: Any) -> Expr:
    """The mean of `length` numbers, of their sum."""
    known = isinstance(length, (int, tirx.IntImm))
    return total * tirx.const(1 / int(length), total.ty.dtype) if known else total / length.astype(total.ty.dtype)


def _inverse(squares: Expr, length: Any, epsilon: float) -> Expr:
    """One by the standard deviation of `length` numbers, of the sum of squares of what lies apart from their mean."""
    return tirx.rsqrt(_shared(squares, length) + tirx.const(epsilon, squares.ty.dtype))
