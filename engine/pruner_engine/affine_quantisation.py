"""Operators of torchao in those of PyTorch: numbers (q - zero) · scale, a scale and a zero for each block of a tensor.

Blocks are given by their extents along each axis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_BYTE = 8  # bits


def dequantised(
    x: Tensor,
    block: Sequence[int],
    scale: Tensor,
    zero: Tensor | None,
    _of: torch.dtype,
    _least: float | None = None,
    _most: float | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """The real numbers that a quantised tensor stands for."""
    real = _parts(x.to(dtype), block)
    if zero is not None and zero.numel():
        real = real - _along(zero.to(dtype), x, block)
    return (real * _along(scale, x, block)).reshape(x.shape).to(dtype)


def quantised(
    x: Tensor,
    block: Sequence[int],
    scale: Tensor,
    zero: Tensor | None,
    dtype: torch.dtype,
    least: float | None = None,
    most: float | None = None,
) -> Tensor:
    """Real numbers as the nearest that a quantised tensor can stand for."""
    steps = torch.round(_parts(x, block) * (1.0 / _along(scale, x, block)))
    if zero is not None and zero.numel():
        steps = steps + _along(zero, x, block)
    kept = steps.clamp(*_bounds(dtype, least, most)).reshape(x.shape)
    return kept.to(torch.uint8 if _bits(dtype) < _BYTE else dtype)


def chosen(
    x: Tensor,
    mapping: str,
    block: Sequence[int],
    dtype: torch.dtype,
    least: float | None = None,
    most: float | None = None,
    eps: float | None = None,
    scale_dtype: torch.dtype | None = None,
    zero_dtype: torch.dtype | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """Scale and zero of each block, by the least and the largest number in it."""
    least, most = _bounds(dtype, least, most)
    inner = list(range(1, 2 * x.dim(), 2))
    low = _parts(x, block).amin(inner).clamp(max=0)
    high = _parts(x, block).amax(inner).clamp(min=0)
    smallest = torch.finfo(x.dtype).smallest_normal if eps is None else eps
    if mapping == "ASYMMETRIC":
        scale = ((high - low) / (most - least)).clamp(min=smallest)
        zero = (least - torch.round(low / scale)).clamp(least, most).to(zero_dtype or torch.int32)
    else:
        both = mapping == "SYMMETRIC"
        scale = torch.maximum(-low, high) / ((most - least) / 2) if both else torch.maximum(low / least, high / most)
        zero = torch.full_like(scale, int((most + least + 1) / 2)).to(zero_dtype or scale.dtype)
        scale = scale.clamp(min=smallest)
    extents = [n // b for n, b in zip(x.shape, block, strict=True) if keepdim or b == 1 or b != n]
    return scale.reshape(extents).to(scale_dtype or x.dtype), zero.reshape(extents)


def _parts(x: Tensor, block: Sequence[int]) -> Tensor:
    """A tensor with two axes for each: blocks, and what is in one."""
    return x.reshape([extent for n, b in zip(x.shape, block, strict=True) for extent in (n // b, b)])


def _along(values: Tensor, x: Tensor, block: Sequence[int]) -> Tensor:
    """One value for each block, beside `_parts`."""
    return values.reshape([extent for n, b in zip(x.shape, block, strict=True) for extent in (n // b, 1)])


def _bounds(dtype: torch.dtype, least: float | None, most: float | None) -> tuple[float, float]:
    bits = _bits(dtype)
    lowest = 0 if "uint" in str(dtype) else -(1 << (bits - 1))
    return (lowest if least is None else least, lowest + (1 << bits) - 1 if most is None else most)


def _bits(dtype: torch.dtype) -> int:
    """Of a type of whole numbers, as small ones as PyTorch itself cannot compute with."""
    return int(re.sub(r"\D", "", str(dtype)))


#: name, arguments and results, and what it computes
OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "choose_qparams_affine": (
        "(Tensor? input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, "
        "Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, "
        "bool keepdim=False) -> (Tensor, Tensor)",
        chosen,
    ),
    "quantize_affine": (
        "(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, "
        "Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor",
        quantised,
    ),
    "dequantize_affine": (
        "(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, "
        "Scalar? quant_min=None, Scalar? quant_max=None, ScalarType output_dtype=6) -> Tensor",
        dequantised,
    ),
}
