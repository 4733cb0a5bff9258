"""Curves of how well each model ranked what was new to it: means over a number of measurements, as a round has few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

LEAST = 16  # measurements that a point of a curve is told of, where so many were judged
_STATES = ("distance",)  # of weights, not of measurements


def curve_of(rows: Sequence[dict[str, Any]], model: str, figure: str) -> list[tuple[int, float]]:
    """The rounds in which a model adapted, and what one of its figures was by then.

    Args:
        rows: adaptations as the reader gives them, oldest first.
        figure: pair_accuracy, top1, top5, loss: the mean over the measurements of the latest adaptations that have
            `LEAST` of them together, weighted by their number; distance: as it is.
    """
    own = [row for row in rows if row["model"] == model and row[figure] is not None]
    if figure in _STATES:
        return [(row["round"], row[figure]) for row in own]
    return [(row["round"], mean) for row, mean in zip(own, _means(own, figure), strict=True)]


def _means(rows: Sequence[dict[str, Any]], figure: str) -> Iterator[float]:
    judged = [0, *accumulate(row["samples"] for row in rows)]
    sums = [0.0, *accumulate(row["samples"] * row[figure] for row in rows)]
    first = 0
    for last in range(1, len(judged)):
        while judged[last] - judged[first + 1] >= LEAST:
            first += 1
        yield (sums[last] - sums[first]) / (judged[last] - judged[first])
