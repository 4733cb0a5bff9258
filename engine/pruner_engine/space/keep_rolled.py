"""Postprocessor: what clears or copies a whole tile stays a loop when LLVM compiles it."""

from __future__ import annotations

import math
from typing import Any

from tvm.ir import TensorLoad
from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.postproc import PyPostproc
from tvm.s_tir.schedule import LoopRV
from tvm.tirx import BufferStore, For, ForKind, IterVar
from tvm.tirx.analysis import undefined_vars

_BOOSTED = 10  # iterations up to which LLVM unrolls a loop four times as eagerly
_MANY = 256  # moves of a vector that make a long kernel when they are written out


@derived_object
class KeepRolled(PyPostproc):
    """Give nests that move vectors loops of many iterations, which LLVM leaves alone.

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
        for block_rv in sch.get_child_blocks(sch.get_sblock("root")):
            block = sch.get(block_rv)
            if not isinstance(block.body, BufferStore) or any(v.iter_type != IterVar.DataPar for v in block.iter_vars):
                continue
            loops = _movable(sch, sch.get_loops(block_rv))
            kinds = {sch.get(loop).kind for loop in loops}
            if not block.reads and {ForKind.SERIAL, ForKind.UNROLLED} <= kinds:
                _one_loop_an_axis(sch, loops)
            elif isinstance(block.body.value, TensorLoad) and kinds == {ForKind.SERIAL}:
                _many_iterations(sch, loops)
        return True

    def clone(self) -> KeepRolled:
        return KeepRolled()


def _movable(sch: Schedule, loops: list[LoopRV]) -> list[LoopRV]:
    """The loops around this block alone, behind the parallel one; without the vector."""
    nodes = [sch.get(loop) for loop in loops]
    first = len(loops)
    while first and nodes[first - 1].kind != ForKind.PARALLEL:
        if first < len(loops) and not isinstance(nodes[first - 1].body, For):
            break
        first -= 1
    vector = next((i for i in range(first, len(loops)) if nodes[i].kind == ForKind.VECTORIZED), len(loops))
    return loops[first:vector]


def _one_loop_an_axis(sch: Schedule, loops: list[LoopRV]) -> None:
    axes: list[list[LoopRV]] = []
    for value in _realized(sch, loops[-1]).iter_values:
        used = undefined_vars(value)
        axes.append([loop for loop in loops if any(sch.get(loop).loop_var.same_as(v) for v in used)])
    if sum(map(len, axes)) == len(loops):  # else a loop is of no axis, or of two
        sch.reorder(*(loop for axis in axes for loop in axis))
        for axis in axes:
            if len(axis) > 1:
                sch.fuse(*axis)


def _realized(sch: Schedule, loop: LoopRV) -> Any:
    body = sch.get(loop).body
    while isinstance(body, For):
        body = body.body
    return body


def _many_iterations(sch: Schedule, loops: list[LoopRV]) -> None:
    extents = [int(sch.get(loop).extent) for loop in loops]
    if math.prod(extents) < _MANY:
        return
    few = next((i for i in range(1, len(loops)) if math.prod(extents[:i]) > _BOOSTED), len(loops) - 1)
    if few > 1:
        sch.fuse(*loops[:few])
