"""Norms in two passes, the mean and then the squares of what lies apart from it, for the layout that they meet.

TVM takes the mean of the squares less the square of the mean for those over channels: beside a large mean nothing is
left of the spread, and a constant channel becomes NaN. Norms over layers it computes in two passes, but not of every
type, and those by the root of the mean square only over the last axes of several rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import tvm
from tvm import relax, tirx

from pruner_engine.tasks.graph import OUTER, operator_of
from pruner_engine.tasks.kernels.norm_kernels import norm_of_columns, norm_of_rows
from pruner_engine.tasks.rewrites.halves import SUMMED_AS

Legalize = Callable[[relax.BlockBuilder, relax.Call], relax.Expr]


def norms() -> dict[str, Legalize]:
    """Our legalizations of norms by operator, which `LegalizeOps` takes in place of TVM's."""
    return {
        "relax.nn.group_norm": _over_channels,
        "relax.nn.instance_norm": _over_channels,
        "relax.nn.layer_norm": _over_layers,
        "relax.nn.rms_norm": _by_root,
    }


def is_beyond_tvm(call: relax.Call) -> bool:
    """Whether it is a norm that TVM's own legalization ends with an error: over layers, of most types."""
    return operator_of(call) == "relax.nn.layer_norm" and str(call.ty.dtype) not in ("float32", "float16")


def _over_layers(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    if not is_beyond_tvm(call):
        return tvm.ir.Op.get("relax.nn.layer_norm").get_attr("FLegalize")(builder, call)
    return _written_out(builder, call)


def _by_root(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    """Over the last axes of several rows by TVM's kernel, which fails for others.

    A conversion of layouts makes those of an image's last axis, and a vector is a single row.
    """
    rank, axes = len(call.ty.shape), call.attrs.axes
    if 0 < rank - len(axes) == min(int(axis) % rank for axis in axes):
        return tvm.ir.Op.get("relax.nn.rms_norm").get_attr("FLegalize")(builder, call)
    return _written_out(builder, call)


def _over_channels(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    shape, attrs = list(call.ty.shape), call.attrs
    channel = int(attrs.channel_axis) % len(shape)
    axes = _axes(call)
    if not isinstance(shape[channel], tirx.IntImm):
        return _written_out(builder, call)
    groups = int(getattr(attrs, "num_groups", shape[channel]))
    epsilon = float(attrs.epsilon)
    if axes == _longer(shape, range(channel + 1, len(shape))):
        rows = (math.prod(shape[:channel]), groups, math.prod(shape[channel:]) // groups)
        x = builder.emit(relax.op.reshape(call.args[0], rows))
        kernel = partial(norm_of_rows, groups=groups, epsilon=epsilon)
        made = builder.call_te(kernel, x, *call.args[1:], primfunc_name_hint=_name(call))
        return relax.op.reshape(builder.emit(made), shape)
    if channel == len(shape) - 1 and axes and axes == list(range(axes[0], channel)):
        return builder.call_te(
            partial(norm_of_columns, groups=groups, epsilon=epsilon, first=axes[0]),
            *call.args,
            primfunc_name_hint=_name(call),
            primfunc_attrs=OUTER,
        )
    return _written_out(builder, call)


def _name(call: relax.Call) -> str:
    return str(call.op.name).rpartition(".")[2]


def _axes(call: relax.Call) -> list[int]:
    """Axes that a norm is taken over, those of one element left out."""
    shape = call.ty.shape
    return _longer(shape, sorted(int(axis) % len(shape) for axis in call.attrs.axes))


def _longer(shape: Sequence[tirx.PrimExpr], axes: Iterable[int]) -> list[int]:
    """Those of the axes that are not known to have one element."""
    return [axis for axis in axes if not (isinstance(shape[axis], tirx.IntImm) and int(shape[axis]) == 1)]


def _written_out(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    """The norm in operators that have kernels of every type."""
    shape, attrs, dtype = list(call.ty.shape), call.attrs, str(call.ty.dtype)
    wide = SUMMED_AS.get(dtype, dtype)
    x, *weights = (relax.op.astype(arg, wide) if wide != dtype else arg for arg in call.args)
    axes = sorted(int(axis) % len(shape) for axis in attrs.axes)
    own, grouped = axes, list(shape)
    if hasattr(attrs, "channel_axis"):
        channel = int(attrs.channel_axis) % len(shape)
        own = [channel]
        if call.op.name == "relax.nn.group_norm":
            groups = int(attrs.num_groups)
            grouped[channel : channel + 1] = [groups, shape[channel] // groups]
            axes = [channel + 1, *(axis + (axis > channel) for axis in axes)]
    x = builder.emit(relax.op.reshape(x, grouped))
    centred = call.op.name != "relax.nn.rms_norm"
    apart = builder.emit(relax.op.subtract(x, relax.op.mean(x, axes, keepdims=True))) if centred else x
    spread = relax.op.mean(relax.op.multiply(apart, apart), axes, keepdims=True)
    share = relax.op.rsqrt(relax.op.add(spread, relax.const(float(attrs.epsilon), wide)))
    made = relax.op.reshape(relax.op.multiply(apart, share), shape)
    along = [extent if axis in own else 1 for axis, extent in enumerate(shape)]
    for apply, weight in zip((relax.op.multiply, relax.op.add), weights, strict=False):  # some have no shift
        made = builder.emit(apply(made, relax.op.reshape(weight, along)))
    return relax.op.astype(made, dtype) if wide != dtype else made
