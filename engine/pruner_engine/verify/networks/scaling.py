"""Standardises log2-scaled features."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Scaling(nn.Module):
    """Subtracts the mean and divides by the spread of the data it was fitted to.

    The spread is at least one unit (a factor of two), so that a column that was constant cannot blow up later.
    """

    mean: Tensor
    spread: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.full((width,), 4.0))

    def fit(self, rows: Tensor) -> None:
        """Take mean and spread of float32[n, width]; with fewer than two rows nothing changes."""
        if len(rows) > 1:
            self.mean.copy_(rows.mean(dim=0))
            self.spread.copy_(rows.std(dim=0).clamp_min(1.0))

    def forward(self, rows: Tensor) -> Tensor:
        return (rows - self.mean) / self.spread
