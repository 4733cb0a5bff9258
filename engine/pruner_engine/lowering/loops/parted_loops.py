"""Loops over many cases, as over the parts of a concatenation: parted, so that each loop has one case.

TVM decides cases when it simplifies, which takes seconds (and up to half a minute) where a dozen of them are nested and
each vector of a row is written out. In a loop that nobody has scheduled it decides none; LLVM then makes a copy of the
loop for each, which takes as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import tvm_ffi
from tvm import IRModule
from tvm.ir import Call, Expr
from tvm.s_tir import SBlock, SBlockRealize
from tvm.sym import detect_linear_equation
from tvm.tirx import BufferStore, For, ForKind, IntImm, SeqStmt, Stmt

from pruner_engine.lowering.loops.cases import cases_of, is_case, limit_of
from pruner_engine.lowering.nodes import loads_of, mapped, part_of_loop

_KINDS = (ForKind.SERIAL, ForKind.UNROLLED)


def in_parted_loops(mod: IRModule) -> IRModule:
    """The module with a loop for each case of the statements that choose among many along it."""
    return mapped(mod, (For, _parted))


@dataclass(frozen=True)
class _Threshold:
    """Where a condition changes along a loop.

    Attributes:
        at: the first iteration after the change.
        above: whether it holds from there on; else until then.
    """

    at: int
    above: bool


def _parted(loop: For) -> Stmt:
    """Called for each loop, inner ones first."""
    if loop.kind not in _KINDS or (nest := _Nest.of(loop)) is None:
        return loop
    thresholds = [nest.threshold(case.args[0]) for case in cases_of(nest.store)]
    extent = int(loop.extent)
    cuts = sorted({t.at for t in thresholds if t is not None and 0 < t.at < extent})
    return SeqStmt([_part(nest, *ends) for ends in pairwise([0, *cuts, extent])]) if cuts else loop


@dataclass(frozen=True)
class _Nest:
    """A loop around a single statement.

    Attributes:
        inner: loops within the loop.
        block: of the statement; what its variables are is known.
    """

    loop: For
    inner: list[For]
    block: SBlockRealize
    store: BufferStore

    @staticmethod
    def of(loop: For) -> _Nest | None:
        loops: list[For] = []
        body: Stmt = loop
        while isinstance(body, For) and isinstance(body.min, IntImm) and isinstance(body.extent, IntImm):
            loops.append(body)
            body = body.body
        if not isinstance(body, SBlockRealize) or body.block.init is not None:
            return None
        store = body.block.body
        return _Nest(loop, loops[1:], body, store) if isinstance(store, BufferStore) else None

    def threshold(self, condition: Expr) -> _Threshold | None:
        """None where the condition does not change along the loop, or within an iteration."""
        if (found := limit_of(condition)) is None:
            return None
        variable, limit, above = found
        bound = zip(self.block.block.iter_vars, self.block.iter_values, strict=True)
        value = next((value for v, value in bound if v.var.same_as(variable)), None)
        loops = [self.loop, *self.inner]
        linear = detect_linear_equation(value, [each.loop_var for each in loops]) if value is not None else None
        if not linear or not all(isinstance(part, IntImm) for part in linear):
            return None
        step, *steps, start = map(int, linear)
        reach = sum(of * (int(each.extent) - 1) for of, each in zip(steps, self.inner, strict=True))
        start += sum(of * int(each.min) for of, each in zip([step, *steps], loops, strict=True))
        if min(steps, default=0) < 0 or reach >= step or (limit - start) % step:
            return None
        return _Threshold((limit - start) // step, above)


def _part(nest: _Nest, begin: int, end: int) -> Stmt:
    """The iterations from `begin` to `end`, in which every condition is the same throughout."""

    def decided(value: Expr) -> Expr:
        """Called before what it is made of."""
        while is_case(value) and (threshold := nest.threshold(value.args[0])) is not None:
            value = value.args[1 if (begin >= threshold.at) == threshold.above else 2]
        return value

    body = tvm_ffi.structural_map(nest.loop.body, (Call, decided), order="pre")
    return part_of_loop(nest.loop, begin, end - begin, tvm_ffi.structural_map(body, (SBlock, _without_others)))


def _without_others(block: SBlock) -> SBlock:
    """The block without the tensors that it no longer reads."""
    used = loads_of(block.body.value)
    reads = [region for region in block.reads if any(region.source.same_as(load.source) for load in used)]
    return SBlock(block.iter_vars, reads, block.writes, block.name_hint, block.body, annotations=block.annotations)
