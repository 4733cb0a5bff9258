"""What a rule needs to know about the loop nest of a reduction block."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile

import tvm_ffi
from tvm.ir import Expr
from tvm.s_tir import SBlock, Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import BufferRegion, BufferStore, FloorDiv, IntImm, IterVar, Var

from pruner_engine.lowering.steps import step_along
from pruner_engine.lowering.vectors.gathers import APART
from pruner_engine.tasks.task import weights_of

_STAYS, _NEIGHBOURS = (0, 1), (1, 1)  # how an index moves: by so many elements, after so many steps


@dataclass(frozen=True)
class Operand:
    """A buffer that the block reads.

    Attributes:
        buffer: what is read.
        index: position among the block's reads.
        axis: its dimension that moves with the vector axis; None where it does not move with it.
        last: it is the last dimension.
        shared: iterations of the vector axis, one after another, that read the same element; more than one in the last
            dimension only.
        step: elements that it moves by then; one where none are shared.
        rows: it moves with the innermost row loop, too.
        whole: its last index is a single loop: what a tile reads of it is never a partial vector.
        layout_free: a constant whose layout the schedule may choose.
    """

    buffer: Var
    index: int
    axis: int | None
    last: bool
    shared: int
    step: int
    rows: bool
    whole: bool
    layout_free: bool

    def fills(self, lanes: int) -> bool:
        """Whether a vector of so many lanes reads it by whole loads: its elements lie close together.

        Some of its lanes may read the same element, each as many as the others.
        """
        moves, rest = divmod(lanes, self.shared)
        return self.shared % lanes == 0 or (rest == 0 and (moves - 1) * self.step < APART * lanes)


@dataclass(frozen=True)
class Nest:
    """A perfect nest `out[s0, …, v] = reduce(f(operands))` over loops of known extent.

    Attributes:
        rows: loops of the output's axes but the last, outermost first, those of extent 1 left out; before the others
            the ones that move through all that moves with the vector axis (groups, batches of matrices).
        units: loops of extent 1 of the output's axes, but those outside all rows.
        vector: loop of the output's last axis.
        reduction: reduction loops, outermost first.
        operands: what is read, the output left out.
        bits: of an output element.
    """

    rows: list[LoopRV]
    units: list[LoopRV]
    vector: LoopRV
    reduction: list[LoopRV]
    operands: list[Operand]
    bits: int


def read_nest(sch: Schedule, block_rv: SBlockRV) -> Nest | None:
    """The nest of a reduction block; None where it has another form or moves through an operand in another way."""
    block = sch.get(block_rv)
    loops = loops_of(sch, block_rv)
    if loops is None or block.init is None or not isinstance(block.body, BufferStore):
        return None
    spatial = [v.var for v in block.iter_vars if v.iter_type == IterVar.DataPar]
    store = block.body
    if not spatial or not same_vars(store.indices, spatial):
        return None
    of = {v.var: (loop, int(v.dom.extent)) for loop, v in zip(loops, block.iter_vars, strict=True)}
    rows = _batches_first(block, [v for v in spatial[:-1] if of[v][1] > 1], spatial[-1])
    operands = _operands(sch, block, spatial[-1], rows[-1] if rows else None)
    if operands is None:
        return None
    return Nest(
        rows=[of[v][0] for v in rows],
        units=[of[v][0] for v in dropwhile(lambda v: of[v][1] == 1, spatial[:-1]) if of[v][1] == 1],
        vector=of[spatial[-1]][0],
        reduction=[of[v.var][0] for v in block.iter_vars if v.iter_type == IterVar.CommReduce],
        operands=operands,
        bits=store.buffer.dtype.bits,
    )


def loops_of(sch: Schedule, block_rv: SBlockRV) -> list[LoopRV] | None:
    """The loops of a block that was not scheduled yet, one of known extent for each of its iterators; else None."""
    loops, variables = sch.get_loops(block_rv), sch.get(block_rv).iter_vars
    if len(loops) != len(variables) or not all(map(partial(_plain, sch), loops, variables)):
        return None
    return list(loops)


def iterations_of(sch: Schedule, block: SBlockRV) -> int:
    """How often a block's statement is computed."""
    return math.prod(int(v.dom.extent) for v in sch.get(block).iter_vars)


def extent_of(sch: Schedule, loop: LoopRV) -> int:
    """Iterations of a loop."""
    return int(sch.get(loop).extent)


def same_vars(indices: list[Expr], variables: list[Var]) -> bool:
    """Whether the indices are these variables, in order."""
    return len(indices) == len(variables) and all(i.same_as(v) for i, v in zip(indices, variables, strict=True))


def moves_with(read: BufferRegion, variable: Var) -> bool:
    """Whether what is read of a buffer changes with a variable."""
    return any(step_along(dimension.min, variable) != 0 for dimension in read.region)


def layout_free(sch: Schedule) -> list[Var]:
    """The constants whose layout the schedule may choose."""
    function = sch.mod["main"]
    return [function.params[i] for i in weights_of(function)]


def _plain(sch: Schedule, loop: LoopRV, var: IterVar) -> bool:
    extent = sch.get(loop).extent
    return isinstance(extent, IntImm) and int(extent) == int(var.dom.extent)


def _batches_first(block: SBlock, rows: list[Var], vector: Var) -> list[Var]:
    """The row axes, batch axes first: along these, all operands that hold vectors move, so that none is reused."""
    vectors = [read for read in block.reads if moves_with(read, vector)]
    return sorted(rows, key=lambda row: not all(moves_with(read, row) for read in vectors))


def _movement(index: Expr, variable: Var) -> tuple[int, int] | None:
    """By how many elements an index moves, and after how many steps of a variable; None where it moves otherwise."""
    step = step_along(index, variable)
    if step is not None:
        return (step, 1) if step in (0, 1) else None
    quotient, shared = Var(f"{variable.name}_quotient", variable.ty), set()

    def replace(division: FloorDiv) -> Expr:
        if not division.a.same_as(variable) or not isinstance(division.b, IntImm):
            return division
        shared.add(int(division.b))
        return quotient

    replaced = tvm_ffi.structural_map(index, (FloorDiv, replace))
    step = step_along(replaced, quotient)
    if step_along(replaced, variable) != 0 or not step or step < 0 or len(shared) != 1:
        return None
    return step, shared.pop()


def _operands(sch: Schedule, block: SBlock, vector: Var, row: Var | None) -> list[Operand] | None:
    free = layout_free(sch)
    operands = []
    for position, read in enumerate(block.reads):
        indices = [dimension.min for dimension in read.region]
        movements = [_movement(index, vector) for index in indices]
        moving = [axis for axis, movement in enumerate(movements) if movement != _STAYS]
        if len(moving) > 1:
            return None
        movement = movements[moving[0]] if moving else _STAYS
        last = moving == [len(indices) - 1]
        if movement is None or (moving and not last and movement != _NEIGHBOURS):
            return None
        step, shared = movement
        operands.append(
            Operand(
                buffer=read.source,
                index=position,
                axis=moving[0] if moving else None,
                last=last,
                shared=shared,
                step=step,
                rows=row is not None and moves_with(read, row),
                whole=bool(indices) and isinstance(indices[-1], Var),
                layout_free=any(read.source.same_as(param) for param in free),
            )
        )
    return operands
