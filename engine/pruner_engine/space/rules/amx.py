"""Schedule rule: products of words by AMX, whose registers hold tiles of operands and results."""

from __future__ import annotations

import math
from collections.abc import Callable

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.tirx import BufferRegion, Var

from pruner_engine.lowering.steps import step_along
from pruner_engine.lowering.words.tile_nests import DEPTH, MOST, ROWS, TILE, multiplies_tiles, tile_products_in
from pruner_engine.space.rules.machine import Machine
from pruner_engine.space.rules.nest import Nest, extent_of, loops_of, read_nest
from pruner_engine.space.rules.rule import Rule
from pruner_engine.space.rules.tiling import Tiling, tilings

_ROW_TILES, _COLUMN_TILES = 2, 3  # most tiles of results that lie beside each other: together six registers
_ANY = 1 << 12  # steps in a block of the reduction: as many as it has
_LEAST = 4  # rows, words and columns of a tile: vectors do fewer as fast


class _MatrixTiling(Tiling):
    """One schedule in the making.

    Args:
        words: reduction loops that a tile's depth is a part of.
    """

    def __init__(
        self, sch: Schedule, block: SBlockRV, nest: Nest, lanes: int, machine: Machine, words: list[LoopRV]
    ) -> None:
        super().__init__(sch, block, nest, lanes, machine)
        self.words = words

    def run(self, blocked: bool, pad_first: bool) -> None:
        """Loops: outer tiles (parallel) | [reduction blocks] | inner tiles | reduction | tiles of results | one tile.

        Args:
            blocked: split the reduction outside the inner tiles, so that a block of the operands stays in a cache; the
                results then rest in a buffer between the blocks.
            pad_first: pad the whole input before, instead of what each outer tile reads.
        """
        sch, nest = self.sch, self.nest
        vectors, lane = sch.split(nest.vector, factors=[None, self.lanes])
        words, every = self.words, _extent(sch, self.words)
        windows = [loop for loop in nest.reduction if not any(loop is word for word in words)]
        channel = sch.fuse(*words) if len(words) > 1 else words[0]
        steps, depth = sch.split(channel, factors=[None, tile_of(every)])
        rest, row = sch.split(nest.rows[-1], factors=[None, tile_of(extent_of(sch, nest.rows[-1]))])
        rows = [*nest.rows[:-1], rest]
        beside = next((loop for loop in reversed(rows) if extent_of(sch, loop) % _ROW_TILES == 0), None)
        tiles = [self.tile(loop, 3, _ROW_TILES if loop is beside else 1) for loop in rows]
        tiles.append(self.tile(vectors, 3, _COLUMN_TILES))
        outer, middle, inner = ([tile[level] for tile in tiles] for level in range(3))
        *blocks, steps = self.tile(steps, 2, _ANY) if blocked else [steps]
        parallel, middle = self.ordered(outer, blocks, middle, [*windows, steps, depth, *inner, row, lane])
        sch.annotate(depth, TILE, DEPTH)
        sch.annotate(row, TILE, ROWS)
        self.around(parallel, parallel if blocked else middle[-1], middle[0], pad_first)


class MatrixTile(Rule):
    """Rule for matrix products and convolutions of bytes and of bfloat16, where the processor has AMX."""

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        products = tile_products_in(sch.get(block).body)
        if products is None or not multiplies_tiles(self.machine.target, products):
            return [sch]
        nest = read_nest(sch, block)
        if nest is None or not nest.rows or not _fits(nest):
            return [sch]
        lanes = math.gcd(extent_of(sch, nest.vector), MOST)
        words = _parts_of_depth(sch, block, nest)
        if min(lanes, tile_of(extent_of(sch, nest.rows[-1])), tile_of(_extent(sch, words))) < _LEAST:
            return [sch]

        def run_of(copy: Schedule) -> Callable[[bool, bool], None]:
            return _MatrixTiling(copy, block, nest, lanes, self.machine, words).run

        # vectors do without whole tiles
        return [sch, *tilings(sch, block, nest, run_of)]


def tile_of(extent: int) -> int:
    """Rows or words of a tile: the most that divide so many."""
    return next(n for n in range(MOST, 0, -1) if extent % n == 0)


def _parts_of_depth(sch: Schedule, block_rv: SBlockRV, nest: Nest) -> list[LoopRV]:
    """The reduction loops whose iterations together are a tile's depth, or from whose one a part is taken.

    The innermost that goes on, and those around it that reach the words behind, as long as all fit a tile: the columns
    of a window over pixels of a word or two.
    """
    block, left = sch.get(block_rv), min(operand.index for operand in nest.operands)
    loops = loops_of(sch, block_rv) or []
    bound = {sch.get(loop).loop_var: v.var for loop, v in zip(loops, block.iter_vars, strict=True)}
    found: list[LoopRV] = []
    words = 1
    for loop in reversed(nest.reduction):
        extent = extent_of(sch, loop)
        if extent == 1:
            continue
        if _apart(block.reads[left], bound[sch.get(loop).loop_var]) != words or (found and words * extent > MOST):
            break
        found.insert(0, loop)
        words *= extent
    return found


def _extent(sch: Schedule, loops: list[LoopRV]) -> int:
    return math.prod(extent_of(sch, loop) for loop in loops)


def _fits(nest: Nest) -> bool:
    """Whether rows of the one operand meet columns of the other."""
    if len(nest.operands) != 2:
        return False
    left, right = sorted(nest.operands, key=lambda operand: operand.index)
    return left.axis is None and left.rows and right.last and right.shared == 1 and not right.rows


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
