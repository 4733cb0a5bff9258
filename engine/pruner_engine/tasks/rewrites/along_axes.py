"""Operators along axes, of the same data with its axes in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tvm import relax

from pruner_engine.tasks.graph import operator_of

_IMAGE = 4  # axes
_REDUCTIONS = {f"relax.{name}": getattr(relax.op, name) for name in ("max", "mean", "min", "sum")}


def axes_left(call: relax.Call, order: Sequence[int]) -> list[int]:
    """The transposition that a result needs behind an operator that its data reached in another order.

    Args:
        call: the operator as it was.
        order: of the axes of its data, which it does not have any more.
    """
    if operator_of(call) not in _REDUCTIONS or call.attrs.keepdims:
        return list(order)
    reduced = _reduced_axes(call, len(order))
    left = [order[axis] for axis in range(len(order)) if axis not in reduced]
    return [sorted(left).index(axis) for axis in left]


def _reduced_axes(call: relax.Call, rank: int) -> list[int]:
    return [*range(rank)] if call.attrs.axis is None else [int(axis) % rank for axis in call.attrs.axis]


def _reduced(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr:
    axes = sorted(order[axis] for axis in _reduced_axes(call, len(order)))
    return _REDUCTIONS[call.op.name](operand, axes, keepdims=bool(call.attrs.keepdims))


def _padded(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr:
    widths = [int(width) for width in call.attrs.pad_width]
    pairs = dict(zip(order, zip(widths[::2], widths[1::2], strict=True), strict=True))
    flat = [width for axis in range(len(order)) for width in pairs[axis]]
    return relax.op.nn.pad(operand, flat, call.attrs.pad_mode, call.attrs.pad_value)


def _sliced(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr:
    axes = [order[int(axis.value) % len(order)] for axis in call.args[1].fields]
    return relax.op.strided_slice(operand, axes, *call.args[2:], assume_inbound=call.attrs.assume_inbound)


def _taken(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr | None:
    """By a row of indices, which keeps the axes that there are."""
    indices = call.args[1]
    if call.attrs.axis is None or not isinstance(indices.ty, relax.TensorType) or indices.ty.ndim != 1:
        return None
    return relax.op.take(operand, indices, order[int(call.attrs.axis) % len(order)], call.attrs.mode)


def _pooled(
    pool: Callable[..., relax.Expr], call: relax.Call, operand: relax.Expr, order: Sequence[int]
) -> relax.Expr | None:
    attrs = call.attrs
    if len(order) != _IMAGE or (attrs.layout, attrs.out_layout) != ("NCHW", "NCHW"):
        return None
    form = (attrs.pool_size, attrs.strides, attrs.padding, attrs.dilation, attrs.ceil_mode, attrs.count_include_pad)
    return pool(operand, *form, layout="NHWC")


def _averaged(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr | None:
    attrs = call.attrs
    if len(order) != _IMAGE or (attrs.layout, attrs.out_layout) != ("NCHW", "NCHW"):
        return None
    return relax.op.nn.adaptive_avg_pool2d(operand, attrs.output_size, layout="NHWC")


def _resized(call: relax.Call, operand: relax.Expr, order: Sequence[int]) -> relax.Expr | None:
    attrs = call.attrs
    if len(order) != _IMAGE or attrs.layout != "NCHW":
        return None
    return relax.op.image.resize2d(
        operand,
        call.args[1],
        roi=[float(edge) for edge in attrs.roi],
        layout="NHWC",
        method=attrs.method,
        coordinate_transformation_mode=attrs.coordinate_transformation_mode,
        rounding_method=attrs.rounding_method,
        cubic_alpha=float(attrs.cubic_alpha),
        cubic_exclude=int(attrs.cubic_exclude),
        extrapolation_value=float(attrs.extrapolation_value),
        out_dtype=str(call.ty.dtype),
    )


#: of a call, its operand (or tuple of them) with its axes as they were before they were brought in an order (channels
#: first), and that order; None where it cannot be said
ALONG_AXES: dict[str, Callable[[relax.Call, relax.Expr, Sequence[int]], relax.Expr | None]] = {
    **dict.fromkeys(_REDUCTIONS, _reduced),
    "relax.concat": lambda call, parts, order: relax.op.concat(parts, order[int(call.attrs.axis) % len(order)]),
    "relax.image.resize2d": _resized,
    "relax.nn.adaptive_avg_pool2d": _averaged,
    "relax.nn.avg_pool2d": partial(_pooled, relax.op.nn.avg_pool2d),
    "relax.nn.log_softmax": lambda call, x, order: relax.op.nn.log_softmax(x, order[int(call.attrs.axis) % len(order)]),
    "relax.nn.max_pool2d": partial(_pooled, relax.op.nn.max_pool2d),
    "relax.nn.pad": _padded,
    "relax.strided_slice": _sliced,
    "relax.take": _taken,
}
