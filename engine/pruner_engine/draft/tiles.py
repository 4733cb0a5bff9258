"""What a product of tiles of words takes on a core with AMX (`lowering/tile_products.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from pruner_engine.draft.columns import Value, maximum, product
from pruner_engine.draft.core import Core
from pruner_engine.draft.nest import Loop
from pruner_engine.draft.postproc import ScheduledBlock
from pruner_engine.lowering.tile_nests import DEPTH, ROWS, TILE

_LATENCY = 52.0  # cycles until a product's result can be added to; Intel's optimisation manual, as the rows' cycles


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

        A product takes a cycle for each row. The next that adds to the same result waits for it.

        Args:
            run: steps that results stay in registers for.
            incomplete: 1 where they are fetched from memory before, and do not begin at zero.
        """
        rows, depth = self.rows.extent, self.depth.extent
        results = product(loop.extent for loop in self.beside)
        computed = maximum(results * rows, _LATENCY)
        lines: Value = 0
        for touch in block.touches:
            if touch.read and not touch.written:
                tiles = product(loop.extent for loop in self.beside if touch.moves_with(loop))
                lines = lines + tiles * (rows if touch.moves_with(self.rows) else depth)
        around = results * rows * (core.store + incomplete * core.load)
        return maximum(computed, lines * core.load) / depth, around / run + core.loop / depth
