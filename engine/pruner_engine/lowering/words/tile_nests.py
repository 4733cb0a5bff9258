"""Loops that compute products of tiles of words: how a schedule marks them, and how they are found again.

A schedule marks the loops over a tile's depth and rows; the vector is its columns.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import tvm_ffi
from tvm import tirx
from tvm.ir import Expr, Span, TensorLoad
from tvm.sym import Analyzer
from tvm.target import Target
from tvm.tirx import Add, BufferStore, FloatImm, For, IntImm, Stmt, Var

from pruner_engine.lowering.steps import step_along
from pruner_engine.lowering.words.products import BFLOAT16S, BYTES, cpu_has
from pruner_engine.lowering.words.sums import WordProducts

#: annotation of a loop: which of a tile's extents it goes over
TILE = "pruner.tile"
DEPTH, ROWS = "depth", "rows"
#: most rows, columns and words of depth of a tile, and tiles of results that registers hold
MOST, MOST_RESULTS = 16, 6
#: products of words that a core makes in a cycle: a row of a tile
TILE_RATE = MOST * MOST
_INSTRUCTIONS = {BYTES.name: ("amx-int8", "llvm.x86.tdpbusd"), BFLOAT16S.name: ("amx-bf16", "llvm.x86.tdpbf16ps")}
# how the result and both operands move with rows, depth and columns; None: by any number of words
_MOVES = ((None, 0, 1), (None, 1, 0), (0, None, 1))


def multiplies_tiles(target: Target, products: WordProducts) -> bool:
    """Whether the target has an instruction for tiles of such products; on Linux, which has to be asked for it."""
    feature, _ = _INSTRUCTIONS.get(products.name, ("", ""))
    return (
        bool(feature)
        and cpu_has(target, "amx-tile", feature)
        and "linux" in str(target.attrs.get("mtriple", sys.platform))
    )


def tile_products_in(statement: object) -> WordProducts | None:
    """The products that a statement adds to its result, if there is an instruction for tiles of such."""
    value = statement.value if isinstance(statement, BufferStore) else None
    sums = value.b if isinstance(value, Add) else None
    return next((p for p in (BYTES, BFLOAT16S) if p.is_in(sums)), None)


@dataclass(frozen=True)
class Access:
    """Where a tile lies: its first word, and how many words apart its rows begin."""

    first: TensorLoad
    apart: int

    def moves(self, variable: Var) -> bool:
        """Whether the place is another one for other values of a variable."""
        return step_along(self.first.indices[0], variable) != 0

    def at(self, values: Mapping[Var, Expr]) -> Access:
        """The place with values instead of variables."""
        return Access(_at(self.first, values), self.apart)


@dataclass(frozen=True)
class TileNest:
    """Sums over `around` of products of tiles, of `results` that lie beside each other.

    Attributes:
        span: of the statement that they are computed for.
    """

    around: list[For]
    results: list[For]
    rows: int
    depth: int
    columns: int
    total: Access
    left: Access
    right: Access
    instruction: str
    span: Span | None

    @property
    def count(self) -> int:
        """Tiles of results."""
        return _iterations(self.results)

    @property
    def lefts(self) -> int:
        """Tiles of the left operand in one step."""
        return _iterations([loop for loop in self.results if self.left.moves(loop.loop_var)])

    def begins_with(self, statement: Stmt) -> bool:
        """Whether a statement sets all results to zero, and nothing else."""
        loops = list(_perfect(statement))
        store = loops[-1].body if loops else None
        if not isinstance(store, BufferStore) or not store.buffer.same_as(self.total.first.source):
            return False
        zeros = _zeros([*loops, *self.results])
        first, wanted = (Analyzer().simplify(_at(i[0], zeros)) for i in (store.indices, self.total.first.indices))
        whole = _iterations(loops) == self.rows * self.columns * self.count
        return whole and _is_zero(store.value) and tvm_ffi.structural_equal(first, wanted)


def nest_of(loop: For) -> TileNest | None:
    """The nest that begins with a loop over flat buffers; None where it is none, or begins further inside."""
    loops = list(_perfect(loop))
    marks = [str(one.annotations.get(TILE, "")) for one in loops]
    if DEPTH not in marks or ROWS not in marks or len(loops) != marks.index(ROWS) + 2:
        return None
    at = marks.index(DEPTH)
    around, results, tile = loops[:at], loops[at + 1 : -2], [loops[-2], loops[at], loops[-1]]
    products = tile_products_in(tile[-1].body)
    accesses = None if products is None else _accesses(tile[-1].body, tile)
    rows, depth, columns = (int(one.extent) for one in tile)
    if products is None or accesses is None or max(rows, depth, columns) > MOST or _iterations(results) > MOST_RESULTS:
        return None
    total, left, right = accesses
    if any(total.moves(outer.loop_var) for outer in around):
        return None
    instruction = _INSTRUCTIONS[products.name][1]
    return TileNest(around, results, rows, depth, columns, total, left, right, instruction, tile[-1].body.span)


def _accesses(store: BufferStore, tile: Sequence[For]) -> list[Access] | None:
    """Where the tiles of the result and of both operands lie; None where a tile's words do not lie together."""
    values = [store.value.a, *store.value.b.args[:2]]
    total = values[0]
    if not all(isinstance(value, TensorLoad) and len(value.indices) == 1 for value in values):
        return None
    if not total.source.same_as(store.buffer) or not tvm_ffi.structural_equal(total.indices[0], store.indices[0]):
        return None
    found = []
    for value, wanted in zip(values, _MOVES, strict=True):
        moves = [step_along(value.indices[0], loop.loop_var) for loop in tile]
        apart = moves[wanted.index(None)]
        if apart is None or any(w not in (None, m) for w, m in zip(wanted, moves, strict=True)):
            return None
        found.append(Access(value, apart).at(_zeros(tile)))
    return found


def _perfect(statement: Stmt) -> Iterator[For]:
    while isinstance(statement, For):
        yield statement
        statement = statement.body


def _iterations(loops: Sequence[For]) -> int:
    return math.prod(int(loop.extent) for loop in loops)


def _zeros(loops: Sequence[For]) -> dict[Var, Expr]:
    return {loop.loop_var: tirx.const(0, loop.loop_var.ty) for loop in loops}


def _at(value: Expr, values: Mapping[Var, Expr]) -> Expr:
    """An expression with values in place of variables."""
    return tvm_ffi.structural_map(value, (Var, lambda variable: values.get(variable, variable)))


def _is_zero(value: Expr) -> bool:
    return isinstance(value, (IntImm, FloatImm)) and not value.value
