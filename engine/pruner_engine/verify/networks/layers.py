"""Layers that the networks have in common."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Two linear layers, each with a rectifier."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs), nn.ReLU())


def residual_layers(width: int) -> nn.ModuleList:
    """Two layers that `corrected` adds to what goes through them."""
    return nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(2))


def corrected(layers: nn.ModuleList, values: Tensor) -> Tensor:
    """What comes out of residual layers."""
    for layer in layers:
        values = values + layer(values)
    return values


def attended(attention: nn.MultiheadAttention, steps: Tensor, mask: Tensor) -> Tensor:
    """Steps of each candidate, and what they draw from each other, float[n, steps, width].

    Args:
        mask: which of them there are, bool[n, steps]; of the others what comes out says nothing.
    """
    # the layer's own forward copies queries, keys and values apart, whose gradients then take a fifth of a step
    n, length, width = steps.shape
    joined = linear(steps, attention.in_proj_weight, attention.in_proj_bias)
    query, key, value = (
        part.view(n, length, attention.num_heads, attention.head_dim).transpose(1, 2) for part in joined.chunk(3, -1)
    )
    # a candidate without any attends to its padding
    seen = mask | ~mask.any(dim=1, keepdim=True)
    drawn = scaled_dot_product_attention(query, key, value, attn_mask=seen[:, None, None])
    out: Tensor = attention.out_proj(drawn.transpose(1, 2).reshape(n, length, width))
    return steps + out
