"""TVM's importer of PyTorch programs, held against what PyTorch says of each value; operators where it errs, or none.

A wrong type is converted (TVM computes all products as float32, whatever goes in); a wrong shape is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.fx import Node
from tvm import relax
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter
from tvm.tirx import IntImm

from pruner_engine.errors import UserError
from pruner_engine.frontends.torch.complex_numbers import COMPLEX, is_of_complex, of_complex
from pruner_engine.frontends.torch.images import IMAGES
from pruner_engine.frontends.torch.indices import INDICES
from pruner_engine.frontends.torch.nodes import arguments, extents_of, type_name
from pruner_engine.frontends.torch.quantised import QUANTISED
from pruner_engine.frontends.torch.scatter import SCATTERS


class Importer(ExportedProgramImporter):
    def create_convert_map(self) -> dict[Any, Callable[[Node], Any]]:
        """How each operator is converted, by name."""
        self._stock: dict[Any, Callable[[Node], Any]] = super().create_convert_map()
        converters = {**_OURS, **COMPLEX, **IMAGES, **INDICES, **QUANTISED, **SCATTERS}
        ours = {name: partial(convert, self) for name, convert in converters.items()}
        return {name: partial(self._checked, convert) for name, convert in {**self._stock, **ours}.items()}

    def known(self) -> set[str]:
        """Names of the operators that it converts."""
        return {name for name in self.convert_map if isinstance(name, str)}

    def refuse_unknown(self, program: Any) -> None:
        """Raises UserError where a program calls operators that are not converted."""
        called = {node.target.__name__ for node in program.graph.nodes if node.op == "call_function"}
        unknown = {name.partition(".")[0] for name in called - self.known()} - {"with_effects"}  # which calls others
        if unknown:
            raise UserError(
                f"The model computes {', '.join(sorted(unknown))}, which cannot be imported.",
                "Write that part with other operators of PyTorch, or export the model without it.",
            )

    def _checked(self, convert: Callable[[Node], Any], node: Node) -> Any:
        made = of_complex(self, convert, node) if is_of_complex(node) else convert(node)
        meant = node.meta.get("val")
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


def _running(op: Callable[..., relax.Expr], importer: Importer, node: Node) -> relax.Var:
    """Sums and products so far; of booleans and small whole numbers they are larger ones, which TVM's are not."""
    x, dim = arguments(node, "self", "dim")
    return importer.emit(op(importer.as_type(importer.env[x], node.meta["val"].dtype), axis=dim))


def _counted(importer: Importer, node: Node) -> relax.Expr:
    """Numbers from one to another, which may go down: TVM makes too many of those."""
    first, end, step = arguments(node, "start", "end", "step")
    if not all(isinstance(number, int | float) for number in (first, end, step)) or step > 0:
        return importer.stock(node)
    return relax.const(torch.arange(first, end, step).numpy())


def _joined(importer: Importer, node: Node) -> relax.Expr:
    """Without operands that have no elements, whose rank may be another: a cache begins as such a one."""
    operands, axis = arguments(node, "tensors", "dim")
    parts = [importer.env[x] for x in operands if 0 not in (extents_of(x) or [])]
    if len(parts) in (0, len(operands)):
        return importer.stock(node)
    return importer.emit(relax.op.concat(parts, axis)) if len(parts) > 1 else parts[0]


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
    """The largest or least along some axes, none of them for all; TVM's importer knows those of one axis only, and no
    kernel of TVM those of booleans."""
    x, axes, keep = arguments(node, "self", "dim", "keepdim")
    dtype = x.meta["val"].dtype
    data = importer.as_type(importer.env[x], torch.int8 if dtype == torch.bool else dtype)
    return importer.emit(op(data, axis=list(axes) if axes else None, keepdims=bool(keep)))


def _full(importer: Importer, node: Node) -> relax.Expr:
    """A tensor of one number, which may be infinite: TVM fails to make such a one."""
    (value,), shape = arguments(node, "fill_value"), extents_of(node)
    if math.isfinite(value) or shape is None:
        return importer.stock(node)
    number = relax.const(value, type_name(node.meta["val"].dtype))
    return importer.emit(relax.op.broadcast_to(number, shape))


def _factors(importer: Importer, node: Node) -> relax.Var:
    """The product along an axis, or of all numbers, which alone TVM's importer has; whole ones are of 64 bits."""
    x, axis, keep = arguments(node, "self", "dim", "keepdim")
    data = importer.as_type(importer.env[x], node.meta["val"].dtype)
    return importer.emit(relax.op.prod(data, axis=axis, keepdims=bool(keep)))


def _norm(importer: Importer, node: Node) -> relax.Expr:
    """A norm, of halves in float32: their powers are too large, or too small, for them."""
    x = node.args[0]
    given = importer.env[x]
    importer.env[x] = importer.as_type(given, _summed_as(node))
    try:
        return importer.stock(node)
    finally:
        importer.env[x] = given


def _largest(importer: Importer, node: Node) -> relax.Var:
    """The largest numbers along an axis, or the least, always in order: TVM's importer refuses those in any."""
    x, many, axis, largest = arguments(node, "self", "k", "dim", "largest")
    return importer.emit(relax.op.topk(importer.env[x], many, axis, "both", largest, "int64"))


def _variance_and_mean(importer: Importer, node: Node) -> list[relax.Expr]:
    x, axes, correction, keep = arguments(node, "self", "dim", "correction", "keepdim")
    extents = extents_of(x)
    if extents is None:
        raise ValueError("it takes a variance of an open number of elements")
    over = list(axes) if axes else None
    many = math.prod(extents[axis] for axis in over) if over else math.prod(extents)
    free = max(many - (1 if correction is None else correction), 0)
    share = relax.const(many / free if free else math.nan, type_name(x.meta["val"].dtype))
    variance = importer.emit(relax.op.variance(importer.env[x], axis=over, keepdims=bool(keep)))
    mean = relax.op.mean(importer.env[x], axis=over, keepdims=bool(keep))
    return [importer.emit(relax.op.multiply(variance, share)), importer.emit(mean)]


def _group_norm(importer: Importer, node: Node) -> list[relax.Expr]:
    """With scales of 1 and shifts of 0 where there are none; TVM refuses bfloat16."""
    x, scale, shift, channels, groups, eps = arguments(node, "input", "weight", "bias", "C", "group", "eps")
    dtype = x.meta["val"].dtype
    wide = torch.float32 if dtype == torch.bfloat16 else dtype
    if type(channels) is not int:
        raise ValueError("it normalises groups of an open number of channels")
    data, *factors = (
        importer.as_type(importer.env[given], wide) if given is not None else relax.const(absent, type_name(wide))
        for given, absent in ((x, None), (scale, np.ones(channels)), (shift, np.zeros(channels)))
    )
    axes = list(range(2, x.meta["val"].dim()))
    made = importer.emit(relax.op.nn.group_norm(data, *factors, groups, 1, axes, eps))
    return [importer.as_type(made, dtype)]


def _shift(op: Callable[..., relax.Expr], importer: Importer, node: Node) -> relax.Var:
    """By bits, whose number may be one for all."""
    x, many = node.args
    if isinstance(many, int):
        by = relax.const(many, type_name(node.meta["val"].dtype))
    else:
        by = importer.as_type(importer.env[many], node.meta["val"].dtype)
    return importer.emit(op(importer.as_type(importer.env[x], node.meta["val"].dtype), by))


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
    """TVM's importer computes all of them in float32, doubles too, adds the bias to that, and has none transposed in
    3-D."""
    x, weight, bias, strides, padding, dilation, transposed, behind, groups = node.args
    inner = node.meta["val"].dim() - 2
    form = {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups}
    if transposed:
        form["output_padding"] = behind
    convolve = getattr(relax.op.nn, f"conv{inner}d_transpose" if transposed else f"conv{inner}d")
    made = convolve(importer.env[x], importer.env[weight], **form, out_dtype=type_name(_summed_as(node)))
    made = importer.as_type(importer.emit(made), node.meta["val"].dtype)
    if bias is None:
        return made
    return importer.emit(relax.op.add(made, relax.op.reshape(importer.env[bias], [1, -1, *[1] * inner])))


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


def _known(importer: Importer, node: Node) -> relax.Expr:
    """What follows from numbers alone."""
    return relax.const(node.target(*node.args, **{**node.kwargs, "device": "cpu"}).numpy())


_OPERANDS = {torch.ops.aten.addmm.default: ("mat1", "mat2"), torch.ops.aten.baddbmm.default: ("batch1", "batch2")}
_KNOWN = (
    *("tril_indices.default", "triu_indices.default", "fft_fftfreq.default", "fft_rfftfreq.default"),
    *(f"{shape}_window.{kind}" for shape in ("bartlett", "blackman", "kaiser") for kind in ("default", "periodic")),
    "kaiser_window.beta",
)
_OURS: dict[str, Callable[[Importer, Node], Any]] = {
    "_embedding_bag.default": _embedding_bag,
    "_embedding_bag_forward_only.default": _embedding_bag,
    "_int_mm.default": _product,
    "addmm.default": _product_and_sum,
    "amax.default": partial(_extreme, relax.op.max),
    "amin.default": partial(_extreme, relax.op.min),
    "any.default": _any,
    "any.dim": _any,
    "any.dims": _any,
    "arange.start_step": _counted,
    "baddbmm.default": _product_and_sum,
    "bmm.default": _product,
    "bmm.dtype": _product,
    "cat.default": _joined,
    "clamp.default": _clamp,
    "convolution.default": _convolution,
    "cumprod.default": partial(_running, relax.op.cumprod),
    "cumsum.default": partial(_running, relax.op.cumsum),
    "elu.default": _elu,
    "full.default": _full,
    **{f"__lshift__.{kind}": partial(_shift, relax.op.left_shift) for kind in ("Scalar", "Tensor")},
    **{f"__rshift__.{kind}": partial(_shift, relax.op.right_shift) for kind in ("Scalar", "Tensor")},
    **{f"bitwise_left_shift.{kind}": partial(_shift, relax.op.left_shift) for kind in ("Tensor_Scalar", "Tensor")},
    **{f"bitwise_right_shift.{kind}": partial(_shift, relax.op.right_shift) for kind in ("Tensor_Scalar", "Tensor")},
    "grid_sampler_2d.default": _grid_sampler,
    "linalg_vector_norm.default": _norm,
    "mm.default": _product,
    "mm.dtype": _product,
    "native_group_norm.default": _group_norm,
    "prod.default": _factors,
    "prod.dim_int": _factors,
    "topk.default": _largest,
    **dict.fromkeys(_KNOWN, _known),
    "var_mean.correction": _variance_and_mean,
}
