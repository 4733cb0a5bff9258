"""What tiles of a reduction have around them: copies of operands, paddings, and what writes the results."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import IterVar

from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.nest import Nest, Operand, extent_of, same_vars
from pruner_engine.space.rules.stages import close_root, is_taken, take


class Tiling:
    """A schedule of tiles in the making.

    Args:
        lanes: of the vectors of results.
    """

    def __init__(self, sch: Schedule, block: SBlockRV, nest: Nest, lanes: int, machine: Machine) -> None:
        self.sch = sch
        self.block = block
        self.nest = nest
        self.lanes = lanes
        self.machine = machine

    def ordered(
        self, outer: list[LoopRV], blocks: list[LoopRV], middle: list[LoopRV], inside: list[LoopRV]
    ) -> tuple[LoopRV, list[LoopRV]]:
        """Bring the loops into an order, the outer tiles as one parallel loop, the innermost loop as a vector.

        Args:
            outer: of tiles, as the two others; blocks of the reduction follow, if there are any.
            middle: of the vector axis last, which is brought outside the rows: a panel of the packed operand is used by
                all rows.

        Returns:
            The parallel loop, and the loops in the middle in their order.
        """
        sch, middle = self.sch, [middle[-1], *middle[:-1]]
        sch.reorder(*self.nest.units, *outer, *blocks, *middle, *inside)
        parallel = sch.fuse(*outer)
        sch.parallel(parallel)
        sch.vectorize(inside[-1])
        return parallel, middle

    def around(self, parallel: LoopRV, write: LoopRV, panel: LoopRV, pad_first: bool) -> None:
        """Place all that has to do with the block.

        Args:
            parallel: loop over outer tiles.
            write: loop in which tiles are finished.
            panel: loop in each iteration of which another panel of the packed operand is used.
            pad_first: pad the whole input before, instead of what each outer tile reads.
        """
        self._write(write)
        made = {operand.index for _, operand in made_before(self.sch, self.block, self.nest)}  # which is a copy already
        for operand in self.nest.operands:
            if operand.index not in made and worth_packing(self.nest, operand):
                self._pack(operand, panel)
        self._make_operands(panel, None if pad_first else parallel)

    def tile(self, loop: LoopRV, parts: int, innermost: int) -> list[LoopRV]:
        """Split a loop by a decision; one, since a tile of a tile would have a domain that another decision changes."""
        factors = self.sch.sample_perfect_tile(loop, n=parts, max_innermost_factor=innermost)
        return list(self.sch.split(loop, factors=factors))

    def _write(self, at: LoopRV) -> None:
        """Write a finished tile by the element-wise consumer, or else by a copy."""
        sch = self.sch
        consumers = sch.get_consumers(self.block)
        if len(consumers) == 1 and _element_wise(sch, self.block, consumers[0]):
            write = consumers[0]
        else:
            write = sch.cache_write(self.block, 0, "global")
        # a consumer may cut off what was computed only to fill the last vector
        lanes = math.gcd(self.lanes, extent_of(sch, sch.get_loops(write)[-1]))
        sch.reverse_compute_at(write, at, preserve_unit_loops=True)
        self._vectorize(write, lanes)
        take(sch, write)

    def _pack(self, operand: Operand, at: LoopRV) -> None:
        copy = self.sch.cache_read(self.block, operand.index, "global")
        if operand.axis is not None and not operand.last:
            before, after = slice(operand.axis), slice(operand.axis + 1, None)
            self.sch.transform_layout(copy, ("write", 0), lambda *i: [*i[before], *i[after], i[operand.axis]])
        self.sch.compute_at(copy, at, preserve_unit_loops=True)
        if operand.last:
            self._vectorize(copy, self.lanes)
        take(self.sch, copy)

    def _make_operands(self, panel: LoopRV, tile: LoopRV | None) -> None:
        """Place the producers that are left: what panels hold beside their use, paddings for each outer tile, or,
        where that is None, before everything else.
        """
        sch = self.sch
        for producer, operand in made_before(sch, self.block, self.nest):
            at = panel if worth_packing(self.nest, operand) else tile
            if at is None:
                loops = sch.get_loops(producer)
                sch.parallel(sch.fuse(*(loops[:-2] or loops[:1])))
            else:
                sch.compute_at(producer, at, preserve_unit_loops=True)
            lanes = math.gcd(int(operand.buffer.shape[-1]), self.lanes)
            if operand.whole and lanes >= self.machine.least_lanes:
                self._vectorize(producer, lanes)
            take(sch, producer)

    def _vectorize(self, block: SBlockRV, lanes: int) -> None:
        _, lane = self.sch.split(self.sch.get_loops(block)[-1], factors=[None, lanes])
        self.sch.vectorize(lane)


def tilings(
    sch: Schedule, block: SBlockRV, nest: Nest, run_of: Callable[[Schedule], Callable[[bool, bool], None]]
) -> list[Schedule]:
    """A schedule of tiles with and without a blocked reduction, and with paddings placed in each way there is.

    Args:
        run_of: takes a copy of the schedule, returns what tiles it, given whether to block the reduction and to pad the
            whole input before.
    """
    made = []
    paddings = [operand for _, operand in made_before(sch, block, nest) if not worth_packing(nest, operand)]
    padded = (False, True) if paddings else (False,)
    for blocked, pad_first in product((False, True), padded):
        copy = sch.copy()
        run_of(copy)(blocked, pad_first)
        take(copy, block)
        close_root(copy)
        made.append(copy)
    return made


def _element_wise(sch: Schedule, block_rv: SBlockRV, consumer_rv: SBlockRV) -> bool:
    """Whether the consumer reads each element of the block's output once, in place, and of no other block."""
    consumer, written = sch.get(consumer_rv), sch.get(block_rv).writes[0].source
    variables = [v.var for v in consumer.iter_vars]
    reads = [read for read in consumer.reads if read.source.same_as(written)]
    return (
        all(v.iter_type == IterVar.DataPar for v in consumer.iter_vars)
        and len(reads) == len(sch.get_producers(consumer_rv)) == 1
        and same_vars([d.min for d in reads[0].region], variables)
        and same_vars([d.min for d in consumer.writes[0].region], variables)
    )


def worth_packing(nest: Nest, operand: Operand) -> bool:
    """Whether a contiguous panel of the operand pays, since many rows read it."""
    panel = operand.axis is not None and (operand.whole or not operand.last)
    return panel and not operand.layout_free and bool(nest.rows) and not operand.rows


def made_before(sch: Schedule, block: SBlockRV, nest: Nest) -> list[tuple[SBlockRV, Operand]]:
    """The unscheduled spatial producers that only this block reads, paddings mostly, with what they produce."""
    found = []
    for producer in sch.get_producers(block):
        made = sch.get(producer)
        if made.init is None and not is_taken(sch, producer) and len(sch.get_consumers(producer)) == 1:
            written = made.writes[0].source
            found += [(producer, operand) for operand in nest.operands if operand.buffer.same_as(written)]
    return found
