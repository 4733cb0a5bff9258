"""LambdaRank within one task.

The weight of a pair is how much the NDCG of the predicted order changes when the two swap places (Burges, 2010), with
normalised throughput as relevance.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus

# keeps pairs far down the order from vanishing altogether
_FLOOR = 0.05


def lambdarank_loss(scores: Tensor, gains: Tensor, pairs: Tensor) -> Tensor:
    """Mean weighted logistic loss of each group's pairs, float[groups].

    Args:
        scores: predicted, higher is faster, float[groups, n].
        gains: `relevance`, float[groups, n]; 0 for padding.
        pairs: `comparable`, bool[groups, n, n].
    """
    ranks = scores.detach().masked_fill(gains <= 0, -torch.inf).argsort(dim=-1, descending=True).argsort(dim=-1)
    discount = 1.0 / torch.log2(ranks.to(scores.dtype) + 2.0)
    change = (discount.unsqueeze(-1) - discount.unsqueeze(-2)).abs() + _FLOOR
    weight = pairs * change * (gains.unsqueeze(-1) - gains.unsqueeze(-2)).abs()
    losses = weight * softplus(scores.unsqueeze(-2) - scores.unsqueeze(-1))
    return losses.sum((-1, -2)) / weight.sum((-1, -2)).clamp_min(1e-9)
