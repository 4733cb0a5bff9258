"""Figures about scores: what may be pooled and what may not."""

from __future__ import annotations

import pytest

from pruner_engine.store.figures.quality import over_rounds, score_quality


def _row(score: float, seconds: float) -> dict:
    return {"stage": "ok", "censored": 0, "seconds": seconds, "verified_score": score}


def test_a_score_that_is_right_in_every_round_is_right_over_them() -> None:
    """The model is another one in each round: pooled, its scores would seem to be reversed."""
    first = [_row(score, 10 - score) for score in (1.0, 2.0, 3.0)]
    second = [_row(score - 90, 3 - score) for score in (0.0, 1.0, 2.0)]
    assert score_quality(first + second, "verified_score") < 0
    rounds = [(score_quality(rows, "verified_score"), len(rows)) for rows in (first, second)]
    assert over_rounds(rounds) == (pytest.approx(1.0), 2)


def test_rounds_count_by_what_they_measured_and_not_where_nothing_is_known() -> None:
    assert over_rounds([(1.0, 30), (0.0, 10), (None, 50)]) == (0.75, 2)
    assert over_rounds([(None, 3)]) == over_rounds([]) == (None, 0)
