"""scatter and its kinds, by indices that may be fewer than what goes in and what it goes into, with or without what was
there before: TVM's importer has one of these forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.scattered import flat_places, suits_tvm
from pruner_engine.frontends.torch.nodes import arguments, dtype_of, extents_of, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_REDUCTIONS = {"amax": "max", "amin": "min", "multiply": "mul", "prod": "mul"}  # others add


def _scatter(reduction: str, importer: Conversion, node: Node) -> relax.Expr:
    x, how, include = arguments(node, "self", "reduce", "include_self")
    dtype = dtype_of(node)
    if how == "mean" and not dtype.is_floating_point:
        raise ValueError("it scatters means of whole numbers")
    put, filled = partial(_put, importer, node), partial(_filled, importer, node)
    into = importer.env[x] if include is not False else put(importer.env[x], filled(_neutral(how, dtype)), "update")
    total = put(into, _source(importer, node), _REDUCTIONS.get(how, "add") if how else reduction)
    if how != "mean":
        return total
    count = importer.emit(relax.op.full_like(into, relax.const(1, type_name(dtype))))
    if include is False:
        count = put(count, filled(0), "update")
    return importer.emit(relax.op.divide(total, put(count, filled(1), "add")))


def _neutral(how: str, dtype: torch.dtype) -> float:
    """What changes nothing when numbers are reduced."""
    limits = (-math.inf, math.inf) if dtype.is_floating_point else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    return {"prod": 1, "amax": limits[0], "amin": limits[1]}.get(how, 0)


def _filled(importer: Conversion, node: Node, value: float) -> relax.Var:
    """A number in the shape of the index."""
    (index,) = arguments(node, "index")
    number = relax.const(value, type_name(dtype_of(node)))
    return importer.emit(relax.op.broadcast_to(number, importer.env[index].ty.shape))


def _put(importer: Conversion, node: Node, data: relax.Expr, source: relax.Expr, reduction: str) -> relax.Var:
    """The source scattered into data as a node says."""
    x, axis, index = arguments(node, "self", "dim", "index")
    scatter = partial(relax.op.scatter_elements, reduction=reduction)
    indices, shapes = importer.env[index], (_extents(x), _extents(index))
    axis = axis % max(len(shapes[0]), 1)
    if suits_tvm(*shapes, axis):
        return importer.emit(scatter(data, indices, source, axis=axis))
    whole, sizes = extents_of(x), extents_of(index)
    if whole is None or sizes is None:
        raise ValueError("it scatters into a part of a tensor of open shape")
    step, starts = flat_places(whole, sizes, axis)
    along = relax.op.multiply(importer.as_type(indices, torch.int64), relax.const(step, "int64"))
    places = importer.emit(relax.op.add(along, relax.const(starts, "int64")))
    flat = [importer.emit(relax.op.reshape(part, [-1])) for part in (data, places, source)]
    return importer.emit(relax.op.reshape(importer.emit(scatter(*flat, axis=0)), whole))


def _source(importer: Conversion, node: Node) -> relax.Expr:
    """What is scattered, in the shape of the index, which may be smaller."""
    index, src, value = arguments(node, "index", "src", "value")
    if src is None:
        return _filled(importer, node, value)
    wanted = index.meta["val"].shape
    axes = [n for n, (has, wants) in enumerate(zip(_extents(src), _extents(index), strict=True)) if has != wants]
    if not axes:
        return importer.env[src]
    if not all(isinstance(wanted[n], int) for n in axes):
        raise ValueError("it scatters a part of a tensor, and how much is open")
    return importer.emit(relax.op.strided_slice(importer.env[src], axes, [0] * len(axes), [wanted[n] for n in axes]))


def _extents(node: Node) -> list[str]:
    """Of a tensor, those that are open by their names: compared as numbers, they would be what they were at export."""
    return [str(extent) for extent in node.meta["val"].shape]


SCATTERS: dict[str, Callable[[Conversion, Node], relax.Expr]] = {
    "scatter_add.default": partial(_scatter, "add"),
    **{
        f"scatter{kind}": partial(_scatter, "update")
        for kind in (".reduce", ".src", ".value", ".value_reduce", "_reduce.two")
    },
}
