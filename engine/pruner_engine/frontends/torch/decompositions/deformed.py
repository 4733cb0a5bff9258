"""Deformable convolutions, as the library torchvision has them, in operators of PyTorch's own."""

from __future__ import annotations

import torch
from torch import Tensor

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w,"
    " SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups,"
    " bool use_mask) -> Tensor"
)


def deformable_convolution(
    x: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """Samples of the image at each window's places, which the offsets move, times the weights."""
    (batch, channels, height, width), (made, inner, tall, wide) = x.shape, weight.shape
    parts, many, out = batch * offset_groups, tall * wide, offset.shape[-2:]
    inside = torch.arange(many).view(many, 1, 1)
    rows = inside // wide * dilation_h + (torch.arange(out[0]) * stride_h - pad_h).unsqueeze(-1)
    columns = inside % wide * dilation_w + (torch.arange(out[1]) * stride_w - pad_w)
    moved = offset.view(parts, many, 2, *out)
    # from -1 to 1 across the pixels
    places = [(moved[:, :, 1] + columns + 0.5) * (2 / width) - 1, (moved[:, :, 0] + rows + 0.5) * (2 / height) - 1]
    grid = torch.stack(places, -1).view(parts, many * out[0], out[1], 2)
    image = x.reshape(parts, channels // offset_groups, height, width)
    found = torch.nn.functional.grid_sample(image, grid, align_corners=False)
    found = found.view(batch, offset_groups, channels // offset_groups, many, *out)
    if use_mask:
        found = found * mask.view(batch, offset_groups, 1, many, *out)
    total = weight.reshape(groups, made // groups, -1) @ found.view(batch, groups, inner * many, -1)
    return total.view(batch, made, *out) + bias.view(-1, 1, 1)
