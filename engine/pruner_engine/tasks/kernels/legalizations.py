"""Our own kernels of operators for which TVM's kernels cannot be scheduled well or lose accuracy."""

from __future__ import annotations

from math import inf

import tvm
from tvm import relax, te, tirx, topi

from pruner_engine.tasks.graph import OUTER, operator_of, shape_of
from pruner_engine.tasks.kernels.adaptive_pools import adaptive_pools
from pruner_engine.tasks.kernels.concatenations import concatenations
from pruner_engine.tasks.kernels.extremes import extremes
from pruner_engine.tasks.kernels.norms import Legalize, norms
from pruner_engine.tasks.kernels.regions import regions


def softmax(x: te.Tensor, lanes: int) -> te.Tensor:
    """Softmax over the last axis, in rows of a whole number of vectors.

    Args:
        lanes: of a vector. A row that does not fill its last one is continued by values that count as nothing.
    """
    *rows, length = (int(extent) for extent in x.shape)
    wide = -(-length // lanes) * lanes
    if wide != length:
        least = tirx.const(-inf, "float32")  # below all scores, so that its exponential is 0 whatever the largest is
        padded = te.compute(
            (*rows, wide),
            lambda *i: tirx.if_then_else(i[-1] < length, x(*i), least),
            name="softmax_row",
        )
    else:
        padded = x
    k, m = te.reduce_axis((0, wide), name="k"), te.reduce_axis((0, wide), name="k")
    largest = te.compute(rows, lambda *i: te.max(padded(*i, k), axis=k), name="softmax_max")
    powers = te.compute((*rows, wide), lambda *i: te.exp(padded(*i) - largest(*i[:-1])), name="softmax_exp")
    total = te.compute(rows, lambda *i: te.sum(powers(*i, m), axis=m), name="softmax_sum")
    return te.compute((*rows, length), lambda *i: powers(*i) / total(*i[:-1]), name="softmax_norm")


def legalizations(lanes: int) -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's kernels, by operator.

    Args:
        lanes: float32 numbers in a vector of a CPU; 0 for other targets.
    """
    backwards = {name: _alone_backwards(name) for name in ("relax.flip", "relax.strided_slice")}
    softmaxes = {"relax.nn.softmax": _softmax(lanes)} if lanes else {}
    places = {f"relax.{name}": _place_of_one(name) for name in ("argmax", "argmin")}
    kernels = {**norms(), **adaptive_pools(), **concatenations(), **extremes(), **regions()}
    return {**kernels, **places, **backwards, **softmaxes}


def _place_of_one(name: str) -> Legalize:
    """Of an extreme that TVM says is at -1 where no number is beyond the first that it compares with.

    Such are bytes that are all 0, scores that are all masked by -∞, and NaN: the first of them stands for all.
    """
    find = getattr(topi, name)

    def place(x: te.Tensor, axis: int | None, keepdims: bool) -> te.Tensor:
        found = find(x, axis, keepdims)
        return te.compute(found.shape, lambda *i: tirx.max(found(*i), tirx.const(0, found.dtype)), name=f"{name}_place")

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        axis, keepdims = call.attrs.axis, bool(call.attrs.keepdims)
        return builder.call_te(place, call.args[0], axis, keepdims, primfunc_name_hint=name)

    return legalize


def _alone_backwards(name: str) -> Legalize:
    """Of an operator that may read an axis from its end: then its kernel is one with nothing that splits the axis.

    TVM flattens such indices, as (15 - i) // 2 and (15 - i) % 2, wrongly.
    """
    stock: Legalize = tvm.ir.Op.get(name).get_attr("FLegalize")

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        made = stock(builder, call)
        if _reads_backwards(call) and operator_of(made) == "relax.call_tir":
            kernel = made.args[0]
            builder.update_func(kernel, builder.get()[kernel].with_attrs(OUTER))
        return made

    return legalize


def _reads_backwards(call: relax.Call) -> bool:
    strides = call.args[4] if len(call.args) > 4 else None  # of a slice
    known = strides.fields if isinstance(strides, relax.Tuple) else []
    backwards = any(isinstance(stride, tirx.IntImm) and int(stride) < 0 for stride in known)
    return backwards or operator_of(call) == "relax.flip"


def _softmax(lanes: int) -> Legalize:
    stock: Legalize = tvm.ir.Op.get("relax.nn.softmax").get_attr("FLegalize")

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        last = int(call.attrs.axis) in (-1, len(call.ty.shape) - 1)
        if str(call.ty.dtype) != "float32" or not last or shape_of(call) is None:
            return stock(builder, call)
        return builder.call_te(softmax, call.args[0], lanes, primfunc_name_hint="softmax")

    return legalize
