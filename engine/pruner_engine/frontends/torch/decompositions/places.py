"""What PyTorch takes or puts at places that a rule says: diagonals, and what lies so many numbers apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten


def _put_on_diagonal(x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A matrix whose diagonal is `source`: each row's number, where the row meets the diagonal."""
    moved = x.movedim((dim1, dim2), (-2, -1))
    rows = torch.arange(moved.shape[-2])
    on = torch.arange(moved.shape[-1]) - rows.unsqueeze(-1) == offset
    places = (rows + min(offset, 0)).clamp(0, source.shape[-1] - 1)
    made = torch.where(on, source.index_select(-1, places).unsqueeze(-1), moved)
    return made.movedim((-2, -1), (dim1, dim2))


def _apart(x: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None) -> Tensor:
    """Numbers of a tensor that lies in one piece, so far apart along each axis."""
    first = storage_offset or 0
    if first == 0 and list(size) == list(x.shape) and list(stride) == _strides(size):
        return x
    places = _places(x, size, stride, first)
    return NotImplemented if places is None else x.flatten().index_select(0, places).reshape(size)


def _put_apart(
    x: Tensor, source: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None
) -> Tensor:
    """The tensor with others in place of these."""
    places = _places(x, size, stride, storage_offset or 0)
    return NotImplemented if places is None else x.flatten().scatter(0, places, source.flatten()).reshape(x.shape)


def _places(x: Tensor, size: Sequence[Any], stride: Sequence[Any], first: Any) -> Tensor | None:
    """Where they are in the row of all numbers; None where that is not known."""
    if not all(type(n) is int for n in (*size, *stride, *x.shape, first)) or not x.is_contiguous():
        return None
    places = torch.full([1] * len(size), first)
    for axis, (extent, step) in enumerate(zip(size, stride, strict=True)):
        places = places + (torch.arange(extent) * step).reshape([-1, *[1] * (len(size) - 1 - axis)])
    return places.flatten()


def _strides(size: Sequence[int]) -> list[int]:
    return [math.prod(size[axis + 1 :]) for axis in range(len(size))]


PLACES: dict[Any, Callable[..., Any]] = {
    _aten.as_strided.default: _apart,
    _aten.as_strided_copy.default: _apart,
    _aten.as_strided_scatter.default: _put_apart,
    _aten.diagonal_scatter.default: _put_on_diagonal,
}
