"""Which candidates of a task are known to be faster than which, and how well scores tell it.

A pair counts when it is known which of the two is faster. Latencies of abandoned (censored) measurements are lower
bounds: such a candidate is known to be slower than any finished one below its bound, and nothing else is known of it.
What is taken and given are arrays of NumPy, or tensors of PyTorch, which not every model needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

Numbers = Any  # an array or a tensor


def comparable(seconds: Numbers, censored: Numbers) -> Numbers:
    """Pairs whose first is known to be faster, bool[..., n, n]; latencies that are NaN are padding."""
    return (seconds[..., :, None] < seconds[..., None, :]) & ~censored[..., :, None]


def relevance(seconds: Numbers) -> Numbers:
    """Throughput relative to the task's fastest, float[n] in [0, 1]; failures (infinity) are 0."""
    return seconds.min() / seconds


def pair_accuracy(scores: Numbers, seconds: Numbers, censored: Numbers) -> float:
    """Share of the comparable pairs of one task that `scores` put in the right order; NaN without pairs.

    Args:
        scores, seconds, censored: float[n], float[n], bool[n].
    """
    pairs = comparable(seconds, censored)
    right = scores[:, None] > scores[None, :]
    return float((right & pairs).sum() / pairs.sum()) if bool(pairs.any()) else float("nan")


def mean_accuracy(accuracies: Iterable[float]) -> float:
    """Mean of the pair accuracies of several tasks, of those that have pairs; NaN where none has."""
    known = [accuracy for accuracy in accuracies if not math.isnan(accuracy)]
    return sum(known) / len(known) if known else math.nan
