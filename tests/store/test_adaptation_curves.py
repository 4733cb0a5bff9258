"""Curves of adaptations: each point is of enough measurements to say something."""

from __future__ import annotations

from pruner_engine.store.figures.adaptation import LEAST, curve_of


def _row(number: int, samples: int, figure: float | None, model: str = "adapted") -> dict:
    return {"round": number, "samples": samples, "model": model, "pair_accuracy": figure, "distance": 0.1 * number}


def test_small_rounds_are_told_together_weighted_by_their_measurements() -> None:
    rows = [_row(4 * i, 4, float(i % 2)) for i in range(8)] + [_row(40, 12, 1.0)]
    rounds, means = zip(*curve_of(rows, "adapted", "pair_accuracy"), strict=True)
    assert rounds == (0, 4, 8, 12, 16, 20, 24, 28, 40)
    assert means == (0, 1 / 2, 1 / 3, *[1 / 2] * 5, 1)
    assert LEAST == 16, "of which the last point has 12 of its own and 4 of the one before"


def test_a_round_that_has_enough_stands_alone() -> None:
    rows = [_row(1, 16, 0.25), _row(2, 20, 0.75), _row(3, 1, 0.0)]
    assert curve_of(rows, "adapted", "pair_accuracy") == [(1, 0.25), (2, 0.75), (3, 15 / 21)]


def test_what_was_not_judged_is_left_out_and_weights_are_told_as_they_are() -> None:
    rows = [_row(1, 3, None), _row(2, 3, 1.0), _row(3, 3, 0.0, model="siamese")]
    assert curve_of(rows, "adapted", "pair_accuracy") == [(2, 1.0)]
    assert curve_of(rows, "siamese", "pair_accuracy") == [(3, 0.0)]
    assert curve_of(rows[:2], "adapted", "distance") == [(1, 0.1), (2, 0.2)]
    assert curve_of([], "scratch", "top1") == []
