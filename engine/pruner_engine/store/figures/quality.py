"""How well scores predict measurements: figures over rows of the project file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pruner_engine.store.file.read_only import Row

TOP = 5  # candidates of a recall
SCORES = ("draft_score", "verified_score")


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 0, equal values share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            found[order[place]] = (start + end) / 2
        start = end + 1
    return found


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's: Pearson's correlation of the ranks; None with fewer than three pairs or where nothing varies."""
    if len(first) < 3:
        return None
    x, y = ranks(first), ranks(second)
    mean = (len(x) - 1) / 2
    spread = math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))
    return sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True)) / spread if spread else None


def score_quality(rows: Sequence[Row], score: str) -> float | None:
    """Rank correlation of a score column (higher is better) with measured speed, over valid uncensored candidates."""
    pairs = [(row[score], -row["seconds"]) for row in _timed(rows) if row[score] is not None]
    return rank_correlation([a for a, _ in pairs], [b for _, b in pairs])


def top_recall(rows: Sequence[Row], score: str) -> float | None:
    """Share of the `TOP` fastest that are among the `TOP` best of a score; None where no more are measured."""
    known = [row for row in _timed(rows) if row[score] is not None]
    if len(known) <= TOP:
        return None
    fastest = sorted(known, key=lambda row: row["seconds"])[:TOP]
    best = sorted(known, key=lambda row: row[score], reverse=True)[:TOP]
    return sum(row in best for row in fastest) / TOP


def place_of_fastest(rows: Sequence[Row], score: str) -> int | None:
    """Place (from 1) of the fastest measured candidate in the order of a score."""
    known = [row for row in _timed(rows) if row[score] is not None]
    if not known:
        return None
    fastest = min(known, key=lambda row: row["seconds"])
    return 1 + sum(row[score] > fastest[score] for row in known)


def qualities(rows: Sequence[Row]) -> dict[str, float | None]:
    """How well each score foretold the measured speed of a round: rank correlation, and recall of the fastest.

    Returns:
        By `rank_` or `recall_` and the score's name.
    """
    correlations = {f"rank_{score}": score_quality(rows, score) for score in SCORES}
    return correlations | {f"recall_{score}": top_recall(rows, score) for score in SCORES}


def over_rounds(found: Iterable[tuple[float | None, int]]) -> tuple[float | None, int]:
    """Mean of a figure over rounds: scores of a model that learns in between are comparable within one round only.

    Args:
        found: the figure of each round, None where it has none, and its weight: how many candidates were measured.

    Returns:
        The mean, None where no round has the figure, and of how many rounds it is.
    """
    known = [(figure, weight) for figure, weight in found if figure is not None and weight]
    whole = sum(weight for _, weight in known)
    return (sum(figure * weight for figure, weight in known) / whole if whole else None), len(known)


def _timed(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["stage"] == "ok" and not row["censored"] and row["seconds"] is not None]
