"""LambdaRank within one task, aware of abandoned measurements.

A pair of candidates counts when it is known which of the two is faster. Latencies of abandoned (censored) measurements
are lower bounds: such a candidate is known to be slower than any finished one below its bound, and nothing else is
known of it. The weight of a pair is how much the NDCG of the predicted order changes when the two swap places
(Burges, 2010), with normalised throughput as relevance.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus

# keeps pairs far down the order from vanishing altogether
_FLOOR = 0.05


def comparable(seconds: Tensor, censored: Tensor) -> Tensor:
    """Pairs whose first is known to be faster, bool[..., n, n]; latencies that are NaN are padding."""
    return (seconds.unsqueeze(-1) < seconds.unsqueeze(-2)) & ~censored.unsqueeze(-1)


def relevance(seconds: Tensor) -> Tensor:
    """Throughput relative to the task's fastest, in [0, 1]; padding (NaN) and failures (infinity) are 0."""
    best = seconds.nan_to_num(nan=torch.inf).amin(-1, keepdim=True)
    return (best / seconds).nan_to_num(nan=0.0)


def lambdarank_loss(scores: Tensor, gains: Tensor, pairs: Tensor) -> Tensor:
    """Mean weighted logistic loss of each group's pairs, float[groups].

    Args:
        scores: predicted, higher is faster, float[groups, n].
        gains: relevance, float[groups, n].
        pairs: `comparable`, bool[groups, n, n].
    """
    ranks = scores.detach().masked_fill(gains <= 0, -torch.inf).argsort(dim=-1, descending=True).argsort(dim=-1)
    discount = 1.0 / torch.log2(ranks.to(scores.dtype) + 2.0)
    change = (discount.unsqueeze(-1) - discount.unsqueeze(-2)).abs() + _FLOOR
    weight = pairs * change * (gains.unsqueeze(-1) - gains.unsqueeze(-2)).abs()
    losses = weight * softplus(scores.unsqueeze(-2) - scores.unsqueeze(-1))
    return losses.sum((-1, -2)) / weight.sum((-1, -2)).clamp_min(1e-9)


def pair_accuracy(scores: Tensor, seconds: Tensor, censored: Tensor) -> float:
    """Share of the comparable pairs of one task that `scores` put in the right order; NaN without pairs.

    Args:
        scores, seconds, censored: float[n], float[n], bool[n].
    """
    pairs = comparable(seconds, censored)
    right = scores.unsqueeze(-1) > scores.unsqueeze(-2)
    return float((right & pairs).sum() / pairs.sum()) if bool(pairs.any()) else float("nan")
