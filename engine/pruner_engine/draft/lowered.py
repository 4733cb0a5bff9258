"""Predictions for sketches that have no closed form: each row's schedule is applied, and its lowered loop nest read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
from tvm.s_tir import Schedule

from pruner_engine.draft.nest import Block, UnreadableSketchError
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.reading import FunctionReader
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace

READ_A_DRAFT = 128  # rows that are worth their time: on Tensor Cores each takes twenty milliseconds and more


class LoweredSketches:
    """Predicts rows of a design space one at a time.

    Args:
        parts: from a nest to its parts.
    """

    def __init__(self, space: DesignSpace, parts: Callable[[Block], Parts]) -> None:
        self._space, self._parts_of = space, parts

    def parts(self, sketch: int, row: Rows) -> Parts | None:
        """The parts counted on the row's applied schedule; None where TVM cannot apply it. Takes milliseconds."""
        of = self._space.sketches[sketch]
        schedule = Schedule(self._space.task.mod, seed=1, error_render_level="none")
        try:
            of.to_trace(row).apply_to_schedule(schedule, remove_postproc=True)
            return self._parts_of(FunctionReader(schedule.mod["main"]).root)
        except (RuntimeError, ValueError, UnreadableSketchError):
            return None  # cannot be built, or not be understood: not a candidate for the draft

    def seconds(self, sketch: int, rows: Rows, factors: Mapping[str, float]) -> np.ndarray:
        """Predicted seconds a call, float64[n]; inf where a row is not valid.

        Args:
            rows: int32[n, width] of the sketch.
            factors: by which each time component is multiplied; one that is missing is 1.
        """
        found = np.full(len(rows), np.inf)
        for index, row in enumerate(rows):
            parts = self.parts(sketch, row)
            if parts is not None and parts.valid:
                times = cast("dict[str, float]", parts.times)  # nothing is free in an applied schedule
                found[index] = sum(t * factors.get(n, 1.0) for n, t in times.items())
        return found

    def score(self, sketch: int, rows: Rows, factors: Mapping[str, float]) -> np.ndarray:
        """As `Analyzer.score`; all but the first `READ_A_DRAFT` rows get -inf."""
        scores = np.full(len(rows), -np.inf)
        scores[:READ_A_DRAFT] = -np.log2(self.seconds(sketch, rows[:READ_A_DRAFT], factors))
        return scores
