"""A sketch with its compute locations chosen: what all rows that share them have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import tvm

from pruner_engine.draft.columns import Value
from pruner_engine.draft.evaluation import Evaluation
from pruner_engine.draft.nest import Block
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.program import Program
from pruner_engine.draft.replay import Replay
from pruner_engine.space.sketch import Sketch


class Variant:
    """One sketch read for some locations; what is asked of it is compiled when it is first asked.

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
    def settling(self) -> Program:
        """The effective locations."""
        return Program(self.effective)

    @cached_property
    def times(self) -> Program:
        """Seconds by component, then validity."""
        return Program([*self.parts.times.values(), self.parts.valid], np.float32)

    @cached_property
    def explained(self) -> Program:
        """Symbols, penalties and times, then validity."""
        return Program(self._everything)

    @cached_property
    def explaining(self) -> Evaluation:
        """As `explained`, for one row."""
        return Evaluation(self._everything)

    @cached_property
    def placing(self) -> Evaluation:
        """As `settling`, for one row."""
        return Evaluation(self.effective)

    def prepare(self) -> None:
        """Make ready what single rows are asked for."""
        _ = self.explaining, self.placing

    @property
    def _everything(self) -> list[Value]:
        parts = self.parts
        return [*parts.symbols.values(), *parts.penalties.values(), *parts.times.values(), parts.valid]
