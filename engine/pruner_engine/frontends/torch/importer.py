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

from pruner_engine.frontends.torch.quantised import QUANTISED

_REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}


class Importer(ExportedProgramImporter):
    def create_convert_map(self) -> dict[Any, Callable[[Node], Any]]:
        """How each operator is converted, by name."""
        self._stock: dict[Any, Callable[[Node], Any]] = super().create_convert_map()
        ours = {name: partial(convert, self) for name, convert in {**_OURS, **QUANTISED}.items()}
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
        wanted = _name(dtype)
        return value if str(value.ty.dtype) == wanted else self.emit(relax.op.astype(value, wanted))


def _name(dtype: torch.dtype) -> str:
    """TVM's name of a type."""
    return str(dtype).removeprefix("torch.")


def _may_be(shape: list[Any], meant: list[Any]) -> bool:
    """Whether a shape of TVM is one of PyTorch's, as far as both are known."""
    pairs = zip(shape, meant, strict=False)
    known = ((int(ours), theirs) for ours, theirs in pairs if isinstance(ours, IntImm) and type(theirs) is int)
    return len(shape) == len(meant) and all(ours == theirs for ours, theirs in known)


def _extents(node: Node) -> list[int] | None:
    """Of a tensor; None where one is open."""
    shape = list(node.meta["val"].shape)
    return shape if all(type(extent) is int for extent in shape) else None


def _arguments(node: Node, *names: str) -> list[Any]:
    """Arguments by position or name, defaults for those that are not given."""
    given = dict(node.kwargs)
    for argument, value in zip(node.target._schema.arguments, node.args, strict=False):
        given[argument.name] = value
    defaults = {a.name: a.default_value for a in node.target._schema.arguments if a.has_default_value()}
    return [given.get(name, defaults.get(name)) for name in names]


def _cumsum(importer: Importer, node: Node) -> relax.Var:
    """cumsum of booleans counts them: TVM's own converter keeps the type, which LLVM then refuses."""
    x, dim = _arguments(node, "self", "dim")
    return importer.emit(relax.op.cumsum(importer.as_type(importer.env[x], node.meta["val"].dtype), axis=dim))


def _extreme(op: Callable[..., relax.Expr], importer: Importer, node: Node) -> relax.Var:
    """The largest or least along some axes, none of them for all; TVM's importer knows those of one axis only."""
    x, axes, keep = _arguments(node, "self", "dim", "keepdim")
    return importer.emit(op(importer.env[x], axis=list(axes) if axes else None, keepdims=bool(keep)))


def _full(importer: Importer, node: Node) -> relax.Expr:
    """A tensor of one number, which may be infinite: TVM fails to make such a one."""
    (value,), shape = _arguments(node, "fill_value"), _extents(node)
    if math.isfinite(value) or shape is None:
        return importer.stock(node)
    number = relax.const(value, _name(node.meta["val"].dtype))
    return importer.emit(relax.op.broadcast_to(number, shape))


def _product(importer: Importer, node: Node) -> relax.Var:
    return _matmul(importer, node, *node.args[:2])


def _product_and_sum(importer: Importer, node: Node) -> relax.Var:
    """addmm and baddbmm."""
    addend, a, b, beta, alpha = _arguments(node, "self", *_OPERANDS[node.target], "beta", "alpha")
    total = _matmul(importer, node, a, b)
    name = _name(_summed_as(node))
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
    return importer.emit(relax.op.matmul(importer.env[a], importer.env[b], out_dtype=_name(_summed_as(node))))


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
    data, extents = importer.env[x], _extents(x)
    if extents is None:
        return importer.stock(node)
    axes = [axis for axis, index in enumerate(indices) if index is not None]
    together = axes == list(range(axes[0], axes[-1] + 1))
    if not together:  # then what they make comes first
        others = [axis for axis in range(len(extents)) if axis not in axes]
        data = importer.emit(relax.op.permute_dims(data, [*axes, *others]))
        extents = [extents[axis] for axis in (*axes, *others)]
    first = axes[0] if together else 0
    if len(axes) == 1:  # `count_from_the_start` looks at this one
        return importer.emit(relax.op.take(data, importer.env[indices[first]], axis=first))
    behind = first + len(axes)
    indexed = extents[first:behind]
    data = importer.emit(relax.op.reshape(data, [*extents[:first], math.prod(indexed), *extents[behind:]]))
    return importer.emit(relax.op.take(data, _flat(importer, [indices[axis] for axis in axes], indexed), axis=first))


def _index_put(importer: Importer, node: Node) -> relax.Var:
    """Values put, or added, where tensors of indices of the first axes say."""
    x, indices, values, accumulate = _arguments(node, "self", "indices", "values", "accumulate")
    extents = _extents(x)
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


def _flat(importer: Importer, indices: list[Node], extents: list[int]) -> relax.Expr:
    """Indices of some axes as those of one axis that the axes are merged to, none of them negative."""
    flat = None
    for node, extent in zip(indices, extents, strict=True):
        if node.meta["val"].dtype == torch.bool:
            raise ValueError("it selects by booleans, so that a shape is known only when it runs")
        index, length = importer.as_type(importer.env[node], torch.int64), relax.const(extent, "int64")
        below = importer.emit(relax.op.less(index, relax.const(0, "int64")))
        index = importer.emit(relax.op.where(below, relax.op.add(index, length), index))
        flat = index if flat is None else importer.emit(relax.op.add(relax.op.multiply(flat, length), index))
    return flat


def _grid_sampler(importer: Importer, node: Node) -> relax.Var:
    """TVM has the coordinates on the second axis, PyTorch on the last."""
    names = ("input", "grid", "interpolation_mode", "padding_mode", "align_corners")
    x, grid, method, outside, corners = _arguments(node, *names)
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
    x, axis, index, src, how, include = _arguments(node, "self", "dim", "index", "src", "reduce", "include_self")
    if how not in (None, *_REDUCTIONS) or include is False:
        raise ValueError(f"it scatters by {how}, without what was there before")
    extents = _extents(index)
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
    table, indices, offsets, mode, weights, last, padding = _arguments(node, *names)
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
    return relax.const(node.target(*node.args, **node.kwargs).numpy())


_OPERANDS = {torch.ops.aten.addmm.default: ("mat1", "mat2"), torch.ops.aten.baddbmm.default: ("batch1", "batch2")}
_OURS: dict[str, Callable[[Importer, Node], Any]] = {
    "_embedding_bag.default": _embedding_bag,
    "_embedding_bag_forward_only.default": _embedding_bag,
    "addmm.default": _product_and_sum,
    "amax.default": partial(_extreme, relax.op.max),
    "amin.default": partial(_extreme, relax.op.min),
    "baddbmm.default": _product_and_sum,
    "bmm.default": _product,
    "convolution.default": _convolution,
    "cumsum.default": _cumsum,
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
