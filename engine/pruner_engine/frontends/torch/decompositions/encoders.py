"""Encoder layers, which PyTorch runs, and with `strict=True` exports, as one operator where nothing is trained."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_functional = torch.nn.functional
_KEYS = 1  # kind of a mask that says of each batch's keys which are left out; others are of scores


def _attention(x: Tensor, heads: int, weights: list[Tensor], mask: Tensor | None, kind: int | None) -> Tensor:
    batch, length, depth = x.shape
    joint, joint_bias, last, last_bias = weights
    parts = _functional.linear(x, joint, joint_bias).view(batch, length, 3, heads, depth // heads)
    query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
    scores = query @ key.mT / math.sqrt(depth // heads)
    if mask is not None:
        left_out = mask.view(batch, 1, 1, length) if kind == _KEYS else mask
        scores = scores.masked_fill(left_out.bool(), -math.inf)
    made = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, depth)
    return _functional.linear(made, last, last_bias)


def _layer(
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Tensor,
    norm_bias_1: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> Tensor:
    def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return _functional.layer_norm(x, (embed_dim,), weight, bias, eps)

    def attended(x: Tensor) -> Tensor:
        return _attention(x, num_heads, [qkv_weight, qkv_bias, proj_weight, proj_bias], mask, mask_type)

    def fed(x: Tensor) -> Tensor:
        inner = _functional.linear(x, ffn_weight_1, ffn_bias_1)
        inner = _functional.gelu(inner) if use_gelu else inner.relu()
        return _functional.linear(inner, ffn_weight_2, ffn_bias_2)

    first, second = (norm_weight_1, norm_bias_1), (norm_weight_2, norm_bias_2)
    if norm_first:
        x = src + attended(norm(src, *first))
        return x + fed(norm(x, *second))
    x = norm(src + attended(src), *first)
    return norm(x + fed(x), *second)


ENCODERS: dict[Any, Callable[..., Any]] = {torch.ops.aten._transformer_encoder_layer_fwd.default: _layer}
