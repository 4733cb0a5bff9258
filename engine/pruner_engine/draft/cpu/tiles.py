"""What a product of tiles of words takes on a core with AMX (`lowering/words/tile_products.py`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pruner_engine.draft.cpu.core import LINE, Core
from pruner_engine.draft.cpu.postproc import ScheduledBlock
from pruner_engine.draft.formulas.columns import Value, maximum, product
from pruner_engine.draft.nests.footprint import Touch
from pruner_engine.draft.nests.nest import Loop
from pruner_engine.lowering.words.tile_nests import DEPTH, ROWS, TILE

_LEAST_CYCLES = 9.0  # of a product, which else takes one for each row; measured, as what follows
_CROSSED = 2.8  # cycles that a row adds which reaches over the end of a cache line
_WORD = 4  # bytes


@dataclass(frozen=True)
class Tiles:
    """The tiles of one step of a sum: so many results beside each other, one word deep.

    Attributes:
        rows, depth: loops over a tile's.
        beside: loops over tiles of results.
    """

    rows: Loop
    depth: Loop
    beside: list[Loop]

    @classmethod
    def of(cls, block: ScheduledBlock) -> Tiles | None:
        """Those of a block; None where it computes no products of tiles."""
        marked = {str(loop.annotations[TILE]): loop for loop in block.loops if TILE in loop.annotations}
        if set(marked) != {ROWS, DEPTH}:
            return None
        return cls(marked[ROWS], marked[DEPTH], [loop for loop in block.tail[:-1] if loop is not marked[ROWS]])

    def cycles(self, block: ScheduledBlock, run: Value, incomplete: Value, core: Core) -> tuple[Value, Value]:
        """Cycles of one step: those in which it computes, and those that fetching and storing the results adds.

        A product takes a cycle for each row, and the next that adds to the same result need not wait for it.

        Args:
            run: steps that results stay in registers for.
            incomplete: 1 where they are fetched from memory before, and do not begin at zero.
        """
        rows, depth = self.rows.extent, self.depth.extent
        results = product(loop.extent for loop in self.beside)
        fetched: Value = 0
        for touch in block.touches:
            if touch.read and not touch.written:
                tiles = product(loop.extent for loop in self.beside if touch.moves_with(loop))
                lines = rows if touch.moves_with(self.rows) else depth
                fetched = fetched + tiles * lines * (core.load + _CROSSED * self._crossing(touch))
        around = results * rows * (core.store + incomplete * core.load)
        computed = results * maximum(rows, _LEAST_CYCLES)
        return maximum(computed, fetched) / depth, around / run + core.loop / depth

    def _crossing(self, touch: Touch) -> float:
        """Share of a tile's rows that lie in two cache lines."""
        pitch, depth = touch.stride(self.rows), self.depth.extent
        if not touch.moves_with(self.rows) or not isinstance(pitch, int) or not isinstance(depth, int):
            return 0.0
        width = depth * _WORD
        places = range(0, LINE, math.gcd(pitch * _WORD, width, LINE))
        return sum(place + width > LINE for place in places) / len(places)
