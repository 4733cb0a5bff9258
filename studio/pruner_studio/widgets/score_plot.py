"""A plot of what the scores of candidates are worth: against measurements, against each other, and distributed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pruner_engine import units
from pruner_studio.models.scored import CandidateNames, places
from pruner_studio.models.words import ORIGINS
from pruner_studio.translation import tr
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Series

_COLORS = {"draft": "series1", "random": "series3", "evolved": "series5", "user": "series4"}  # by origin
_OTHER_COLOR = "series2"

# What the plot shows: columns across and up
_PLOTTED = {
    "draft_score": ("draft_score", "seconds"),
    "verified_score": ("verified_score", "seconds"),
    "both": ("draft_score", "verified_score"),
}
_SCALES = {
    "draft_score": Scale(tr("draft score (higher is better)")),
    "verified_score": Scale(tr("verified score (higher is better)")),
    "seconds": Scale(tr("measured latency"), units.latency, log=True),
}
_PLACES = {
    "draft_score": Scale(tr("place of the draft score in its round (1 is best)"), units.count),
    "verified_score": Scale(tr("place of the verified score in its round (1 is best)"), units.count),
}
_SHARES = Scale(tr("share of the candidates"), units.percent)


class ScorePlot(Plot):
    """Shows either the candidates of rounds as points, or the scores that a round explored as curves."""

    def __init__(self) -> None:
        super().__init__(tr("Scores and measurements"), *(_SCALES[name] for name in _PLOTTED["draft_score"]))

    def show_scores(
        self,
        scores: str,
        shown: dict[str, np.ndarray],
        origins: Iterable[str],
        tasks: dict[int, str],
        chosen: int | None,
    ) -> None:
        """One point a candidate: a score against its latency, or both scores against each other.

        Args:
            scores: draft_score | verified_score | both.
            shown: columns as `ScoredCandidates.columns` gives them.
            origins: of the candidates; each is a group of points.
            tasks: names by id.
            chosen: id of the candidate to mark.
        """
        across, up = _PLOTTED[scores]
        timed = up != "seconds" or bool(np.isfinite(shown[up]).any())
        self.tell_nothing(tr("No candidate has such a score.") if timed else tr("No candidate was valid."))
        known = np.isfinite(shown[across]) & np.isfinite(shown[up])
        shown, scales = {name: values[known] for name, values in shown.items()}, dict(_SCALES)
        if "verified_score" in (across, up) and len(np.unique(shown["round_id"])) > 1:
            # the model has learned in between: scores of two rounds on one axis would suggest that they compare
            shown |= {score: places(shown["round_id"], shown[score]) for score in (across, up) if score in _PLACES}
            scales |= _PLACES
        self.set_axes(scales[across], scales[up])
        groups = []
        for origin in dict.fromkeys((*_COLORS, *origins)):
            own = shown["origin"] == origin
            if own.any():
                ids, color = shown["id"][own].astype(int).tolist(), _COLORS.get(origin, _OTHER_COLOR)
                names = CandidateNames(ids, shown["task_id"][own], tasks)
                x, y = shown[across][own], shown[up][own]
                groups.append(Series(ORIGINS.get(origin, origin), x, y, color, points=True, ids=ids, names=names))
        self.show_data(groups, chosen=chosen)

    def show_explored(self, row: dict[str, Any] | None) -> None:
        """The distribution of draft scores over all that a round explored, and over what it drafted.

        Args:
            row: of the round; None where no round explored.
        """
        self.set_axes(_SCALES["draft_score"], _SHARES)
        self.tell_nothing(tr("No round has explored candidates."))
        curves = []
        for key, name, color in (
            ("explored", tr("explored in round {number}"), "muted"),
            ("drafted", tr("drafted in round {number}"), "series1"),
        ):
            if row is not None:
                found = row["stats"]["draft_histogram"]
                counts, edges = np.array(found[key], float), np.array(found["edges"], float)
                shares = counts / max(1.0, counts.sum())
                # A step holds up to the next edge; the last one ends there
                curves.append(
                    Series(name.format(number=row["idx"]), edges, np.append(shares, shares[-1:]), color, steps=True)
                )
        self.show_data(curves)
