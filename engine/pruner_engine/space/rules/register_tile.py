"""Schedule rule: a reduction whose accumulators stay in vector registers."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.space.rules.nest import extent_of, read_nest
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.tiling import Tiling, tilings

_ROW_TILE = 16  # most rows in a register tile along the innermost row axis
_OUTER_ROW_TILE = 4  # and along any other
_VECTORS = 6  # most vectors in a register tile
_LEAST_SHARE = 0.5  # of a register that vectors fill, where there are several
_UNROLL = 4  # most iterations of the innermost reduction loop in one


class _RegisterTiling(Tiling):
    """One schedule in the making."""

    def run(self, blocked: bool, pad_first: bool) -> None:
        """Loops: outer tiles (parallel) | [reduction blocks] | inner tiles | reduction | rows x vectors, unrolled.

        Args:
            blocked: split the reduction outside the inner tiles, so that a block of the operands stays in a cache; the
                accumulators then rest in a buffer between the blocks.
            pad_first: pad the whole input before, instead of what each outer tile reads.
        """
        sch, nest = self.sch, self.nest
        vectors, lane = sch.split(nest.vector, factors=[None, self.lanes])
        tiles = [self.tile(r, 3, _ROW_TILE if r is nest.rows[-1] else _OUTER_ROW_TILE) for r in nest.rows]
        tiles.append(self.tile(vectors, 3, _VECTORS))
        outer, middle, inner = ([tile[level] for tile in tiles] for level in range(3))
        *windows, channel = nest.reduction
        *blocks, steps, unrolled = self.tile(channel, 3 if blocked else 2, _UNROLL)
        parallel, middle = self.ordered(outer, blocks, middle, [*windows, steps, unrolled, *inner, lane])
        for loop in [unrolled, *inner]:
            sch.unroll(loop)
        self.around(parallel, parallel if blocked else middle[-1], middle[0], pad_first)


class RegisterTile(Rule):
    """Rule for matrix products, convolutions, depthwise convolutions, poolings: any reduction into vectors."""

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        nest = read_nest(sch, block)
        if nest is None or not nest.reduction:
            return [sch]
        # what lies across the vector is packed, which pays where rows share it
        if any(
            o.axis is not None and not (o.last or o.layout_free or (nest.rows and not o.rows)) for o in nest.operands
        ):
            return [sch]
        every = extent_of(sch, nest.vector)
        lanes = math.gcd(every, self.machine.vector_bits // nest.bits)
        if lanes < self.machine.least_lanes or not all(operand.fills(lanes) for operand in nest.operands):
            return [sch]
        filled = lanes * nest.bits / self.machine.vector_bits if lanes < every else 1.0
        if filled < _LEAST_SHARE:
            return [sch]
        made = [] if filled == 1 else [sch]  # MetaSchedule's rules try vectors of other lengths
        return [
            *made,
            *tilings(sch, block, nest, lambda copy: _RegisterTiling(copy, block, nest, lanes, self.machine).run),
        ]
