"""Schedule rule: products of words by AMX, whose registers hold tiles of operands and results."""

from __future__ import annotations

import math

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import BufferRegion, Var

from pruner_engine.lowering.tile_nests import DEPTH, MOST, ROWS, TILE, multiplies_tiles, tile_products_in
from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.nest import Nest, extent_of, loops_of, read_nest, step_along
from pruner_engine.space.rules.tiling import Tiling, tilings

_ROW_TILES, _COLUMN_TILES = 2, 3  # most tiles of results that lie beside each other: together six registers
_LEAST = 4  # rows, words and columns of a tile: vectors do fewer as fast


class _MatrixTiling(Tiling):
    """One schedule in the making."""

    def run(self, blocked: bool, pad_first: bool) -> None:
        """Loops: outer tiles (parallel) | [reduction blocks] | inner tiles | reduction | tiles of results | one tile.

        Args:
            blocked: split the reduction outside the inner tiles, so that a block of the operands stays in a cache; the
                results then rest in a buffer between the blocks.
            pad_first: pad the whole input before, instead of what each outer tile reads.
        """
        sch, nest = self.sch, self.nest
        vectors, lane = sch.split(nest.vector, factors=[None, self.lanes])
        windows, channel = _parted(sch, nest)
        steps, depth = sch.split(channel, factors=[None, tile_of(extent_of(sch, channel))])
        rest, row = sch.split(nest.rows[-1], factors=[None, tile_of(extent_of(sch, nest.rows[-1]))])
        rows = [*nest.rows[:-1], rest]
        beside = next((loop for loop in reversed(rows) if extent_of(sch, loop) % _ROW_TILES == 0), None)
        tiles = [self.tile(loop, 3, _ROW_TILES if loop is beside else 1) for loop in rows]
        tiles.append(self.tile(vectors, 3, _COLUMN_TILES))
        outer, middle, inner = ([tile[level] for tile in tiles] for level in range(3))
        *blocks, steps = self.tile(steps, 2, MOST**3) if blocked else [steps]
        # the vector axis outside the rows: a panel of the packed operand is used by all rows
        middle = [middle[-1], *middle[:-1]]
        sch.reorder(*nest.units, *outer, *blocks, *middle, *windows, steps, depth, *inner, row, lane)
        parallel = sch.fuse(*outer)
        sch.parallel(parallel)
        sch.vectorize(lane)
        sch.annotate(depth, TILE, DEPTH)
        sch.annotate(row, TILE, ROWS)
        self.around(parallel, parallel if blocked else middle[-1], middle[0], pad_first)


class MatrixTile:
    """Rule for matrix products and convolutions of bytes and of bfloat16, where the processor has AMX.

    Args:
        machine: the vector unit.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        products = tile_products_in(sch.get(block).body)
        if products is None or not multiplies_tiles(self.machine.target, products):
            return [sch]
        nest = read_nest(sch, block)
        if nest is None or not nest.rows or not nest.reduction or not _fits(sch, block, nest):
            return [sch]
        lanes = math.gcd(extent_of(sch, nest.vector), MOST)
        extents = [lanes, *(tile_of(extent_of(sch, loop)) for loop in (nest.rows[-1], _parted(sch, nest)[1]))]
        if min(extents) < _LEAST:
            return [sch]
        # vectors do without whole tiles
        return [sch, *tilings(sch, block, nest, lambda copy: _MatrixTiling(copy, block, nest, lanes, self.machine).run)]


def tile_of(extent: int) -> int:
    """Rows or words of a tile: the most that divide so many."""
    return next(n for n in range(MOST, 0, -1) if extent % n == 0)


def _parted(sch: Schedule, nest: Nest) -> tuple[list[LoopRV], LoopRV]:
    """The outer loops of a reduction, and the one of which a tile holds a part: the innermost that goes on."""
    loops = list(nest.reduction)
    at = max((i for i, loop in enumerate(loops) if extent_of(sch, loop) > 1), default=-1)
    channel = loops.pop(at)
    return loops, channel


def _fits(sch: Schedule, block_rv: SBlockRV, nest: Nest) -> bool:
    """Whether rows of one operand meet columns of the other, both with words that lie together in memory."""
    if len(nest.operands) != 2:
        return False
    left, right = sorted(nest.operands, key=lambda operand: operand.index)
    block = sch.get(block_rv)
    depth = sch.get(_parted(sch, nest)[1]).loop_var
    bound = {value.var: loop for loop, value in zip(loops_of(sch, block_rv) or [], block.iter_vars, strict=True)}
    (variable,) = [v for v, loop in bound.items() if sch.get(loop).loop_var.same_as(depth)]
    together = _apart(block.reads[left.index], variable) == 1
    return together and left.axis is None and left.rows and right.last and right.shared == 1 and not right.rows


def _apart(read: BufferRegion, variable: Var) -> int | None:
    """By how many elements of memory an access moves with a variable; None where that is not constant."""
    total, inside = 0, 1
    for dimension, extent in zip(reversed(read.region), reversed(read.source.shape), strict=True):
        step = step_along(dimension.min, variable)
        if step is None:
            return None
        total += step * inside
        inside *= int(extent)
    return total
