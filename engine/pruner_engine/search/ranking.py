"""How well a round's scores ordered its candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pruner_engine.search.task_state import Trial
from pruner_engine.store.quality import rank_correlation


def ranking_stats(trials: Sequence[Trial]) -> dict[str, Any]:
    """How the round's scores ordered what was then measured.

    Spearman's rank correlation with measured speed, and at which place the fastest candidate stood (0: first); None
    where fewer than three valid trials or no scores tell.
    """
    stats: dict[str, Any] = {}
    for name in ("draft", "verified"):
        pairs = [(getattr(t.candidate, f"{name}_score"), t.seconds) for t in trials if t.seconds is not None]
        known = [(score, seconds) for score, seconds in pairs if score is not None]
        stats[f"{name}_rank_correlation"] = rank_correlation([s for s, _ in known], [-t for _, t in known])
        fastest = min(known, key=lambda pair: pair[1], default=(0.0, 0.0))[0]
        stats[f"{name}_place_of_best"] = sum(score > fastest for score, _ in known) if known else None
    return stats
