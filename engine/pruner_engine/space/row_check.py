"""Checks a row of decisions that a person chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.space.decision import Rows
from pruner_engine.space.sketch import Sketch


def checked_row(sketch: Sketch, decisions: Sequence[Any]) -> Rows:
    """The row, int32[width], of decisions that are given as JSON values.

    Raises:
        UserError: they are not of this sketch: too few or many, or a value that its domain does not hold.
    """
    if len(decisions) != len(sketch.decisions):
        raise UserError(
            f"Values given: {len(decisions)}; decisions of the sketch: {len(sketch.decisions)}.", "Give one value each."
        )
    for decision, value in zip(sketch.decisions, decisions, strict=True):
        try:
            fits = decision.admits(value)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise UserError(
                f"{value} is no value of the decision {decision.name}.",
                "Tile factors must multiply to the loop's extent and keep the sketch's limits.",
            )
    return sketch.from_json(decisions)
