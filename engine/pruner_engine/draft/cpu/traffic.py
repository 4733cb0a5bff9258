"""What a CPU's kernel moves into each level of its caches."""

from __future__ import annotations

from pruner_engine.draft.cpu.core import LINE, Core
from pruner_engine.draft.cpu.postproc import ScheduledBlock
from pruner_engine.draft.formulas.columns import Value, maximum, where
from pruner_engine.draft.nests.footprint import SETS, conflicts, lines, spans_by_depth, taken_sets


def cache_traffic(block: ScheduledBlock, core: Core) -> dict[str, Value]:
    """Bytes that enter each cache level, by its name: the largest working set that fits, times how often it is read."""
    loops = block.loops
    outside: list[Value] = [1]
    for loop in loops:
        outside.append(outside[-1] * loop.extent)
    sizes: list[Value] = [0] * (len(loops) + 1)
    crowded: list[Value] = [0] * (len(loops) + 1)  # the smallest cache in whose few sets all lines of an operand fit
    totals: list[Value] = [0] * (len(loops) + 1)
    for touch in block.touches:
        spans = spans_by_depth(touch, loops)
        held = [lines(touch, s, LINE) * LINE for s in spans]
        room = [h * conflicts(touch, s, LINE) for h, s in zip(held, spans, strict=True)]
        alone = [h * SETS / taken_sets(touch, s, LINE) for h, s in zip(held, spans, strict=True)]
        repeats: Value = 1
        for depth in range(len(loops) + 1):
            if depth and touch.moves_with(loops[depth - 1]):
                repeats = where(touch.moves(loops[depth - 1]) > 1, outside[depth], repeats)
            sizes[depth] = sizes[depth] + room[depth]
            crowded[depth] = maximum(crowded[depth], alone[depth])
            totals[depth] = totals[depth] + held[depth] * repeats
    result = {}
    for name, capacity, _ in core.levels:
        bytes_: Value = totals[-1]
        for depth in range(len(loops), 0, -1):
            bytes_ = where(maximum(sizes[depth], crowded[depth]) <= capacity, totals[depth], bytes_)
        # what fits as a whole is taken to be there: weights come from further away, but for all schedules alike
        result[name] = where(sizes[0] <= capacity, 0.0, bytes_)
    return result
