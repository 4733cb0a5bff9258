"""Samples of volumes at places that are given, in operators that PyTorch has for all tensors."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor

_LINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER = 0, 1


def samples_of_volumes(x: Tensor, grid: Tensor, method: int, outside: int, align_corners: bool) -> Tensor:
    """`grid_sample` of [batch, channel, depth, height, width]; a place is (column, row, slice), each from -1 to 1."""
    if outside not in (_ZEROS, _BORDER):
        return NotImplemented
    sizes, form = x.shape[:1:-1], grid.shape[1:4]  # width, height, depth
    places = []
    for size, place in zip(sizes, grid.flatten(1, 3).unbind(-1), strict=True):
        at = (place + 1) * (0.5 * (size - 1)) if align_corners else ((place + 1) * size - 1) * 0.5
        places.append(at.clamp(0, size - 1) if outside == _BORDER else at)
    if method == _NEAREST:
        made = _read(x, [at.round() for at in places])
    else:
        corners = []
        for sides in itertools.product((0, 1), repeat=3):
            near = [at.floor() + side for at, side in zip(places, sides, strict=True)]
            share = torch.stack([1 - (at - one).abs() for at, one in zip(places, near, strict=True)]).prod(0)
            corners.append(_read(x, near) * share.unsqueeze(1))
        made = torch.stack(corners).sum(0)
    return made.unflatten(-1, form)


def _read(x: Tensor, places: list[Tensor]) -> Tensor:
    """The voxels at whole places, [batch, place] of each axis; 0 outside."""
    index, step = torch.zeros_like(places[0], dtype=torch.int64), 1
    inside = torch.ones_like(places[0], dtype=torch.bool)
    for size, at in zip(x.shape[:1:-1], places, strict=True):
        inside = inside & (at >= 0) & (at <= size - 1)
        index, step = index + at.clamp(0, size - 1).long() * step, step * size
    found = x.flatten(2).gather(-1, index.unsqueeze(1).expand(-1, x.shape[1], -1))
    return torch.where(inside.unsqueeze(1), found, 0.0)
