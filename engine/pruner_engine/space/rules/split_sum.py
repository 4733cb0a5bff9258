"""Schedule rule for GPUs: long sums of few results, whose steps are shared out among blocks of the grid (split-K)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm.s_tir import SBlock, Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import BufferRegion, BufferStore, IterVar

from pruner_engine.lowering.steps import step_along
from pruner_engine.space.rules.nest import extent_of, loops_of, same_vars
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.stages import take

_LONG = 768  # steps of a sum that is worth a second kernel
_RESULTS = 4096  # of a multiprocessor: eight warps, each of whose threads holds a register tile of 16
_MOST_PARTS = 16
# of MetaSchedule's tiling for GPUs: which of the levels SSSRRSRS are an output axis's and which a summed one's
_OF_RESULTS, _OF_STEPS = (0, 1, 2, 5, 7), (3, 4, 6)
_BOUND = ("blockIdx.x", "vthread.x", "threadIdx.x")  # the outermost levels
_INNERMOST, _LOADS = 64, (1, 2, 3, 4)
_ADDING = 256  # threads at most of a block that adds the parts up


class SplitSum(Rule):
    """Tiles a product as MetaSchedule does for GPUs, but each block of threads takes a part of the sum's steps.

    The parts are written to memory, and a second kernel adds them up, which stages behind the product are inlined into.
    """

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        loops = loops_of(sch, block)
        if loops is None or not _is_product(sch.get(block)):
            return [sch]
        summed = [v.iter_type == IterVar.CommReduce for v in sch.get(block).iter_vars]
        extents = [extent_of(sch, loop) for loop in loops]
        steps = math.prod(extent for extent, one in zip(extents, summed, strict=True) if one)
        few = math.prod(extents) < _RESULTS * self.machine.processors * steps
        at = max((i for i, one in enumerate(summed) if one), key=extents.__getitem__)
        if not few or steps < _LONG or not any(extents[at] % parts == 0 for parts in range(2, _MOST_PARTS + 1)):
            return [sch]
        split = sch.copy()
        self._tile(split, *_parts(split, block, summed, at))
        _add_up(split, block)
        return [split, sch]

    def _tile(self, sch: Schedule, parts: SBlockRV, levels: list[list[LoopRV]]) -> None:
        """Bind, fetch and accumulate as MetaSchedule's tiling does."""
        sch.reorder(*(loop for level in levels for loop in level))
        for level, thread in zip(levels, _BOUND, strict=False):
            bound = sch.fuse(*level)
            sch.bind(bound, thread)
        copies = [sch.cache_write(parts, 0, "local")]
        sch.reverse_compute_at(copies[0], bound, preserve_unit_loops=True)
        for operand, read in enumerate(sch.get(parts).reads):
            copy = sch.cache_read(parts, operand, "shared")
            sch.compute_at(copy, levels[_OF_STEPS[0]][-1], preserve_unit_loops=True)
            sch.fuse(*sch.get_loops(copy)[-len(read.region) :])
            width = sch.sample_categorical(list(_LOADS), [1 / len(_LOADS)] * len(_LOADS))
            sch.annotate(copy, "meta_schedule.cooperative_fetch", width)
            copies.append(copy)
        attrs = self.machine.target.attrs
        sch.annotate(parts, "meta_schedule.thread_extent_low_inclusive", int(attrs["thread_warp_size"]))
        sch.annotate(parts, "meta_schedule.thread_extent_high_inclusive", int(attrs["max_threads_per_block"]))
        take(sch, parts, *copies)


def _parts(sch: Schedule, block: SBlockRV, summed: Sequence[bool], at: int) -> tuple[SBlockRV, list[list[LoopRV]]]:
    """The block that makes the parts, split along one of its loops, and the loops of each level of its tiling."""
    # the factor that is capped, the innermost of a tile, is the number of parts: each is of steps beside each other
    longest = sch.get_loops(block)[at]
    *tile, count = sch.sample_perfect_tile(longest, n=len(_OF_STEPS) + 1, max_innermost_factor=_MOST_PARTS)
    part, *_ = sch.split(longest, factors=[count, *tile])
    parts = sch.rfactor(part, factor_axis=0)
    loops = sch.get_loops(parts)
    levels: list[list[LoopRV]] = [[loops.pop(at)], *([] for _ in range(7))]
    for level in _OF_STEPS:
        levels[level].append(loops.pop(at))
    for loop, sums in zip(loops, [*summed[:at], *summed[at + 1 :]], strict=True):
        places = _OF_STEPS if sums else _OF_RESULTS
        one = extent_of(sch, loop) == 1
        tiles = [loop] if one else sch.split(loop, sch.sample_perfect_tile(loop, len(places), _INNERMOST))
        for level, tiled in zip(places, tiles, strict=False):
            levels[level].append(tiled)
    return parts, levels


def _add_up(sch: Schedule, block: SBlockRV) -> None:
    """A kernel of its own for the sums of the parts: a thread for each result."""
    result = sch.cache_write(block, 0, "local")
    *spatial, _ = sch.get_loops(block)
    every = sch.fuse(*spatial)
    sch.reverse_compute_at(result, every, preserve_unit_loops=True)
    # whole blocks: under a condition no stage would be inlined
    group, thread = sch.split(every, sch.sample_perfect_tile(every, n=2, max_innermost_factor=_ADDING))
    sch.bind(group, "blockIdx.x")
    sch.bind(thread, "threadIdx.x")
    take(sch, block, result)


def _is_product(block: SBlock) -> bool:
    """Whether a block sums up float32 numbers of several operands, one of which is read for several results."""
    if block.init is None or not isinstance(block.body, BufferStore):
        return False
    spatial = [v for v in block.iter_vars if v.iter_type == IterVar.DataPar]
    if not same_vars(block.body.indices, [v.var for v in spatial]):
        return False
    proper = [v.var for v in spatial if int(v.dom.extent) > 1]

    def shared(read: BufferRegion) -> bool:
        return any(all(step_along(dimension.min, axis) == 0 for dimension in read.region) for axis in proper)

    buffers = [block.body.buffer, *(read.source for read in block.reads)]
    plain = all(str(buffer.dtype) == "float32" for buffer in buffers)
    return plain and len(block.reads) > 1 and any(map(shared, block.reads))
