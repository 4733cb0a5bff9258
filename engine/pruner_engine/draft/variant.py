"""A sketch for one choice of its compute locations. Rows that share them share one loop nest, and so their formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import tvm

from pruner_engine.draft.formulas.columns import Value
from pruner_engine.draft.formulas.evaluation import Evaluation
from pruner_engine.draft.formulas.program import Program
from pruner_engine.draft.nests.nest import Block
from pruner_engine.draft.nests.replay import Replay
from pruner_engine.draft.parts import Parts
from pruner_engine.space.sketch import Sketch


class Variant:
    """One sketch read for some locations. Each program and evaluation is made when it is first used.

    Args:
        locations: chosen per location decision.
        read: from the nest to its parts.

    Attributes:
        effective: where TVM really puts the blocks, one formula a location decision.
    """

    def __init__(
        self, mod: tvm.IRModule, sketch: Sketch, locations: Mapping[int, int], read: Callable[[Block], Parts]
    ) -> None:
        replay = Replay(mod, sketch, locations)
        self.effective: list[Value] = [replay.effective[i] for i in locations]
        self._root, self._read = replay.root, read

    @cached_property
    def parts(self) -> Parts:
        return self._read(self._root)

    @cached_property
    def location_program(self) -> Program:
        """The effective locations, for matrices of rows."""
        return Program(self.effective)

    @cached_property
    def time_program(self) -> Program:
        """Uncalibrated seconds by component, then validity, for matrices of rows."""
        return Program([*self.parts.times.values(), self.parts.valid], np.float32)

    @cached_property
    def figure_program(self) -> Program:
        """Symbols, penalties and times, then validity, for matrices of rows."""
        return Program(self._figures)

    @cached_property
    def figure_evaluation(self) -> Evaluation:
        """As `figure_program`, for one row."""
        return Evaluation(self._figures)

    @cached_property
    def location_evaluation(self) -> Evaluation:
        """As `location_program`, for one row."""
        return Evaluation(self.effective)

    def prepare(self) -> None:
        """Make the evaluations of single rows now."""
        _ = self.figure_evaluation, self.location_evaluation

    @property
    def _figures(self) -> list[Value]:
        parts = self.parts
        return [*parts.symbols.values(), *parts.penalties.values(), *parts.times.values(), parts.valid]
