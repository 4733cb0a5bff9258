"""Sums over a large operand, without a schedule, in an order in which a processor reads it from end to end.

TVM's plain loops sum up one result after the other, and so go through the weights of a product column by column: of
weights that the nearest caches do not hold, each element is a line of memory. A product of 128 rows, 2 048 channels and
512 filters takes 0.98 s so, and 0.01 s by parts of rows; one of 16 rows with a table of 32 000 words 11.4 and 0.13 s. A
run has to time it, and has to compute with it, for several kinds of inputs, what its candidates are held against.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import NamedTuple

from tvm import DataType, IRModule
from tvm.s_tir import SBlockRealize, Schedule
from tvm.s_tir.schedule import ScheduleError
from tvm.tirx import BufferRegion, IntImm, IterVar, PrimFunc, Var

from pruner_engine.lowering.loops.long_kernels import is_plain
from pruner_engine.lowering.nodes import nodes_in
from pruner_engine.lowering.steps import step_along

_LARGE = 1 << 20  # bytes that the caches of a core hardly hold
_PART = 512  # results of a row, at most, that are summed up at once: the nearest cache has room for them
_NARROW = 16  # fewer are no part: the last one is then left incomplete


class _Sum(NamedTuple):
    """A block that sums up over a large operand, and its loops.

    Attributes:
        row: goes along the rows of the operand and of the results.
        summed: what is summed up over.
    """

    name: str
    row: Var
    summed: list[Var]


def by_rows(mod: IRModule) -> IRModule:
    """The module with such sums of functions without a schedule by parts of rows."""
    found = {variable: [*_sums_of(function)] for variable, function in mod.functions.items()}
    large = {variable: sums for variable, sums in found.items() if sums and is_plain(mod[variable])}
    if not large:
        return mod
    made = IRModule(dict(mod.functions), attrs=mod.attrs)
    for variable, sums in large.items():
        schedule = Schedule(IRModule({"main": mod[variable]}), error_render_level="none")
        for one in sums:
            with contextlib.suppress(ScheduleError):  # two blocks of that name, or its loops hold more than it
                _turn(schedule, one)
        made.update_func(variable, schedule.mod["main"])
    return made


def _turn(schedule: Schedule, found: _Sum) -> None:
    """Give a block its loops in this order: parts of the row, results, what is summed up, elements of the part."""
    block = schedule.get_sblock(found.name)
    loops = {schedule.get(loop).loop_var: loop for loop in schedule.get_loops(block)}
    row = loops.pop(found.row)
    summed = [loops.pop(variable) for variable in found.summed]
    extent = int(schedule.get(row).extent)
    part = next((size for size in range(_PART, _NARROW - 1, -1) if extent % size == 0), _PART)
    parts, elements = schedule.split(row, [None, part])
    schedule.reorder(parts, *loops.values(), *summed, elements)
    schedule.decompose_reduction(block, summed[0])


def _sums_of(function: PrimFunc) -> Iterator[_Sum]:
    return (found for part in nodes_in(function, SBlockRealize) if (found := _sum_of(part)) is not None)


def _sum_of(realized: SBlockRealize) -> _Sum | None:
    """What is known of a block; None where its loops are as good in any order."""
    block = realized.block
    if block.init is None or len(block.writes) != 1 or not block.writes[0].region:
        return None
    loops = {v.var: at for v, at in zip(block.iter_vars, realized.iter_values, strict=True) if isinstance(at, Var)}
    summed = [v.var for v in block.iter_vars if int(v.iter_type) == IterVar.CommReduce and v.var in loops]
    row = block.writes[0].region[-1].min
    if not summed or row not in loops or row in summed or len({*loops.values()}) < len(loops):
        return None
    if not all(_goes_along(read, row) for read in block.reads) or not any(
        _goes_across(read, row, summed) for read in block.reads
    ):
        return None
    return _Sum(block.name_hint, loops[row], [loops[variable] for variable in summed])


def _goes_along(read: BufferRegion, row: Var) -> bool:
    """Whether neighbours in a row read one element, or neighbours in a row."""
    *others, last = [0, *(step_along(index.min, row) for index in read.region)]
    return last in (0, 1) and all(step == 0 for step in others)


def _goes_across(read: BufferRegion, row: Var, summed: list[Var]) -> bool:
    """Whether a sum goes through the lines of a large operand, of each of which its neighbours in the row read."""
    sizes = read.source.shape
    if not read.region or not all(isinstance(size, IntImm) for size in sizes):
        return False
    large = math.prod(int(size) for size in sizes) * DataType(read.source.dtype).itemsize >= _LARGE
    last = read.region[-1].min
    return large and step_along(last, row) == 1 and all(step_along(last, variable) == 0 for variable in summed)
