"""Kernels of many element-wise stages without a schedule, such as a quantised transformer's GELU: in few loops.

Each stage is a loop over a tensor of its own, and LLVM takes half a minute for fifty of them; for the same arithmetic
in one loop a quarter of a second. A schedule that was searched for has no such stages any more.
"""

from __future__ import annotations

from collections import Counter

import tvm_ffi
from tvm import IRModule, s_tir
from tvm.ir import TensorLoad
from tvm.ir.expr import Call
from tvm.s_tir import SBlock, SBlockRealize
from tvm.s_tir.schedule import ScheduleError
from tvm.tirx import IterVar, PrimFunc, SeqStmt

_MANY = 16  # stages
_LARGEST = 400  # operands of one expression: what reads a stage twice has all of it twice
# other functions are lowered to arithmetic that reads its operand many times
_PLAIN = {"abs", "ceil", "fabs", "floor", "if_then_else", "nearbyint", "round", "rsqrt", "sqrt"}


def in_few_loops(mod: IRModule) -> IRModule:
    """The module with the stages of such kernels computed where they are read."""
    long = {variable: function for variable, function in mod.functions.items() if _stages(function) > _MANY}
    if not long:
        return mod
    made = IRModule(dict(mod.functions), attrs=mod.attrs)
    for variable, function in long.items():
        made.update_func(variable, _inlined(function))
    return made


def _stages(function: PrimFunc) -> int:
    root = function.body if isinstance(function, PrimFunc) else None
    if not isinstance(root, SBlockRealize) or not isinstance(root.block.body, SeqStmt):
        return 0
    return len(root.block.body.seq)


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
        name = writes[0].source.name if len(writes) == 1 else ""
        if name and name not in kept and size * times[name] <= _LARGEST:
            try:
                schedule.compute_inline(block)
            except ScheduleError:  # it is a reduction, or the result
                continue
            sizes[name] = size
    made = schedule.mod["main"]
    name = (function.attrs or {}).get("global_symbol")
    return made.with_attr("global_symbol", name) if name else made


def _reads_often(block: SBlock) -> bool:
    """Whether it sums up what it reads, or calls functions that are not plain."""
    sums = any(int(variable.iter_type) != IterVar.DataPar for variable in block.iter_vars)
    return sums or calls_functions(block.body)


def calls_functions(body: object) -> bool:
    """Whether a statement calls functions that are not plain: one instruction, or a few."""
    found = False

    def visit(call: Call) -> None:
        nonlocal found
        found |= getattr(call.op, "name", "").rpartition(".")[2] not in _PLAIN

    tvm_ffi.structural_walk(body, (Call, visit))
    return found


def _reads(body: object) -> Counter[str]:
    """How often an expression reads each buffer."""
    found: Counter[str] = Counter()

    def visit(load: TensorLoad) -> None:
        found[load.source.name] += 1

    tvm_ffi.structural_walk(body, (TensorLoad, visit))
    return found
