"""Schedule rule: the transforms of Winograd's convolution, all cases of a tile written out."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV

from pruner_engine.space.rules.nest import extent_of, loops_of
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import close_root, take
from pruner_engine.tasks.rewrites.winograd import DILATION, STAGE


class Winograd(Rule):
    """Transforms a vector of channels of one tile after the other; each line of code knows which case applies."""

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        annotations = sch.get(block).annotations
        tile = annotations.get(STAGE)
        if tile is None or len(consumers := sch.get_consumers(block)) != 1:
            return [sch]
        (last,) = consumers
        loops = loops_of(sch, last)
        if loops is None or sch.get_consumers(last):
            return [sch]
        *tiles, channel = loops
        lanes = math.gcd(extent_of(sch, channel), self.machine.vector_bits // sch.get(last).writes[0].source.dtype.bits)
        if lanes < self.machine.least_lanes:
            return [sch]
        dilation = int(annotations[DILATION]) if DILATION in annotations else None
        outer, cases = _split_tiles(sch, tiles, int(tile), dilation)
        vectors, lane = sch.split(channel, factors=[None, lanes])
        sch.reorder(*outer, vectors, *cases, lane)
        fused = sch.fuse(*outer)
        parallel, _ = sch.split(fused, factors=sch.sample_perfect_tile(fused, n=2, max_innermost_factor=-1))
        sch.parallel(parallel)
        _write_out(sch, last, cases, lane)
        # what a tile's pixels read TVM cannot tell where they lie apart: each computes it, and LLVM drops what is equal
        where = vectors if dilation is None else cases[-1]
        for stage in [block, *sch.get_producers(block)]:
            sch.compute_at(stage, where, preserve_unit_loops=True)
            *outside, inside = sch.get_loops(stage)[-len(sch.get(stage).iter_vars) :]
            _write_out(sch, stage, outside, inside)
        close_root(sch)
        return [sch]


def _split_tiles(
    sch: Schedule, loops: list[LoopRV], tile: int, dilation: int | None
) -> tuple[list[LoopRV], list[LoopRV]]:
    """The loops that go from tile to tile, and the two over the cases within one.

    Args:
        loops: of the last stage, without the one over channels.
        tile: pixels of a tile along each side of an image; 0 where the stage is over tiles already, cases first.
        dilation: how far the pixels of a tile lie apart; None where they are neighbours.
    """
    if not tile:
        return loops[2:], loops[:2]
    batch, *image = loops
    apart = [] if dilation is None else [dilation]
    height, width = (sch.split(axis, factors=[None, tile, *apart]) for axis in image)
    return [batch, *height[2:], *width[2:], height[0], width[0]], [height[1], width[1]]


def _write_out(sch: Schedule, stage: SBlockRV, cases: list[LoopRV], lane: LoopRV) -> None:
    """Spell all cases of a stage out in the code, each for a vector."""
    for case in cases:
        sch.unroll(case)
    sch.vectorize(lane)
    take(sch, stage)
