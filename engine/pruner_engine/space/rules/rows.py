"""Schedule rule: kernels that reduce each row and work on it again (softmax, norms), a row at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import BufferRegion, IterVar, Var

from pruner_engine.lowering.steps import step_along
from pruner_engine.space.rules.nest import extent_of, layout_free, loops_of, moves_with
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import close_root, inline_stages, is_taken, stages_of, take

_LONG = 64  # vectors of a row from which on several vectors of partial results pay
_PARTIAL = 4  # so many
_WRITTEN_OUT = 64  # most vectors of a row that the code spells out


class RowReductions(Rule):
    """Rule for softmax, layer norm, root mean square norm, sums over rows.

    All stages of one row follow each other while it is in the cache. A reduction keeps a vector of partial results,
    which are added up at the end of the row.
    """

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        if not _reduces_rows(sch, block):
            return [sch]
        made = sch.copy()
        inline_stages(made, math.prod(_rows(made, block) or [1]))
        *before, last = stages_of(made)
        rows = _rows(made, block)
        single = bool(rows) and _extents(made, made.get_loops(last)) == rows  # one number a row, such as a mean
        stages = before if single else [*before, last]
        fits = rows is not None and all(_rows(made, stage) == rows for stage in stages)
        if not fits or not all(map(made.get_consumers, before)):
            return [sch]
        if single:
            made.split(made.get_loops(last)[-1], factors=[None, 1])
        if not rows:  # a vector: one row
            for stage in (*before, last):
                made.add_unit_loop(made.get_loops(stage)[0])
        in_vectors = self._schedule(made, before, last)
        close_root(made)
        return [made] if in_vectors else [sch, made]

    def _schedule(self, sch: Schedule, before: list[SBlockRV], last: SBlockRV) -> bool:
        """Returns whether every reduction is in vectors."""
        count = len(sch.get_loops(last)) - 1
        spatial, partial, stages, in_vectors = [], [], [], True
        for stage in [*before, last]:
            if sch.get(stage).init is None:
                spatial.append(stage)
            elif (found := self._partial(sch, stage)) is not None:
                partial.append(found)
                stages.append(found)
            else:
                in_vectors &= extent_of(sch, sch.get_loops(stage)[-1]) <= self._lanes(sch, stage)
            stages.append(stage)
        around = sch.get_loops(last)[:count]
        several = len(_extents(sch, around)) > 1  # TVM cannot tell rows apart where a split cuts through an axis
        row = sch.fuse(*around)
        factors = [None, 1] if several else sch.sample_perfect_tile(row, n=2, max_innermost_factor=-1)
        outer, inner = sch.split(row, factors=factors)
        sch.parallel(outer)
        for stage in reversed(stages[:-1]):
            sch.compute_at(stage, inner, preserve_unit_loops=True)
        for stage in partial:
            _, _, lane, *_, step = sch.get_loops(stage)
            sch.reorder(step, lane)
            self._vectorize(sch, lane, min(self._lanes(sch, stage), extent_of(sch, lane)))
        for stage in spatial:
            self._vectorize(sch, sch.get_loops(stage)[-1], self._lanes(sch, stage))
        take(sch, *stages)
        return in_vectors

    def _partial(self, sch: Schedule, stage: SBlockRV) -> SBlockRV | None:
        """Take a vector of partial results out of a reduction; the block that makes them.

        The vector is a narrower one where that divides the row.
        """
        loop = sch.get_loops(stage)[-1]
        extent, lanes = extent_of(sch, loop), self._lanes(sch, stage)
        width = math.gcd(extent, lanes)
        if width < min(lanes, self.machine.least_lanes) or extent == width:
            return None
        if extent >= lanes * _LONG:
            width = math.gcd(extent, width * _PARTIAL)
        _, lane = sch.split(loop, factors=[None, width])
        return sch.rfactor(lane, factor_axis=len(sch.get(stage).writes[0].region))

    def _lanes(self, sch: Schedule, stage: SBlockRV) -> int:
        return self.machine.vector_bits // sch.get(stage).writes[0].source.dtype.bits

    def _vectorize(self, sch: Schedule, loop: LoopRV, lanes: int) -> None:
        """Vectors along a loop; where it is no whole number of them, LLVM finds its own."""
        extent = extent_of(sch, loop)
        if extent % lanes == 0:
            vectors, lane = sch.split(loop, factors=[None, lanes])
            sch.vectorize(lane)
            if extent <= lanes * _WRITTEN_OUT:
                sch.unroll(vectors)  # so that a condition, such as the end of a row, is known for each vector


def _reduces_rows(sch: Schedule, block_rv: SBlockRV) -> bool:
    """Whether the block reduces its last axis, and no other, along the memory of rows that are read once.

    Other operands may be shared by rows, as the vector of a matrix-vector product is. A constant matrix is better
    laid out for vectors across its rows.
    """
    block = sch.get(block_rv)
    if block.init is None:
        return False
    *rows, last = block.iter_vars
    if last.iter_type != IterVar.CommReduce or any(v.iter_type != IterVar.DataPar for v in rows):
        return False
    along = [read for read in block.reads if moves_with(read, last.var)]
    if any(step_along(read.region[-1].min, last.var) != 1 for read in along):
        return False
    own = [_moves(read, [v.var for v in rows if int(v.dom.extent) > 1]) for read in along]
    return bool(own) and (all(own) or (any(own) and not layout_free(sch)))


def _moves(read: BufferRegion, rows: list[Var]) -> bool:
    """Whether each row of the output reads another row of this operand."""
    return all(any(step_along(dimension.min, row) for dimension in read.region[:-1]) for row in rows)


def _rows(sch: Schedule, stage: SBlockRV) -> list[int] | None:
    """Extents of a stage's axes but the last, those of 1 left out; None where it was scheduled or has no such axes."""
    loops = loops_of(sch, stage)
    if not loops or is_taken(sch, stage):
        return None
    return _extents(sch, loops[:-1])


def _extents(sch: Schedule, loops: Iterable[LoopRV]) -> list[int]:
    return [extent for loop in loops if (extent := extent_of(sch, loop)) > 1]
