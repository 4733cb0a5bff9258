"""Postproc that keeps LLVM from unrolling the loops that clear or copy a whole tile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tvm.ir import TensorLoad
from tvm.ir.utils import derived_object
from tvm.s_tir import SBlockRealize, Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.postproc import PyPostproc
from tvm.s_tir.schedule import LoopRV
from tvm.tirx import BufferStore, For, ForKind, IterVar, SeqStmt
from tvm.tirx.analysis import undefined_vars

_BOOSTED = 10  # iterations up to which LLVM unrolls a loop four times as eagerly
_MANY = 256  # moves of a vector that make a long kernel when they are written out


@derived_object
class KeepRolled(PyPostproc):
    """Fuses the loops of nests that only move vectors, since LLVM does not unroll a loop of many iterations.

    Moves are cheap, hence LLVM unrolls the loops around them with all that they hold, and thousands of lines keep its
    code generator busy for seconds. Two nests are prone to it:

    - What clears the accumulators of an outer tile: RewriteReductionBlock gives it the loops of the computation,
      unrolled ones included. One loop an axis is enough.
    - Copies, such as a packed panel of a convolution's weights, with a window of 3 x 3 outermost. Not paddings: their
      conditions are checked once a loop.
    """

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        pass

    def apply(self, sch: Schedule) -> bool:
        # statements are read as they are: a question to a schedule costs more than all that is done here
        for nest in list(_nests(sch.mod["main"].body, [])):
            if not nest.moves_vectors:
                continue
            if nest.clears and {ForKind.SERIAL, ForKind.UNROLLED} <= nest.kinds:
                _one_loop_an_axis(sch, nest)
            elif nest.copies and nest.kinds == {ForKind.SERIAL}:
                _many_iterations(sch, nest)
        return True

    def clone(self) -> KeepRolled:
        return KeepRolled()


@dataclass(frozen=True)
class _Nest:
    """A block and the loops around it alone, behind the parallel one and without the vector, outermost first."""

    realized: SBlockRealize
    loops: list[For]
    vectors: int

    @property
    def moves_vectors(self) -> bool:
        block = self.realized.block
        return isinstance(block.body, BufferStore) and all(v.iter_type == IterVar.DataPar for v in block.iter_vars)

    @property
    def clears(self) -> bool:
        return not self.realized.block.reads

    @property
    def copies(self) -> bool:
        return isinstance(self.realized.block.body.value, TensorLoad)

    @property
    def kinds(self) -> set[int]:
        return {loop.kind for loop in self.loops}

    def loops_of(self, sch: Schedule) -> list[LoopRV]:
        every = sch.get_loops(sch.get_sblock(self.realized.block.name_hint))
        return list(every[len(every) - self.vectors - len(self.loops) : len(every) - self.vectors])


def _nests(body: Any, alone: list[For]) -> Iterator[_Nest]:
    if isinstance(body, For):
        yield from _nests(body.body, [] if body.kind == ForKind.PARALLEL else [*alone, body])
    elif isinstance(body, SeqStmt):
        for part in body.seq:
            yield from _nests(part, [])
    elif isinstance(body, SBlockRealize):
        if isinstance(body.block.body, (For, SeqStmt, SBlockRealize)):
            yield from _nests(body.block.body, [])
        else:
            vector = next((i for i, loop in enumerate(alone) if loop.kind == ForKind.VECTORIZED), len(alone))
            yield _Nest(body, alone[:vector], len(alone) - vector)


def _one_loop_an_axis(sch: Schedule, nest: _Nest) -> None:
    axes: list[list[int]] = []
    for value in nest.realized.iter_values:
        used = undefined_vars(value)
        axes.append([i for i, loop in enumerate(nest.loops) if any(loop.loop_var.same_as(v) for v in used)])
    if sorted(i for axis in axes for i in axis) == list(range(len(nest.loops))):  # else a loop is of no axis, or of two
        loops = nest.loops_of(sch)
        sch.reorder(*(loops[i] for axis in axes for i in axis))
        for axis in axes:
            if len(axis) > 1:
                sch.fuse(*(loops[i] for i in axis))


def _many_iterations(sch: Schedule, nest: _Nest) -> None:
    extents = [int(loop.extent) for loop in nest.loops]
    if math.prod(extents) < _MANY:
        return
    few = next((i for i in range(1, len(extents)) if math.prod(extents[:i]) > _BOOSTED), len(extents) - 1)
    if few > 1:
        sch.fuse(*nest.loops_of(sch)[:few])
