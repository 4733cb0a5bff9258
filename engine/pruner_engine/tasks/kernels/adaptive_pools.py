"""Means of windows that divide an axis unevenly.

TVM sums each window in a loop that is as long as the window, which no rule can schedule: on a GPU the design space is
an error, elsewhere it has a single, untiled sketch. Here the loop is as long as the longest window, and what lies
beyond the end of a shorter one counts as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import tvm
from tvm import relax, te, tirx

from pruner_engine.tasks.graph import shape_of
from pruner_engine.tasks.kernels.norms import Legalize

_AXES = "DHW"


def adaptive_pools() -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's kernels, by operator."""
    names = [f"relax.nn.adaptive_avg_pool{rank}d" for rank in (1, 2, 3)]
    return {name: _legalization(tvm.ir.Op.get(name).get_attr("FLegalize")) for name in names}


def uneven_means(x: te.Tensor, axes: Sequence[int], counts: Sequence[int]) -> te.Tensor:
    """The means of windows i * n // count to ⌈(i + 1) * n / count⌉ along each axis of length n.

    Args:
        axes: that windows divide.
        counts: of windows, by axis.
    """
    divided = [(axis, int(x.shape[axis]), count) for axis, count in zip(axes, counts, strict=True)]
    made = list(x.shape)
    for axis, _, count in divided:
        made[axis] = count
    longest = [_longest(length, count) for _, length, count in divided]
    members = [te.reduce_axis((0, n), name=f"member_{i}") for i, n in enumerate(longest)]

    def windows(index: Sequence[tirx.PrimExpr]) -> list[tuple[tirx.PrimExpr, tirx.PrimExpr]]:
        """First element of a window along each axis, and how many it has."""
        firsts = [tirx.floordiv(index[axis] * n, count) for axis, n, count in divided]
        ends = [tirx.floordiv((index[axis] + 1) * n + count - 1, count) for axis, n, count in divided]
        return [(first, end - first) for first, end in zip(firsts, ends, strict=True)]

    def member(*index: tirx.PrimExpr) -> tirx.PrimExpr:
        place, inside = list(index), tirx.const(True, "bool")
        for axis, k, (first, length) in zip(axes, members, windows(index), strict=True):
            place[axis] = first + k
            inside = tirx.all(inside, k < length)
        return te.sum(tirx.if_then_else(inside, x(*place), tirx.const(0, x.dtype)), axis=members)

    sums = te.compute(made, member, name="window_sum")

    def mean(*index: tirx.PrimExpr) -> tirx.PrimExpr:
        size = math.prod((length for _, length in windows(index)), start=tirx.const(1, "int64"))
        return sums(*index) / tirx.Cast(x.dtype, size)

    return te.compute(made, mean, name="window_mean")


def _longest(length: int, count: int) -> int:
    return max(-(-(i + 1) * length // count) - i * length // count for i in range(count))


def _legalization(stock: Legalize) -> Legalize:
    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        shape, layout, wanted = shape_of(call.args[0]), str(call.attrs.layout), call.attrs.output_size
        axes = [layout.index(axis) for axis in _AXES if axis in layout]
        plain = layout.isalpha() and layout.isupper() and call.attrs.out_layout == call.attrs.layout
        if shape is None or wanted is None or not plain:
            return stock(builder, call)
        counts = [int(count) for count in wanted]
        if all(shape[axis] % count == 0 for axis, count in zip(axes, counts, strict=True)):
            return stock(builder, call)
        hint = str(call.op.name).rsplit(".", 1)[-1]
        return builder.call_te(uneven_means, call.args[0], axes, counts, primfunc_name_hint=hint)

    return legalize
