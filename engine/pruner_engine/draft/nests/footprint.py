"""Footprints: how much memory a block touches in one iteration of each of the loops around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pruner_engine.draft.formulas.columns import Value, ceil_div, equal, maximum, minimum, product, where
from pruner_engine.draft.nests.index import Atom, Index, Var, atoms_of, flattened, span, step, terms_of, unscaled
from pruner_engine.draft.nests.nest import Access, Block, Buffer, Loop, all_loops, blocks_under, bound

_PAGE = 4096  # bytes
SETS = 64  # of a cache, that the lines of a page fall into, of 64 bytes


@dataclass(frozen=True, eq=False)
class Touch:
    """The use that a block makes of a buffer. Several accesses to a buffer are taken to touch what the first does.

    Attributes:
        indices: per dimension, over the loops' variables.
        times: accesses of one execution.
        read, written: how it is used.
        guarded: a read happens under a condition only, such as padding.
        home: the outer loops in each iteration of which the buffer takes the same memory again; none for an argument.
    """

    buffer: Buffer
    indices: tuple[Index, ...]
    times: int
    read: bool
    written: bool
    guarded: bool
    home: frozenset[Loop] = frozenset()

    def moves_with(self, loop: Loop) -> bool:
        """Whether the loop changes what is touched."""
        return loop not in self.home and self.indexed_by(loop)

    def indexed_by(self, loop: Loop) -> bool:
        """Whether the loop's variable is in the indices, even where the memory behind them is the same again."""
        return not self._atoms.isdisjoint(loop.atoms)

    def moves(self, loop: Loop) -> Value:
        """How many different places the loop, perhaps fused of several, brings the indices to."""
        return product(atom.extent for atom in loop.atoms if atom in self._atoms)

    def padded_by(self, loop: Loop, *, settled: bool = False) -> Value:
        """Whether the loop takes a read under a condition past an end of the buffer, which the condition keeps it from.

        Args:
            settled: not where the loop alone says which element it is: unrolled or split, it needs no condition.
        """
        found: Value = 0
        for index, extent in zip(self.indices, self.buffer.shape, strict=True) if self.guarded else ():
            if any(atom in loop.atoms for atom in atoms_of(index)):
                beyond = span(index) > extent
                if settled:
                    beyond = beyond * (1 - equal(span(index, lambda atom: atom not in loop.atoms), 1))
                found = maximum(found, beyond)
        return found

    def stride(self, loop: Loop) -> Value:
        """Elements that one iteration of the loop moves by."""
        return step(self.position, loop.atoms[-1])

    @cached_property
    def position(self) -> Index:
        """Row-major."""
        return flattened(list(self.indices), self.buffer.shape)

    @cached_property
    def _atoms(self) -> frozenset[Atom]:
        return frozenset(a for index in self.indices for a in atoms_of(index))


def homes(root: Block) -> dict[Buffer, frozenset[Loop]]:
    """For each buffer that the function itself allocates, the loops that all blocks using it share."""
    found: dict[Buffer, frozenset[Loop]] = {}
    for block in blocks_under(root):
        around = frozenset(all_loops(block))
        for store in block.stores:
            for buffer in {access.buffer for access in store.accesses}:
                if not buffer.argument:
                    found[buffer] = found[buffer] & around if buffer in found else around
    return found


def touches(block: Block, homes_: Mapping[Buffer, frozenset[Loop]]) -> list[Touch]:
    """The buffers of a block's statements, reads first."""
    found: dict[Buffer, list[tuple[Access, bool]]] = {}
    for store in block.stores:
        for read in store.reads:
            found.setdefault(read.buffer, []).append((read, False))
    for store in block.stores:
        found.setdefault(store.write.buffer, []).append((store.write, True))
    return [
        Touch(
            buffer,
            bound(uses[0][0]),
            len(uses),
            read=not all(write for _, write in uses),
            written=any(write for _, write in uses),
            guarded=any(access.guarded for access, _ in uses),
            home=homes_.get(buffer, frozenset()),
        )
        for buffer, uses in found.items()
    ]


def spans_by_depth(touch: Touch, loops: Sequence[Loop]) -> list[list[Value]]:
    """Per depth d (0: all loops vary, len(loops): none) the span of each dimension while loops[d:] vary."""
    inside = [loop for loop in loops if loop not in touch.home]
    by_dimension = [_index_spans(i, e, inside) for i, e in zip(touch.indices, touch.buffer.shape, strict=True)]
    by_dimension = [[spans[0]] * (len(loops) - len(inside)) + spans for spans in by_dimension]
    return [list(spans) for spans in zip(*by_dimension, strict=True)] or [[] for _ in range(len(loops) + 1)]


def _index_spans(index: Index, extent: Value, loops: Sequence[Loop]) -> list[Value]:
    """Built up from the innermost loop outwards, so that neighbouring depths share their terms."""
    steps = _affine(index)
    spans: list[Value] = [1]
    inner: set[Atom] = set()
    for loop in reversed(loops):
        inner.update(loop.atoms)
        last = spans[-1]
        if steps is None:
            seen = frozenset(inner)
            reach = span(index, lambda atom: atom in seen)  # noqa: B023
        else:
            reach = last
            for atom in loop.atoms:
                if atom in steps:
                    reach = reach + (atom.extent - 1) * steps[atom]
        spans.append(reach)
    return [s if isinstance(s, int) and s == 1 else minimum(s, extent) for s in reversed(spans)]


def _affine(index: Index) -> dict[Atom, Value] | None:
    """Steps per variable of a sum of scaled variables; None for any other index."""
    steps: dict[Atom, Value] = {}
    for term in terms_of(index):
        inner, factor = unscaled(term)
        if isinstance(inner, Var):
            step_ = abs(factor) if isinstance(factor, int) else factor
            steps[inner.atom] = steps.get(inner.atom, 0) + step_
        elif next(atoms_of(inner), None) is not None:
            return None
    return steps


def lines(touch: Touch, spans: Sequence[Value], line_bytes: int) -> Value:
    """Distinct cache lines in a box; a buffer whose layout follows the loops is contiguous."""
    size = touch.buffer.dtype_bytes
    if touch.buffer.layout_free or not spans:
        return ceil_div(product(spans) * size, line_bytes)
    apart = product(spans[:-1]) * ceil_div(spans[-1] * size, line_bytes)
    if len(spans) == 1:
        return apart
    # dimensions that are covered whole make longer runs, which matters for small inner dimensions
    together = product(spans[:-2]) * ceil_div(spans[-1] * spans[-2] * size, line_bytes)
    return where(touch.buffer.shape[-1] * size < line_bytes, together, apart)


def conflicts(touch: Touch, spans: Sequence[Value], line_bytes: int) -> Value:
    """How many times the room of its lines a box needs in a cache, because they fall into few of its sets."""
    if _is_packed(touch.buffer):
        return 1
    across = _lines_across(touch, spans, line_bytes)
    return minimum(across * product(spans[:-1]), SETS) / taken_sets(touch, spans, line_bytes)


def taken_sets(touch: Touch, spans: Sequence[Value], line_bytes: int) -> Value:
    """Of the `SETS`, those that a box has lines in.

    A cache finds a line by the low bits of its address, and those that lie in a page of 4096 bytes are the same for
    the first two levels of nearly all CPUs: rows a large power of two apart compete for the same few places.
    """
    if _is_packed(touch.buffer):
        return SETS
    pitch, taken = touch.buffer.dtype_bytes, _lines_across(touch, spans, line_bytes)
    for extent, span_ in zip(reversed(touch.buffer.shape[1:]), reversed(spans[:-1]), strict=True):
        assert isinstance(extent, int)
        pitch *= extent
        taken = taken * minimum(span_, _PAGE // max(line_bytes, math.gcd(pitch, _PAGE)))
    return minimum(taken, SETS)


def _is_packed(buffer: Buffer) -> bool:
    """Whether a buffer is packed to what is read, or cut down to what is alive."""
    return buffer.layout_free or not buffer.argument


def _lines_across(touch: Touch, spans: Sequence[Value], line_bytes: int) -> Value:
    return ceil_div(spans[-1] * touch.buffer.dtype_bytes, line_bytes) if spans else 1
