"""Tensors as indices: what is read by them, and what is put where they say.

TVM's importer takes those of several axes one after another, and has no negative ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends.torch.nodes import arguments, dtype_of, extents_of

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_LARGEST = 2  # of the ways in which rows of a bag are one


def _index(importer: Conversion, node: Node) -> relax.Var:
    """Tensors as indices of some axes, which go together as in NumPy; TVM's importer takes them one after another."""
    x, indices = node.args
    data, known = importer.env[x], list(x.meta["val"].shape)
    extents = [now if type(now) is int else open_ for now, open_ in zip(known, data.ty.shape, strict=True)]
    axes = [axis for axis, index in enumerate(indices) if index is not None]
    if len(axes) == 1 and type(extents[axes[0]]) is not int:
        index = importer.as_type(importer.env[indices[axes[0]]], torch.int64)
        return importer.emit(relax.op.take(data, index, axis=axes[0], mode="wrap"))
    flat = _flat(importer, [indices[axis] for axis in axes], [extents[axis] for axis in axes])
    first = axes[0]
    if axes != list(range(first, axes[-1] + 1)):  # then what they make comes first
        others = [axis for axis in range(len(extents)) if axis not in axes]
        data = importer.emit(relax.op.permute_dims(data, [*axes, *others]))
        extents, first = [extents[axis] for axis in (*axes, *others)], 0
    behind = first + len(axes)
    if len(axes) > 1:
        merged = math.prod(extents[first:behind])
        data = importer.emit(relax.op.reshape(data, [*extents[:first], merged, *extents[behind:]]))
    return importer.emit(relax.op.take(data, flat, axis=first))


def _selected(importer: Conversion, node: Node) -> relax.Expr:
    """Rows of an axis, by one number without axes, too; a tensor that has none is its only row."""
    x, axis, index = arguments(node, "self", "dim", "index")
    if not x.meta["val"].dim():
        return importer.env[x]
    if index.meta["val"].dim():
        return importer.stock(node)
    places = importer.emit(relax.op.reshape(importer.env[index], [1]))
    return importer.emit(relax.op.take(importer.env[x], places, axis=axis))


def _index_put(importer: Conversion, node: Node) -> relax.Var:
    """Values put, or added, where tensors of indices of some axes say."""
    x, indices, values, accumulate = arguments(node, "self", "indices", "values", "accumulate")
    axes = [axis for axis, index in enumerate(indices) if index is not None]
    if len(axes) == 1 and dtype_of(indices[axes[0]]) == torch.bool:
        return _put_by_mask(importer, node, indices[axes[0]], axes[0])
    extents = extents_of(x)
    if extents is None:
        raise ValueError("it puts values into a tensor of open shape")
    others = [axis for axis in range(len(extents)) if axis not in axes]
    indexed, rest = [extents[axis] for axis in axes], [extents[axis] for axis in others]
    places = list(torch.broadcast_shapes(*(indices[axis].meta["val"].shape for axis in axes)))
    flat = relax.op.broadcast_to(_flat(importer, [indices[axis] for axis in axes], indexed), places)
    # what is put has the indices' axes where theirs were if these are neighbours, else first
    first = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    shape, behind = [*rest[:first], *places, *rest[first:]], first + len(places)
    source = importer.emit(relax.op.broadcast_to(importer.env[values], shape))
    source = _ordered(importer, source, [*range(first, behind), *range(first), *range(behind, len(shape))])
    data = _ordered(importer, importer.env[x], [*axes, *others])
    put = importer.emit(
        relax.op.scatter_nd(
            importer.emit(relax.op.reshape(data, [math.prod(indexed), *rest])),
            importer.emit(relax.op.reshape(importer.emit(flat), [math.prod(places), 1])),
            importer.emit(relax.op.reshape(source, [math.prod(places), *rest])),
            reduction="add" if accumulate else "update",
        )
    )
    made = importer.emit(relax.op.reshape(put, [*indexed, *rest]))
    return _ordered(importer, made, [[*axes, *others].index(axis) for axis in range(len(extents))])


def _put_by_mask(importer: Conversion, node: Node, mask: Node, first: int) -> relax.Var:
    """One number where a mask of some axes, from a first one on, says."""
    x, values, accumulate = arguments(node, "self", "values", "accumulate")
    if values.meta["val"].numel() != 1:
        raise ValueError("it puts values where booleans say, so that their number is known only when it runs")
    data, number = importer.env[x], importer.emit(relax.op.reshape(importer.env[values], []))
    rank, covered = x.meta["val"].dim(), mask.meta["val"].dim()
    around = [*range(first), *range(first + covered, rank)]
    chosen = importer.env[mask]
    if around:
        chosen = importer.emit(relax.op.expand_dims(chosen, around))
    if accumulate:
        number = importer.emit(relax.op.add(data, number))
    return importer.emit(relax.op.where(chosen, number, data))


def _ordered(importer: Conversion, value: relax.Expr, axes: list[int]) -> relax.Expr:
    return value if axes == sorted(axes) else importer.emit(relax.op.permute_dims(value, axes))


def _flat(importer: Conversion, indices: list[Node], extents: list[Any]) -> relax.Expr:
    """Indices of some axes as those of one axis that the axes are merged to, none of them negative."""
    flat = None
    for node, extent in zip(indices, extents, strict=True):
        if dtype_of(node) == torch.bool:
            raise UserError(
                f"The model selects by booleans ({node.name}), so that a shape is known only when it runs.",
                "Select before the model, or keep all and weigh them with the booleans (torch.where).",
            )
        if type(extent) is not int and (flat is not None or not _counts_up(node)):
            raise ValueError("it indexes an axis of open size, where indices may count from its end")
        index = importer.as_type(importer.env[node], torch.int64)
        if not _counts_up(node):
            below = importer.emit(relax.op.less(index, relax.const(0, "int64")))
            counted = relax.op.add(index, relax.const(extent, "int64"))
            index = importer.emit(relax.op.where(below, counted, index))
        if flat is not None:
            index = relax.op.add(relax.op.multiply(flat, relax.const(extent, "int64")), index)
        flat = importer.emit(index)
    return flat


def _counts_up(node: Node) -> bool:
    """Whether indices are 0, 1, 2 and so on, so that none is negative."""
    while node.target is torch.ops.aten.unsqueeze.default:
        node = node.args[0]
    if getattr(node.target, "overloadpacket", None) is not torch.ops.aten.arange:
        return False
    return all(value is None or (type(value) is int and value >= 0) for value in arguments(node, "start", "step"))


def _embedding_bag(importer: Conversion, node: Node) -> list[relax.Expr]:
    """Sums, means or maxima of table rows, where all bags have the same size: those of a matrix of indices."""
    names = ("weight", "indices", "offsets", "mode", "per_sample_weights", "include_last_offset", "padding_idx")
    table, indices, offsets, mode, weights, last, padding = arguments(node, *names)
    first, end, size = (*offsets.args, None, None, None)[:3]
    whole = all(type(n) is int for n in (first, end, size))
    if offsets.target is not torch.ops.aten.arange.start_step or not whole or first != 0 or end % size:
        raise ValueError("it has bags whose sizes are known only when it runs")
    if last:
        raise ValueError("it has bags with an offset of their end")
    bags, width = end // size, table.meta["val"].shape[1]
    rows = importer.emit(relax.op.take(importer.env[table], importer.env[indices], axis=0))
    rows = importer.emit(relax.op.reshape(rows, [bags, size, width]))
    if weights is not None:
        rows = importer.emit(relax.op.multiply(rows, relax.op.reshape(importer.env[weights], [bags, size, 1])))
    if padding < 0:
        return [importer.emit((relax.op.sum, relax.op.mean, relax.op.max)[mode](rows, axis=1))]
    index = importer.as_type(importer.env[indices], torch.int64)
    kept = importer.emit(relax.op.not_equal(index, relax.const(padding, "int64")))
    return [_of_kept(importer, rows, importer.emit(relax.op.reshape(kept, [bags, size, 1])), mode)]


def _of_kept(importer: Conversion, rows: relax.Expr, kept: relax.Expr, mode: int) -> relax.Expr:
    """Sums, means or maxima of the rows that are no padding; zeros where all are."""
    dtype = str(rows.ty.dtype)
    zero, counted = relax.const(0, dtype), importer.emit(relax.op.astype(kept, dtype))
    many = importer.emit(relax.op.sum(counted, axis=1))
    if mode == _LARGEST:
        lowest = relax.const(float(torch.finfo(getattr(torch, dtype)).min), dtype)
        found = importer.emit(relax.op.max(importer.emit(relax.op.where(kept, rows, lowest)), axis=1))
        return importer.emit(relax.op.where(importer.emit(relax.op.greater(many, zero)), found, zero))
    total = importer.emit(relax.op.sum(importer.emit(relax.op.where(kept, rows, zero)), axis=1))
    return total if mode == 0 else importer.emit(relax.op.divide(total, relax.op.maximum(many, relax.const(1, dtype))))


INDICES: dict[str, Callable[[Conversion, Node], Any]] = {
    "_embedding_bag.default": _embedding_bag,
    "_embedding_bag_forward_only.default": _embedding_bag,
    "index.Tensor": _index,
    "index_put.default": _index_put,
    "index_select.default": _selected,
}
