"""Kernels of element-wise stages without a schedule, in a form that LLVM compiles soon.

Each stage is a loop over a tensor of its own, and LLVM takes 13 seconds for the seven behind a product of 16 x 768
results, half a minute for the fifty of a quantised transformer's GELU; for the same arithmetic in one loop a tenth or a
quarter of a second. Loops of few iterations, as over the pixels of a small image, LLVM writes out with all that they
hold: two seconds for three stages of 10 x 10 x 992, a tenth of one in a loop over all pixels; 4.8 for what a quantised
convolution of 4 x 4 x 128 ends in, 0.3 in a loop over pixels and pieces of their channels.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator

from tvm import IRModule, s_tir
from tvm.ir.expr import Call
from tvm.s_tir import SBlock, SBlockRealize
from tvm.s_tir.schedule import LoopRV, ScheduleError
from tvm.tirx import BufferStore, For, ForKind, IntImm, IterVar, PrimFunc, SeqStmt, Stmt

from pruner_engine.lowering.nodes import loads_of, nodes_in

_FEW = 2  # stages
_SHORT = 32  # iterations of a loop that LLVM may write out
_ROW = 32  # elements of a row that cost more than finding out which it is
_PIECES = (32, 48, 16, 24, 8)  # elements of a row that a loop may do at once: whole vectors
_LARGEST = 400  # operands of one expression: what reads a stage twice has all of it twice
_KEPT = "meta_schedule.inline_rule"  # annotation of a stage that is not to be computed where it is read
# other functions are lowered to arithmetic that reads its operand many times
_PLAIN = {"abs", "ceil", "fabs", "floor", "if_then_else", "nearbyint", "round", "rsqrt", "sqrt"}


def in_few_loops(mod: IRModule) -> IRModule:
    """The module with the stages of such kernels computed where they are read."""
    long = {v: function for v, function in mod.functions.items() if _stages(function) > _FEW and is_plain(function)}
    if not long:
        return mod
    made = IRModule(dict(mod.functions), attrs=mod.attrs)
    for variable, function in long.items():
        made.update_func(variable, _inlined(function))
    return made


def in_long_loops(mod: IRModule) -> IRModule:
    """The module with one loop over the outer axes of each element-wise stage whose loops LLVM would write out."""
    made = IRModule(dict(mod.functions), attrs=mod.attrs)
    for variable, function in mod.functions.items():
        if short := dict(_short_nests(function)):
            schedule = s_tir.Schedule(function, error_render_level="none")
            for name, loops in short.items():
                with contextlib.suppress(ScheduleError):  # annotated, begun elsewhere than at 0, or two of that name
                    _lengthen(schedule, *schedule.get_loops(schedule.get_sblock(name)), outer=loops)
            made.update_func(variable, _named_as(function, schedule.mod["main"]))
    return made


def _lengthen(schedule: s_tir.Schedule, *loops: LoopRV, outer: int) -> None:
    """Make one loop of the outer ones, and of pieces of a row where these are few."""
    fused = schedule.fuse(*loops[:outer])
    row = int(schedule.get(loops[outer]).extent)
    piece = next((size for size in _PIECES if row % size == 0), row)
    if int(schedule.get(fused).extent) <= _SHORT and piece < row:
        schedule.fuse(fused, schedule.split(loops[outer], [None, piece])[0])


def _short_nests(function: PrimFunc) -> Iterator[tuple[str, int]]:
    """Names of the stages of such nests, and how many of their loops to fuse."""
    root = function.body if isinstance(function, PrimFunc) else None
    if not isinstance(root, SBlockRealize):
        return
    body = root.block.body
    for nest in body.seq if isinstance(body, SeqStmt) else [body]:
        outer, inner = list[int](), nest
        while isinstance(inner, For) and inner.kind == ForKind.SERIAL and isinstance(inner.extent, IntImm):
            outer.append(int(inner.extent))
            inner = inner.body
        if len(outer) < 3 or not isinstance(inner, SBlockRealize) or not isinstance(inner.block.body, BufferStore):
            continue
        row = outer.pop()
        plain = all(int(variable.iter_type) == IterVar.DataPar for variable in inner.block.iter_vars)
        if plain and row >= _ROW and max(outer) <= _SHORT and math.prod(outer) > max(outer):
            yield str(inner.block.name_hint), len(outer)


def _stages(function: PrimFunc) -> int:
    root = function.body if isinstance(function, PrimFunc) else None
    if not isinstance(root, SBlockRealize) or not isinstance(root.block.body, SeqStmt):
        return 0
    return len(root.block.body.seq)


def is_plain(function: PrimFunc) -> bool:
    """Whether nobody has scheduled it: which stages to compute where is what a schedule says, too."""
    return not any(
        {*part.annotations} - {_KEPT} or (isinstance(part, For) and part.kind != ForKind.SERIAL)
        for part in nodes_in(function.body, For, SBlock)
    )


def _inlined(function: PrimFunc) -> PrimFunc:
    schedule = s_tir.Schedule(function, error_render_level="none")
    blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
    reads = [_reads(schedule.get(block).body) for block in blocks]
    times: Counter[str] = sum(reads, Counter())
    kept = {
        name for block, read in zip(blocks, reads, strict=True) if _reads_often(schedule.get(block)) for name in read
    }
    sizes: dict[str, int] = {}
    for block, read in zip(blocks, reads, strict=True):
        writes = schedule.get(block).writes
        size = 1 + sum(many * sizes.get(name, 1) for name, many in read.items())
        named = len(writes) == 1 and _KEPT not in schedule.get(block).annotations
        name = writes[0].source.name if named else ""
        if name and name not in kept and size * times[name] <= _LARGEST:
            try:
                schedule.compute_inline(block)
            except ScheduleError:  # it is a reduction, or the result
                continue
            sizes[name] = size
    return _named_as(function, schedule.mod["main"])


def _named_as(function: PrimFunc, made: PrimFunc) -> PrimFunc:
    """What became of a function, under its name."""
    name = (function.attrs or {}).get("global_symbol")
    return made.with_attr("global_symbol", name) if name else made


def _reads_often(block: SBlock) -> bool:
    """Whether it sums up what it reads, or calls functions that are not plain."""
    sums = any(int(variable.iter_type) != IterVar.DataPar for variable in block.iter_vars)
    return sums or calls_functions(block.body)


def calls_functions(body: Stmt) -> bool:
    """Whether a statement calls functions that are not plain: one instruction, or a few."""
    return any(getattr(call.op, "name", "").rpartition(".")[2] not in _PLAIN for call in nodes_in(body, Call))


def _reads(body: Stmt) -> Counter[str]:
    """How often a statement reads each buffer."""
    return Counter(load.source.name for load in loads_of(body))
