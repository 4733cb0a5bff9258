"""TVM's importer of PyTorch programs, held against what PyTorch says of each value; operators where it errs, or none.

A wrong type is converted (TVM computes all products as float32, whatever goes in); a wrong shape is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.fx import Node
from tvm import relax
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter
from tvm.tirx import IntImm

from pruner_engine.frontends.torch.images import IMAGES
from pruner_engine.frontends.torch.nodes import arguments, extents_of, type_name
from pruner_engine.frontends.torch.quantised import QUANTISED

_REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}


class Importer(ExportedProgramImporter):
    def create_convert_map(self) -> dict[Any, Callable[[Node], Any]]:
        """How each operator is converted, by name."""
        self._stock: dict[Any, Callable[[Node], Any]] = super().create_convert_map()
        ours = {name: partial(convert, self) for name, convert in {**_OURS, **IMAGES, **QUANTISED}.items()}
        return {name: partial(self._checked, convert) for name, convert in {**self._stock, **ours}.items()}

    def _checked(self, convert: Callable[[Node], Any], node: Node) -> Any:
        made, meant = convert(node), node.meta.get("val")
        if not isinstance(meant, torch.Tensor) or not isinstance(getattr(made, "ty", None), relax.TensorType):
            return made
        shape = list(made.ty.shape) if isinstance(made.ty.shape, relax.ShapeExpr) else None
        if shape is not None and not _may_be(shape, list(meant.shape)):
            raise ValueError(f"{node.target} of shape {shape} instead of {list(meant.shape)}")
        return self.as_type(made, meant.dtype)

    def stock(self, node: Node) -> Any:
        """What TVM makes of a node."""
        return self._stock[node.target.__name__](node)

    def emit(self, value: relax.Expr) -> relax.Var:
        return self.block_builder.emit(value)

    def as_type(self, value: relax.Expr, dtype: torch.dtype) -> relax.Expr:
        wanted = type_name(dtype)
        return value if str(value.ty.dtype) == wanted else self.emit(relax.op.astype(value, wanted))


def _may_be(shape: list[Any], meant: list[Any]) -> bool:
    """Whether a shape of TVM is one of PyTorch's, as far as both are known."""
    pairs = zip(shape, meant, strict=False)
    known = ((int(ours), theirs) for ours, theirs in pairs if isinstance(ours, IntImm) and type(theirs) is int)
    return len(shape) == len(meant) and all(ours == theirs for ours, theirs in known)


def _clamp(importer: Importer, node: Node) -> relax.Expr:
    """Between bounds, the upper one where they are the wrong way round: TVM gives the lower one."""
    x, low, high = arguments(node, "self", "min", "max")
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        return importer.emit(relax.op.full_like(importer.env[x], relax.const(high, type_name(node.meta["val"].dtype))))
    return importer.stock(node)


def _cumsum(importer: Importer, node: Node) -> relax.Var:
    """cumsum of booleans counts them: TVM's own converter keeps the type, which LLVM then refuses."""
    x, dim = arguments(node, "self", "dim")
    return importer.emit(relax.op.cumsum(importer.as_type(importer.env[x], node.meta["val"].dtype), axis=dim))


def _any(importer: Importer, node: Node) -> relax.Expr:
    """Whether a number is not 0, along some axes or all: TVM takes the largest for it, which may be 0 above others."""
    x, axes, keep = arguments(node, "self", "dim", "keepdim")
    data = importer.env[x]
    if x.meta["val"].dtype != torch.bool:
        data = importer.emit(relax.op.not_equal(data, relax.const(0, type_name(x.meta["val"].dtype))))
    return importer.emit(relax.op.max(relax.op.astype(data, "int8"), axis=axes, keepdims=bool(keep)))


def _elu(importer: Importer, node: Node) -> relax.Expr:
    """ELU with factors of its result and of what goes in (SELU has the first): TVM knows neither."""
    x, alpha, scale, inner = arguments(node, "self", "alpha", "scale", "input_scale")
    if scale == inner == 1:
        return importer.stock(node)
    data = importer.env[x]

    def number(value: float) -> relax.Expr:
        return relax.const(value, type_name(node.meta["val"].dtype))

    below = relax.op.subtract(relax.op.exp(relax.op.multiply(data, number(inner))), number(1))
    below = importer.emit(relax.op.multiply(below, number(alpha * scale)))
    above = importer.emit(relax.op.multiply(data, number(scale)))
    return importer.emit(relax.op.where(relax.op.greater(data, number(0)), above, below))


def _extreme(op: Callable[..., relax.Expr], importer: Importer, node: Node) -> relax.Var:
    """The largest or least along some axes, none of them for all; TVM's importer knows those of one axis only."""
    x, axes, keep = arguments(node, "self", "dim", "keepdim")
    return importer.emit(op(importer.env[x], axis=list(axes) if axes else None, keepdims=bool(keep)))


def _full(importer: Importer, node: Node) -> relax.Expr:
    """A tensor of one number, which may be infinite: TVM fails to make such a one."""
    (value,), shape = arguments(node, "fill_value"), extents_of(node)
    if math.isfinite(value) or shape is None:
        return importer.stock(node)
    number = relax.const(value, type_name(node.meta["val"].dtype))
    return importer.emit(relax.op.broadcast_to(number, shape))


def _product(importer: Importer, node: Node) -> relax.Var:
    return _matmul(importer, node, *node.args[:2])


def _product_and_sum(importer: Importer, node: Node) -> relax.Var:
    """addmm and baddbmm."""
    addend, a, b, beta, alpha = arguments(node, "self", *_OPERANDS[node.target], "beta", "alpha")
    total = _matmul(importer, node, a, b)
    name = type_name(_summed_as(node))
    if alpha != 1:
        total = importer.emit(relax.op.multiply(total, relax.const(alpha, name)))
    if beta == 0:
        return total
    other = importer.as_type(importer.env[addend], _summed_as(node))
    if beta != 1:
        other = importer.emit(relax.op.multiply(other, relax.const(beta, name)))
    return importer.emit(relax.op.add(total, other))


def _matmul(importer: Importer, node: Node, a: Node, b: Node) -> relax.Var:
    """The product of two values for a node."""
    return importer.emit(relax.op.matmul(importer.env[a], importer.env[b], out_dtype=type_name(_summed_as(node))))


def _summed_as(node: Node) -> torch.dtype:
    """What a product is summed in: float32 where the operands are halves, as PyTorch does it."""
    dtype: torch.dtype = node.meta["val"].dtype
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def _convolution(importer: Importer, node: Node) -> relax.Expr:
    """TVM's own, and the bias after it, which it would add to float32 whatever its type; transposed in 3-D too."""
    bias, dtype, args = node.args[2], node.meta["val"].dtype, node.args
    inner = node.meta["val"].dim() - 2
    if node.args[6] and inner == 3:
        x, weight, _, strides, padding, dilation, _, behind, groups = args
        operands = importer.env[x], importer.env[weight]
        made = importer.emit(
            relax.op.nn.conv3d_transpose(*operands, strides, padding, behind, dilation, groups, out_dtype="float32")
        )
    else:
        node.args = (*args[:2], None, *args[3:])
        try:
            made = importer.stock(node)
        finally:
            node.args = args
    made = importer.as_type(made, dtype)
    if bias is None:
        return made
    return importer.emit(relax.op.add(made, relax.op.reshape(importer.env[bias], [1, -1, *[1] * inner])))


def _index(importer: Importer, node: Node) -> relax.Var:
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


def _index_put(importer: Importer, node: Node) -> relax.Var:
    """Values put, or added, where tensors of indices of the first axes say."""
    x, indices, values, accumulate = arguments(node, "self", "indices", "values", "accumulate")
    extents = extents_of(x)
    if None in indices or extents is None:
        raise ValueError("it puts values along later axes only, or into a tensor of open shape")
    indexed, rest = extents[: len(indices)], extents[len(indices) :]
    places = list(torch.broadcast_shapes(*(index.meta["val"].shape for index in indices)))
    flat = relax.op.broadcast_to(_flat(importer, indices, indexed), places)
    put = importer.emit(
        relax.op.scatter_nd(
            importer.emit(relax.op.reshape(importer.env[x], [math.prod(indexed), *rest])),
            importer.emit(relax.op.reshape(importer.emit(flat), [math.prod(places), 1])),
            importer.emit(
                relax.op.reshape(
                    importer.emit(relax.op.broadcast_to(importer.env[values], [*places, *rest])),
                    [math.prod(places), *rest],
                )
            ),
            reduction="add" if accumulate else "update",
        )
    )
    return importer.emit(relax.op.reshape(put, extents))


def _flat(importer: Importer, indices: list[Node], extents: list[Any]) -> relax.Expr:
    """Indices of some axes as those of one axis that the axes are merged to, none of them negative."""
    flat = None
    for node, extent in zip(indices, extents, strict=True):
        if node.meta["val"].dtype == torch.bool:
            raise ValueError("it selects by booleans, so that a shape is known only when it runs")
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


def _grid_sampler(importer: Importer, node: Node) -> relax.Var:
    """TVM has the coordinates on the second axis, PyTorch on the last."""
    names = ("input", "grid", "interpolation_mode", "padding_mode", "align_corners")
    x, grid, method, outside, corners = arguments(node, *names)
    return importer.emit(
        relax.op.image.grid_sample(
            importer.env[x],
            importer.emit(relax.op.permute_dims(importer.env[grid], [0, 3, 1, 2])),
            method=("bilinear", "nearest", "bicubic")[method],
            layout="NCHW",
            padding_mode=("zeros", "border", "reflection")[outside],
            align_corners=corners,
        )
    )


def _scatter(importer: Importer, node: Node) -> relax.Var:
    """scatter_add and scatter_reduce; the index may be smaller than what is scattered."""
    x, axis, index, src, how, include = arguments(node, "self", "dim", "index", "src", "reduce", "include_self")
    if how not in (None, *_REDUCTIONS) or include is False:
        raise ValueError(f"it scatters by {how}, without what was there before")
    extents = extents_of(index)
    source = importer.env[src]
    if extents is not None and extents != list(src.meta["val"].shape):
        axes = list(range(len(extents)))
        source = importer.emit(relax.op.strided_slice(source, axes, [0] * len(axes), extents))
    return importer.emit(
        relax.op.scatter_elements(
            importer.env[x], importer.env[index], source, axis=axis, reduction=_REDUCTIONS[how or "sum"]
        )
    )


def _embedding_bag(importer: Importer, node: Node) -> list[relax.Expr]:
    """Sums, means or maxima of table rows, where all bags have the same size: those of a matrix of indices."""
    names = ("weight", "indices", "offsets", "mode", "per_sample_weights", "include_last_offset", "padding_idx")
    table, indices, offsets, mode, weights, last, padding = arguments(node, *names)
    first, end, size = (*offsets.args, None, None, None)[:3]
    whole = all(type(n) is int for n in (first, end, size))
    if offsets.target is not torch.ops.aten.arange.start_step or not whole or first != 0 or end % size:
        raise ValueError("it has bags whose sizes are known only when it runs")
    if last or padding >= 0:
        raise ValueError("it has bags with a padding index, or with an offset of their end")
    bags, width = end // size, table.meta["val"].shape[1]
    rows = importer.emit(relax.op.take(importer.env[table], importer.env[indices], axis=0))
    rows = importer.emit(relax.op.reshape(rows, [bags, size, width]))
    if weights is not None:
        rows = importer.emit(relax.op.multiply(rows, relax.op.reshape(importer.env[weights], [bags, size, 1])))
    return [importer.emit((relax.op.sum, relax.op.mean, relax.op.max)[mode](rows, axis=1))]


def _indices_of_a_triangle(importer: Importer, node: Node) -> relax.Expr:
    return relax.const(node.target(*node.args, **{**node.kwargs, "device": "cpu"}).numpy())


_OPERANDS = {torch.ops.aten.addmm.default: ("mat1", "mat2"), torch.ops.aten.baddbmm.default: ("batch1", "batch2")}
_OURS: dict[str, Callable[[Importer, Node], Any]] = {
    "_embedding_bag.default": _embedding_bag,
    "_embedding_bag_forward_only.default": _embedding_bag,
    "addmm.default": _product_and_sum,
    "amax.default": partial(_extreme, relax.op.max),
    "amin.default": partial(_extreme, relax.op.min),
    "any.default": _any,
    "any.dim": _any,
    "any.dims": _any,
    "baddbmm.default": _product_and_sum,
    "bmm.default": _product,
    "clamp.default": _clamp,
    "convolution.default": _convolution,
    "cumsum.default": _cumsum,
    "elu.default": _elu,
    "full.default": _full,
    "grid_sampler_2d.default": _grid_sampler,
    "index.Tensor": _index,
    "index_put.default": _index_put,
    "mm.default": _product,
    "scatter_add.default": _scatter,
    "scatter_reduce.two": _scatter,
    "tril_indices.default": _indices_of_a_triangle,
    "triu_indices.default": _indices_of_a_triangle,
}
