"""Schedule rule: kernels that move data by cases (concatenation, padding), one vector at a time."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import SBlockRV
from tvm.tirx import BufferStore

from pruner_engine.lowering.loops.cases import cases_of, chosen_loads
from pruner_engine.space.rules.nest import extent_of, loops_of
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import close_root, take

_MOST_VECTORS = 128  # vectors of a row, all written out in the code


class VectorCopy(Rule):
    """Writes the last axis out vector by vector, so that which case applies is known when the kernel is compiled."""

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        copy, loops = sch.get(block), loops_of(sch, block)
        if loops is None or len(loops) < 2 or copy.init is not None or sch.get_consumers(block):
            return [sch]
        if not isinstance(copy.body, BufferStore) or not cases_of(copy.body):
            return [sch]
        # no vector lies on both sides of the end of a source
        sources = [load.source.shape for load in chosen_loads(copy.body)]
        ends = [extent_of(sch, loops[-1]), *(int(shape[-1]) for shape in sources if shape)]
        lanes = math.gcd(self.machine.vector_bits // copy.body.buffer.dtype.bits, *ends)
        if lanes < self.machine.least_lanes or ends[0] > lanes * _MOST_VECTORS:
            return [sch]
        rows = sch.fuse(*loops[:-1])
        outer, _ = sch.split(rows, factors=sch.sample_perfect_tile(rows, n=2, max_innermost_factor=-1))
        vector, lane = sch.split(loops[-1], factors=[None, lanes])
        sch.parallel(outer)
        sch.unroll(vector)
        sch.vectorize(lane)
        take(sch, block)
        close_root(sch)
        return [sch]
