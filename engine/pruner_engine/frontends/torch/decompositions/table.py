"""Operators of PyTorch that TVM's importer lacks, said in ones that it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch.fx import Node

from pruner_engine.frontends.torch.decompositions.encoders import ENCODERS
from pruner_engine.frontends.torch.decompositions.experts import product_of_groups
from pruner_engine.frontends.torch.decompositions.folds import folded
from pruner_engine.frontends.torch.decompositions.instances import norm_of_instances
from pruner_engine.frontends.torch.decompositions.libraries import decompositions_of_libraries
from pruner_engine.frontends.torch.decompositions.matrices import MATRICES
from pruner_engine.frontends.torch.decompositions.places import PLACES
from pruner_engine.frontends.torch.decompositions.points import with_points
from pruner_engine.frontends.torch.decompositions.rows import layer
from pruner_engine.frontends.torch.decompositions.tails import TAILS
from pruner_engine.frontends.torch.decompositions.volumes import samples_of_volumes
from pruner_engine.frontends.torch.shortcuts import operators_looked_up_once

_aten = torch.ops.aten
_TRAINED = _aten._native_batch_norm_legit_functional.default  # TVM's importer goes by the statistics of before
_WHOLE = {torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8}
_UNSIGNED = {torch.bool, torch.uint8}
_ROUNDS = 4  # of decomposing what decompositions are made of


def core_decompositions() -> dict[Any, Callable[..., Any]]:
    """PyTorch's own to its core operators, and ours."""
    ours = {**_OURS, **ENCODERS, **MATRICES, **PLACES, **TAILS, **decompositions_of_libraries()}
    return with_points({**torch.export.default_decompositions(), _TRAINED: decomposition_table[_TRAINED], **ours})


@operators_looked_up_once()
def spelled_out(program: Any, known: Collection[str]) -> Any:
    """A `torch.export.ExportedProgram` without operators that are not known, where PyTorch can say them in others."""
    for _ in range(_ROUNDS):
        targets = {node.target for node in program.graph_module.graph.nodes if _is_operator(node)}
        unknown = {target for target in targets if target.__name__ not in known and target in decomposition_table}
        if not unknown:
            break
        kept = {target: rule for target, rule in core_decompositions().items() if target.__name__ not in known}
        program = program.run_decompositions(kept | {target: decomposition_table[target] for target in unknown})
    program.graph_module.graph.eliminate_dead_code()
    program.graph_module.recompile()
    return program


def _is_operator(node: Node) -> bool:
    return node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)


def _largest(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """By two reductions: TVM's importer sorts the axis."""
    return x.amax(dim, keepdim), _numbers(x).argmax(dim, keepdim)


def _least(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.amin(dim, keepdim), _numbers(x).argmin(dim, keepdim)


def _numbers(x: Tensor) -> Tensor:
    return x.to(torch.int8) if x.dtype == torch.bool else x


def _sorted(x: Tensor, *, stable: bool | None, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """TVM's sorts are all stable."""
    return _aten.sort.default(x, dim, descending)


def _extremes_so_far(least: bool, x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """And where they are, of equal ones the last: extremes of all, with the later ones left out; NaN is beyond any."""
    if x.dim() == 0 or not (x.is_floating_point() or x.dtype in _WHOLE):
        return NotImplemented
    low, high = (-math.inf, math.inf) if x.is_floating_point() else (torch.iinfo(x.dtype).min, torch.iinfo(x.dtype).max)
    outside = torch.full((), high if least else low, dtype=x.dtype)
    place, row = torch.arange(x.shape[dim]), x.movedim(dim, -1).unsqueeze(-2)
    so_far = place <= place.unsqueeze(-1)
    seen = torch.where(so_far, row, outside)
    found = seen.amin(-1) if least else seen.amax(-1)
    here = row == found.unsqueeze(-1)
    if x.is_floating_point():
        broken = row.isnan()
        from_here = (so_far & broken).any(-1)
        found = torch.where(from_here, math.nan, found)
        here = torch.where(from_here.unsqueeze(-1), broken, here)
    places = torch.where(so_far & here, place, 0).amax(-1)
    return found.movedim(-1, dim), places.movedim(-1, dim)


def _continued(x: Tensor, pads: Any) -> Tensor:
    """Each axis by its other end: parts that are joined, where PyTorch writes them into a larger tensor."""
    for place, (before, behind) in enumerate(zip(pads[::2], pads[1::2], strict=True), 1):
        cut = max(-before, 0)
        x = x.narrow(-place, cut, x.shape[-place] - cut - max(-behind, 0))
        size = x.shape[-place]
        ends = x.narrow(-place, size - max(before, 0), max(before, 0)), x.narrow(-place, 0, max(behind, 0))
        x = torch.cat([ends[0], x, ends[1]], -place)
    return x


def _exponentials_so_far(x: Tensor, dim: int) -> Tensor:
    """Logarithms of sums so far of exponentials: those of all, with the later ones left out."""
    if x.dim() == 0 or not x.is_floating_point():
        return NotImplemented
    place, row = torch.arange(x.shape[dim]), x.movedim(dim, -1).unsqueeze(-2)
    seen = torch.where(place <= place.unsqueeze(-1), row, -math.inf)
    return seen.logsumexp(-1).movedim(-1, dim)


def _kth(x: Tensor, k: Any, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    found = [part.narrow(dim, k - 1, 1) for part in _aten.sort.default(x, dim, False)]
    values, places = found if keepdim else (part.squeeze(dim) for part in found)
    return values, places


def _distances(x: Tensor, y: Tensor, p: float, mode: int | None) -> Tensor:
    """Between the rows of two matrices."""
    return _lengths(x.unsqueeze(-2) - y.unsqueeze(-3), p)


def _own_distances(x: Tensor, p: float = 2) -> Tensor:
    """Between any two rows of a matrix."""
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return _lengths(x[first] - x[second], p)


def _lengths(apart: Tensor, p: float) -> Tensor:
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    if p == 0:
        return (apart != 0).to(apart.dtype).sum(-1)
    if p == math.inf:
        return apart.abs().amax(-1)
    return apart.abs().sum(-1) if p == 1 else apart.abs().pow(p).sum(-1).pow(1 / p)


def _places(
    edges: Tensor,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where numbers would be put into sorted ones: how many of these are less."""
    if sorter is not None:
        edges = edges.gather(-1, sorter)
    behind = right or side == "right"
    if isinstance(x, Tensor):
        x, edges = x.unsqueeze(-1), edges if edges.dim() == 1 else edges.unsqueeze(-2)
    return (edges <= x if behind else edges < x).sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def _place(x: Any, edges: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return _places(edges, x, out_int32=out_int32, right=right)


def _windows(x: Tensor, dim: int, size: Any, step: Any) -> Tensor:
    """Windows along an axis, each as a new last axis."""
    if x.dim() == 0:
        return x.expand(size)
    dim %= x.dim()
    count = (x.shape[dim] - size) // step + 1
    places = torch.arange(count).unsqueeze(-1) * step + torch.arange(size)
    found = x.index_select(dim, places.reshape(-1)).unflatten(dim, (count, size))
    return found.movedim(dim + 1, -1)


def _histogram(x: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many numbers are in each of so many parts between two bounds, which are to be given."""
    if min == max:  # the bounds are those of the numbers
        return NotImplemented
    x = x.flatten()
    place = ((x - min) / (max - min) * bins).floor().clamp(0, bins - 1)
    inside = ((x >= min) & (x <= max)).unsqueeze(-1)
    return ((place.unsqueeze(-1) == torch.arange(bins)) & inside).sum(0).to(x.dtype)


def _grouped(
    x: Tensor, weights: Tensor, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: Any = None
) -> Tensor:
    if bias is not None or out_dtype not in (None, x.dtype) or weights.dim() != 3:
        return NotImplemented
    if offs is None:
        return x @ weights
    return product_of_groups(x, weights, offs) if x.dim() == 2 else NotImplemented


def _bilinear(x: Tensor, y: Tensor, weights: Tensor, bias: Tensor | None = None) -> Tensor:
    """A product of all rows with all matrices, and then one of each result with its row."""
    depth, width = weights.shape[1], weights.shape[2]
    made = (x @ weights.movedim(1, 0).reshape(depth, -1)).unflatten(-1, (-1, width))
    total = (made * y.unsqueeze(-2)).sum(-1)
    return total if bias is None else total + bias


def _put_by_mask(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The numbers of `source`, one after another, where the mask says so."""
    x, mask = torch.broadcast_tensors(x, mask)
    places = mask.flatten().cumsum(0) - 1
    found = source.flatten()[places.clamp(0, source.numel() - 1)].view(x.shape)
    return torch.where(mask, found, x)


def _repeated(repeats: Tensor, *, output_size: Any = None) -> Tensor:
    """Each place as often as its number says; how many that are together is to be given."""
    if output_size is None:
        return NotImplemented
    return (repeats.cumsum(0) <= torch.arange(output_size).unsqueeze(-1)).sum(-1)


def _product_of_bytes(x: Tensor, weights: Tensor, scales: Tensor) -> Tensor:
    return (x @ weights.to(x.dtype).mT) * scales


def _sum_of_products(x: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return x * beta + (a @ b).sum(0) * alpha


def _hypotenuse(x: Tensor, y: Tensor) -> Tensor:
    """Without squares that overflow."""
    dtype = torch.result_type(x, y)
    x, y = x.to(dtype), y.to(dtype)
    long, short = torch.maximum(x.abs(), y.abs()), torch.minimum(x.abs(), y.abs())
    ratio = short / torch.where(long == 0, 1.0, long)
    return torch.where(torch.isinf(long), long, long * (ratio * ratio + 1).sqrt())


def _sign(x: Tensor) -> Tensor:
    """Of what is never below 0, which TVM compares with -1 all the same."""
    return NotImplemented if x.dtype not in _UNSIGNED else (x != 0).to(x.dtype)


def _negated(x: Tensor) -> Tensor:
    """Of bytes what is missing to 256, where TVM multiplies by -1."""
    return NotImplemented if x.dtype not in _UNSIGNED else 0 - x


def _signed(x: Tensor, sign: Any) -> Tensor:
    """Numbers with the signs of others; 0 has one. Of whole numbers they are real ones."""
    dtype = torch.result_type(x, sign)
    size = x.to(dtype if dtype.is_floating_point else torch.get_default_dtype()).abs()
    sign = sign if isinstance(sign, Tensor) else size.new_full((), sign)
    return torch.where((sign < 0) | (sign.reciprocal() < 0), -size, size)


def _besides_nan(extreme: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor) -> Tensor:
    """The larger or the lesser, of a number and NaN the number."""
    found = extreme(x, y)
    if not found.is_floating_point():
        return found
    x, y = x.to(found.dtype), y.to(found.dtype)
    return torch.where(x.isnan(), y, torch.where(y.isnan(), x, found))


def _rest_of_number(x: Any, parts: Tensor) -> Tensor:
    return torch.full((), x, dtype=torch.result_type(x, parts)).remainder(parts)


def _whole_power(x: Any, many: Tensor) -> Tensor:
    """Whole numbers to the power of others, as products of equal factors: TVM has powers of floats only."""
    dtype = torch.result_type(x, many)
    if dtype not in _WHOLE:
        return NotImplemented
    base = x.to(torch.int64) if isinstance(x, Tensor) else torch.full((), x)
    many = many.to(torch.int64)
    many = torch.where(base.abs() == 1, many.abs(), many)
    part = torch.where(many < 0, 0, 1)
    many = torch.where(many < 64, many, many % 2 + 64)  # by then they are too large, or 0, 1 or -1
    factors = torch.where(torch.arange(66) < many.unsqueeze(-1), base.unsqueeze(-1), 1)
    return (part * factors.prod(-1)).to(dtype)


def _is_negative(x: Tensor) -> Tensor:
    """By the sign, which zeros have too."""
    return (x < 0) | (x.reciprocal() < 0) if x.is_floating_point() else x < 0


def _power_of_two(x: Tensor) -> Tensor:
    return (x * math.log(2)).exp()


def _randomly_leaky(
    x: Tensor, noise: Tensor, lower: Any = 1 / 8, upper: Any = 1 / 3, training: bool = False, generator: Any = None
) -> Any:
    """In inference, with the mean of the slopes."""
    return NotImplemented if training else (torch.nn.functional.leaky_relu(x, (lower + upper) / 2), noise)


_OURS: dict[Any, Callable[..., Any]] = {
    _aten._cdist_forward.default: _distances,
    _aten._grouped_mm.default: _grouped,
    _aten._pad_circular.default: _continued,
    _aten._pdist_forward.default: _own_distances,
    _aten._weight_int8pack_mm.default: _product_of_bytes,
    _aten.addbmm.default: _sum_of_products,
    _aten.bilinear.default: _bilinear,
    _aten.bucketize.Scalar: _place,
    _aten.col2im.default: folded,
    _aten.cummax.default: partial(_extremes_so_far, False),
    _aten.cummin.default: partial(_extremes_so_far, True),
    _aten.copysign.Scalar: _signed,
    _aten.copysign.Tensor: _signed,
    _aten.exp2.default: _power_of_two,
    _aten.fmax.default: partial(_besides_nan, torch.maximum),
    _aten.fmin.default: partial(_besides_nan, torch.minimum),
    _aten.grid_sampler_3d.default: samples_of_volumes,
    _aten.histc.default: _histogram,
    _aten.hypot.default: _hypotenuse,
    _aten.instance_norm.default: norm_of_instances,
    _aten.kthvalue.default: _kth,
    _aten.linear.default: layer,
    _aten.logcumsumexp.default: _exponentials_so_far,
    _aten.masked_scatter.default: _put_by_mask,
    _aten.max.dim: _largest,
    _aten.min.dim: _least,
    _aten.neg.default: _negated,
    _aten.pow.Scalar: _whole_power,
    _aten.pow.Tensor_Tensor: _whole_power,
    _aten.remainder.Scalar_Tensor: _rest_of_number,
    _aten.repeat_interleave.Tensor: _repeated,
    _aten.rrelu_with_noise_functional.default: _randomly_leaky,
    _aten.searchsorted.Scalar: _places,
    _aten.searchsorted.Tensor: _places,
    _aten.sgn.default: _sign,
    _aten.sign.default: _sign,
    _aten.signbit.default: _is_negative,
    _aten.sort.stable: _sorted,
    _aten.unfold.default: _windows,
}
