"""What is taken along axes, or of all numbers: sums so far, products, extremes, norms, moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, extents_of, summed_as, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def _running(op: Callable[..., relax.Expr], importer: Conversion, node: Node) -> relax.Var:
    """Sums and products so far; of booleans and small whole numbers they are larger ones, which TVM's are not."""
    x, dim = arguments(node, "self", "dim")
    return importer.emit(op(importer.as_type(importer.env[x], dtype_of(node)), axis=dim))


def _any(importer: Conversion, node: Node) -> relax.Expr:
    """Whether a number is not 0, along some axes or all: TVM takes the largest for it, which may be 0 above others."""
    x, axes, keep = arguments(node, "self", "dim", "keepdim")
    if 0 in (extents_of(x) or []):
        return importer.emit(relax.op.zeros(list(node.meta["val"].shape), "bool"))
    data, dtype = importer.env[x], dtype_of(x)
    ones = relax.op.astype(data, "int8") if dtype == torch.bool else _ones(importer, data, dtype, torch.int8)
    return importer.emit(relax.op.max(ones, axis=axes, keepdims=bool(keep)))


def _ones(importer: Conversion, data: relax.Expr, dtype: torch.dtype, made: torch.dtype) -> relax.Var:
    """1 for each number that is not 0, NaN too, which to TVM does not differ from it."""
    zeros = relax.op.equal(data, relax.const(0, type_name(dtype)))
    zero, one = (relax.const(number, type_name(made)) for number in (0, 1))
    return importer.emit(relax.op.where(zeros, zero, one))


def _extreme(op: Callable[..., relax.Expr], importer: Conversion, node: Node) -> relax.Var:
    """The largest or least along some axes, none of them for all; TVM's importer knows those of one axis only, and no
    kernel of TVM those of booleans."""
    x, axes, keep = arguments(node, "self", "dim", "keepdim")
    dtype = dtype_of(x)
    data = importer.as_type(importer.env[x], torch.int8 if dtype == torch.bool else dtype)
    return importer.emit(op(data, axis=_over(axes), keepdims=bool(keep)))


def _factors(importer: Conversion, node: Node) -> relax.Var:
    """The product along an axis, or of all numbers, which alone TVM's importer has; whole ones are of 64 bits."""
    x, axis, keep = arguments(node, "self", "dim", "keepdim")
    data = importer.as_type(importer.env[x], dtype_of(node))
    return importer.emit(relax.op.prod(data, axis=axis, keepdims=bool(keep)))


def _norm(importer: Conversion, node: Node) -> relax.Expr:
    """A norm along some axes, none of them for all, of halves in float32: their powers are too large, or too small,
    for them. Of order 0 it is how many numbers are not 0; TVM divides by the order, and takes squares of sizes."""
    x, order, axes, keep = arguments(node, "self", "ord", "dim", "keepdim")
    order = 2 if order is None else order
    data = importer.as_type(importer.env[x], summed_as(node))
    if order == 0:
        ones = _ones(importer, data, summed_as(node), summed_as(node))
        return importer.emit(relax.op.sum(ones, axis=_over(axes), keepdims=bool(keep)))
    if order == 2:
        squares = importer.emit(relax.op.multiply(data, data))
        return importer.emit(relax.op.sqrt(relax.op.sum(squares, axis=_over(axes), keepdims=bool(keep))))
    if axes is not None:
        node.update_arg(2, _over(axes))
    return importer.stock(node, {x: data})


def _largest(importer: Conversion, node: Node) -> relax.Var:
    """The largest numbers along an axis, or the least, always in order: TVM's importer refuses those in any."""
    x, many, axis, largest = arguments(node, "self", "k", "dim", "largest")
    return importer.emit(relax.op.topk(_sortable(importer, x), many, axis, "both", largest, "int64"))


def _sort(importer: Conversion, node: Node) -> list[relax.Expr]:
    """The numbers along an axis in order, and where they were."""
    x, axis, down = arguments(node, "self", "dim", "descending")
    places = importer.emit(relax.op.argsort(_sortable(importer, x), axis, down, dtype="int64"))
    return [importer.emit(relax.op.gather_elements(importer.env[x], places, axis=axis)), places]


def _sortable(importer: Conversion, x: Node) -> relax.Expr:
    """In a type that TVM sorts: it has none for bytes and booleans, and takes bfloat16 for whole numbers."""
    dtype = dtype_of(x)
    return importer.as_type(importer.env[x], _SORTED_AS.get(dtype, dtype))


_SMALL = (torch.bool, torch.int8, torch.uint8, torch.int16)
_SORTED_AS = {**dict.fromkeys(_SMALL, torch.int32), torch.bfloat16: torch.float32}


def _variance(importer: Conversion, node: Node) -> relax.Expr:
    """Of no more numbers than the correction it is infinite, and NaN of equal ones."""
    x, axes, correction, keep = arguments(node, "self", "dim", "correction", "keepdim")
    over, correction = _over(axes), 1 if correction is None else correction
    variance = importer.emit(relax.op.variance(importer.env[x], axis=over, keepdims=bool(keep)))
    if correction == 0:
        return variance
    extents = [x.meta["val"].shape[axis] for axis in over or range(x.meta["val"].dim())]
    if not all(type(extent) is int for extent in extents):
        raise ValueError("it takes a variance of an open number of elements")
    many = math.prod(extents)
    free = max(many - correction, 0)
    share = relax.const(many / free if free else math.inf, type_name(dtype_of(x)))
    return importer.emit(relax.op.multiply(variance, share))


def _variance_and_mean(importer: Conversion, node: Node) -> list[relax.Expr]:
    return [_variance(importer, node), _mean(importer, node)]


def _mean(importer: Conversion, node: Node) -> relax.Expr:
    x, axes, dtype, keep = arguments(node, "self", "dim", "dtype", "keepdim")
    if 0 in (extents_of(x) or []):  # 0 by 0
        shape, kind = extents_of(node), type_name(dtype_of(node))
        return importer.emit(relax.op.full(shape, relax.const(math.nan, kind), kind))
    data = importer.env[x] if dtype is None else importer.as_type(importer.env[x], dtype)
    return importer.emit(relax.op.mean(data, axis=_over(axes), keepdims=bool(keep)))


def _over(axes: Sequence[int] | None) -> list[int] | None:
    """Axes as TVM takes them: all where none are named."""
    return list(axes) if axes else None


def _channel_norm(importer: Conversion, node: Node) -> relax.Expr:
    """By what goes in itself (InstanceNorm), of halves in float32, as their sums are too large for them."""
    return importer.stock(node, {x: importer.as_type(importer.env[x], summed_as(x)) for x in node.all_input_nodes})


def _group_norm(importer: Conversion, node: Node) -> list[relax.Expr]:
    """With scales of 1 and shifts of 0 where there are none; of halves in float32: their sums are too large for them,
    and TVM refuses bfloat16."""
    x, scale, shift, channels, groups, eps = arguments(node, "input", "weight", "bias", "C", "group", "eps")
    wide = summed_as(x)
    if type(channels) is not int:
        raise ValueError("it normalises groups of an open number of channels")
    data, *factors = (
        importer.as_type(importer.env[given], wide) if given is not None else relax.const(absent, type_name(wide))
        for given, absent in ((x, None), (scale, np.ones(channels)), (shift, np.zeros(channels)))
    )
    axes = list(range(2, x.meta["val"].dim()))
    made = importer.emit(relax.op.nn.group_norm(data, *factors, groups, 1, axes, eps))
    return [importer.as_type(made, dtype_of(x))]


REDUCTIONS: dict[str, Callable[[Conversion, Node], Any]] = {
    "_native_batch_norm_legit.no_stats": _channel_norm,
    "amax.default": partial(_extreme, relax.op.max),
    "amin.default": partial(_extreme, relax.op.min),
    "any.default": _any,
    "any.dim": _any,
    "any.dims": _any,
    "cumprod.default": partial(_running, relax.op.cumprod),
    "cumsum.default": partial(_running, relax.op.cumsum),
    "linalg_vector_norm.default": _norm,
    "max.default": partial(_extreme, relax.op.max),
    "mean.default": _mean,
    "mean.dim": _mean,
    "min.default": partial(_extreme, relax.op.min),
    "native_group_norm.default": _group_norm,
    "prod.default": _factors,
    "prod.dim_int": _factors,
    "sort.default": _sort,
    "topk.default": _largest,
    "var.correction": _variance,
    "var_mean.correction": _variance_and_mean,
}
