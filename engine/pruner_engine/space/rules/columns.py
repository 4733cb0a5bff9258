"""Schedule rule: kernels that reduce along axes whose elements lie apart in memory, and work on the results again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tvm.s_tir import SBlock, Schedule
from tvm.s_tir.schedule import SBlockRV
from tvm.tirx import IterVar, Var

from pruner_engine.space.rules.nest import extent_of, loops_of, moves_with, same_vars
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import close_root, inline_stages, is_taken, stages_of, take

_MOST = 16  # vectors beside each other: each has its partial result in a register


@dataclass(frozen=True)
class _Stage:
    """A block of the kernel.

    Attributes:
        block: itself.
        across: which of its loops run along the axes that are reduced.
        column: which runs along the last axis.
    """

    block: SBlockRV
    across: list[int]
    column: int


class ColumnReductions(Rule):
    """Rule for softmax over channels, norms of each pixel's channels, sums over all axes but the last.

    Columns that are neighbours are reduced together, some vectors of them at a time, and all stages of those follow
    each other while they are in the cache.
    """

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        shape, reduced = _reduced(sch.get(block))
        if not reduced:
            return [sch]
        made = sch.copy()
        inline_stages(made, math.prod(shape) // math.prod(shape[axis] for axis in reduced))
        blocks = stages_of(made)
        stages = [found for stage in blocks if (found := _stage(made, stage, shape, reduced)) is not None]
        width = math.gcd(shape[-1], self.machine.vector_bits // made.get(block).writes[0].source.dtype.bits)
        if len(stages) < len(blocks) or width < self.machine.least_lanes:
            return [sch]
        if not all(map(made.get_consumers, blocks[:-1])):
            return [sch]
        _schedule(made, stages, width)
        close_root(made)
        return [made, sch]


def _schedule(sch: Schedule, stages: Sequence[_Stage], width: int) -> None:
    """Compute some vectors of columns at a time, through all stages."""
    *before, last = stages
    loops = sch.get_loops(last.block)
    vectors, lane = sch.split(loops[last.column], factors=[None, width])
    chunk, beside = sch.split(vectors, factors=sch.sample_perfect_tile(vectors, n=2, max_innermost_factor=_MOST))
    around = [loop for at, loop in enumerate(loops) if at not in (*last.across, last.column)]
    sch.reorder(*around, chunk, *(loops[at] for at in last.across), beside, lane)
    columns = sch.fuse(*around, chunk)
    sch.parallel(columns)
    sch.unroll(beside)
    sch.vectorize(lane)
    for stage in reversed(before):
        sch.compute_at(stage.block, columns, preserve_unit_loops=True)
    for stage in before:
        _, *loops = sch.get_loops(stage.block)
        beside, lane = sch.split(loops[stage.column], factors=[None, width])
        sch.reorder(*(loops[at] for at in stage.across), beside, lane)
        sch.unroll(beside)
        sch.vectorize(lane)
    take(sch, *(stage.block for stage in stages))


def _reduced(block: SBlock) -> tuple[list[int], list[int]]:
    """The shape of what a block reduces, without trailing axes of 1, and which of its axes; nothing where it does not.

    It reduces whole axes of it, and not the last one.
    """
    steps = [v.var for v in block.iter_vars if v.iter_type == IterVar.CommReduce]
    extents = {v.var: int(v.dom.extent) for v in block.iter_vars}
    reads = [read for read in block.reads if any(moves_with(read, step) for step in steps)]
    if block.init is None or len(block.writes) != 1 or not reads:
        return [], []
    first, *others = [[dimension.min for dimension in read.region] for read in reads]
    if not all(isinstance(index, Var) and index in extents for index in first):
        return [], []
    if not all(same_vars(other, first) for other in others):
        return [], []
    shape = [extents[index] for index in first]
    while shape and shape[-1] == 1:
        shape.pop()
    reduced = [axis for axis in range(len(shape)) if first[axis] in steps and shape[axis] > 1]
    within = len(reduced) == sum(extents[step] > 1 for step in steps) and len(shape) - 1 not in reduced
    return (shape, reduced) if within else ([], [])


def _stage(sch: Schedule, block_rv: SBlockRV, shape: list[int], reduced: list[int]) -> _Stage | None:
    """How a stage's loops run over what is reduced; None where it was scheduled, or they run over something else."""
    block, loops = sch.get(block_rv), loops_of(sch, block_rv)
    if loops is None or is_taken(sch, block_rv):
        return None
    extents = [extent_of(sch, loop) for loop in loops]
    steps = [at for at, v in enumerate(block.iter_vars) if v.iter_type == IterVar.CommReduce]
    spatial = [at for at, extent in enumerate(extents) if extent > 1 and at not in steps]
    kept = [axis for axis, extent in enumerate(shape) if extent > 1]
    columns = [axis for axis in kept if axis not in reduced]
    axes = next((axes for axes in (columns, kept) if [extents[at] for at in spatial] == [shape[a] for a in axes]), None)
    if not axes or not columns:
        return None
    across = [at for at, axis in zip(spatial, axes, strict=True) if axis in reduced]
    return _Stage(block_rv, steps or across, spatial[-1])
