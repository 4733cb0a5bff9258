"""How well a round's scores ordered its candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from pruner_engine.search.task_state import Trial


def ranking_stats(trials: Sequence[Trial]) -> dict[str, Any]:
    """How the round's scores ordered what was then measured.

    Spearman's rank correlation with measured speed, and at which place the fastest candidate stood (0: first); None
    where fewer than three valid trials or no scores tell.
    """
    stats: dict[str, Any] = {}
    for name in ("draft", "verified"):
        pairs = [(getattr(t.candidate, f"{name}_score"), t.seconds) for t in trials if t.seconds is not None]
        known = [(score, seconds) for score, seconds in pairs if score is not None]
        rho = place = None
        if len(known) > 2:
            scores, times = np.array(known).T
            if np.ptp(scores) > 0 and np.ptp(times) > 0:
                rho = float(spearmanr(scores, -times).statistic)
            place = int((scores > scores[int(np.argmin(times))]).sum())
        stats |= {f"{name}_rank_correlation": rho, f"{name}_place_of_best": place}
    return stats
