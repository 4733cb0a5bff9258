"""Layers that the networks have in common."""

from __future__ import annotations

from torch import Tensor, nn


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
    # a candidate without any attends to its padding
    hidden = ~mask & mask.any(dim=1, keepdim=True)
    drawn, _ = attention(steps, steps, steps, key_padding_mask=hidden, need_weights=False)
    return steps + drawn
