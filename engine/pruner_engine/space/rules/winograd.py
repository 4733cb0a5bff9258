"""Schedule rule: the transforms of Winograd's convolution, all cases of a tile written out."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV

from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.nest import close_root, extent_of, loops_of
from pruner_engine.tasks.winograd import STAGE


class Winograd:
    """Transforms a vector of channels of one tile after the other; which case applies is known in every line of code.

    Args:
        machine: the vector unit.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        tile = sch.get(block).annotations.get(STAGE)
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
        if tile:
            batch, height, width = tiles
            (down, *row), (across, *column) = (sch.split(n, factors=[None, int(tile)]) for n in (height, width))
            outer, cases = [batch, down, across], [*row, *column]
        else:
            cases, outer = tiles[:2], tiles[2:]
        vectors, lane = sch.split(channel, factors=[None, lanes])
        sch.reorder(*outer, vectors, *cases, lane)
        fused = sch.fuse(*outer)
        parallel, _ = sch.split(fused, factors=sch.sample_perfect_tile(fused, n=2, max_innermost_factor=-1))
        sch.parallel(parallel)
        self._write_out(sch, last, cases, lane)
        before = [block, *sch.get_producers(block)]
        for stage in before:
            sch.compute_at(stage, vectors, preserve_unit_loops=True)
            *outside, inside = sch.get_loops(stage)[-len(sch.get(stage).iter_vars) :]
            self._write_out(sch, stage, outside, inside)
        close_root(sch)
        return [sch]

    def _write_out(self, sch: Schedule, stage: SBlockRV, cases: list[LoopRV], lane: LoopRV) -> None:
        for case in cases:
            sch.unroll(case)
        sch.vectorize(lane)
        sch.annotate(stage, "schedule_rule", "None")
