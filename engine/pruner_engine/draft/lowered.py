"""Predictions for a sketch that has no closed form: each row's schedule is applied, and its lowered loop nest read."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import tvm
from tvm.s_tir import Schedule

from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.nests.nest import Block, UnreadableSketchError
from pruner_engine.draft.nests.reading import FunctionReader
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.predictor import Factors
from pruner_engine.space.decision import Rows
from pruner_engine.space.sketch import Sketch

READ_A_DRAFT = 128  # rows that are worth their time: on Tensor Cores each takes twenty milliseconds and more


class Lowered:
    """Predicts the rows of one sketch one at a time.

    Args:
        parts: from a nest to its parts.
    """

    def __init__(self, mod: tvm.IRModule, sketch: Sketch, parts: Callable[[Block], Parts]) -> None:
        self._mod, self._sketch, self._parts_of = mod, sketch, parts

    def parts(self, row: Rows) -> Parts | None:
        """The parts counted on the row's applied schedule; None where TVM cannot apply it. Takes milliseconds."""
        schedule = Schedule(self._mod, seed=1, error_render_level="none")
        try:
            self._sketch.to_trace(row).apply_to_schedule(schedule, remove_postproc=True)
            return self._parts_of(FunctionReader(schedule.mod["main"]).root)
        except (RuntimeError, ValueError, UnreadableSketchError):
            return None  # cannot be built, or not be understood: not a candidate for the draft

    def seconds(self, rows: Rows, factors: Factors) -> np.ndarray:
        """Predicted seconds a call, float64[n]; inf where a row is not valid.

        Args:
            rows: int32[n, width].
        """
        found = np.full(len(rows), np.inf)
        for index, row in enumerate(rows):
            parts = self.parts(row)
            if parts is not None and parts.valid:
                times = cast("dict[str, float]", parts.times)  # nothing is free in an applied schedule
                found[index] = sum(t * factors.get(n, 1.0) for n, t in times.items())
        return found

    def read(self) -> None:
        """A sketch is read row by row."""

    def score(self, rows: Rows, factors: Factors) -> np.ndarray:
        """As `Predictor.score`; all but the first `READ_A_DRAFT` rows get -inf."""
        scores = np.full(len(rows), -np.inf)
        scores[:READ_A_DRAFT] = -np.log2(self.seconds(rows[:READ_A_DRAFT], factors))
        return scores

    def explain(self, row: Rows, factors: Factors) -> Explanation:
        """The latency alone: what is counted on an applied schedule is not told by parts."""
        seconds = float(self.seconds(np.asarray(row)[None], factors)[0])
        return Explanation(seconds, bool(np.isfinite(seconds)))

    def components(self, rows: Rows) -> dict[str, np.ndarray]:
        return {}

    def figures(self, rows: Rows) -> dict[str, np.ndarray]:
        seconds = self.seconds(rows, {})
        return {"latency": np.where(np.isfinite(seconds), seconds, 0.0)}

    def canonical(self, rows: Rows) -> Rows:
        return rows

    def gathered(self, rows: Rows, share: float) -> Rows:
        return rows

    def prepare(self, row: Rows | None) -> None:
        """Nothing is kept from one row to the next."""
