"""Schedule rule: the transforms of Winograd's convolution, all cases of a tile written out."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV

from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.nest import close_root, extent_of, loops_of
from pruner_engine.tasks.winograd import DILATION, STAGE


class Winograd:
    """Transforms a vector of channels of one tile after the other; which case applies is known in every line of code.

    Args:
        machine: the vector unit.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

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
        apart = [int(annotations[DILATION])] if DILATION in annotations else []
        if tile:
            batch, *image = tiles
            height, width = (sch.split(n, factors=[None, int(tile), *apart]) for n in image)
            outer, cases = [batch, *height[2:], *width[2:], height[0], width[0]], [height[1], width[1]]
        else:
            cases, outer = tiles[:2], tiles[2:]
        vectors, lane = sch.split(channel, factors=[None, lanes])
        sch.reorder(*outer, vectors, *cases, lane)
        fused = sch.fuse(*outer)
        parallel, _ = sch.split(fused, factors=sch.sample_perfect_tile(fused, n=2, max_innermost_factor=-1))
        sch.parallel(parallel)
        self._write_out(sch, last, cases, lane)
        before = [block, *sch.get_producers(block)]
        # what a tile's pixels read TVM cannot tell where they lie apart: each computes it, and LLVM drops what is equal
        where = cases[-1] if apart else vectors
        for stage in before:
            sch.compute_at(stage, where, preserve_unit_loops=True)
            *outside, inside = sch.get_loops(stage)[-len(sch.get(stage).iter_vars) :]
            self._write_out(sch, stage, outside, inside)
        close_root(sch)
        return [sch]

    def _write_out(self, sch: Schedule, stage: SBlockRV, cases: list[LoopRV], lane: LoopRV) -> None:
        for case in cases:
            sch.unroll(case)
        sch.vectorize(lane)
        sch.annotate(stage, "schedule_rule", "None")
