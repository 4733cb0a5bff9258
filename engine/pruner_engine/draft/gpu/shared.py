"""Shared memory that a block of threads takes, as TVM's passes cut its buffers down to what is used of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pruner_engine.draft.formulas.columns import (
    Value,
    add_up,
    ceil_div,
    equal,
    floor_div,
    maximum,
    minimum,
    product,
    where,
)
from pruner_engine.draft.nests.index import (
    Atom,
    Index,
    Quotient,
    Remainder,
    add,
    atoms_of,
    span,
    terms_of,
    unscaled,
)
from pruner_engine.draft.nests.nest import Access, Block, Buffer, Loop, all_loops, bound
from pruner_engine.draft.nests.regions import beside, outer_atoms, readers, reads_of_buffer, region

_ALIKE = 16  # times as large may be the place that another buffer takes


def shared_bytes(leaves: Sequence[Block]) -> Value:
    """Bytes of shared memory that a block of threads takes: TVM lets buffers follow each other at one place.

    One that follows others of its own type takes the place of a single one of them: see `_growth`.
    """
    written: dict[Buffer, tuple[Access, Block]] = {}
    used: dict[Buffer, list[int]] = {}
    for at, block in enumerate(leaves):
        for access in (access for store in block.stores for access in store.accesses):
            if "shared" in access.buffer.scope:
                written.setdefault(access.buffer, (access, block))
                used.setdefault(access.buffer, []).append(at)
    sizes = {buffer: _allocated(*one) for buffer, one in written.items()}
    times = [tuple(b for b, at in used.items() if at[0] <= now <= at[-1]) for now in range(len(leaves))]
    alive = [some for some in dict.fromkeys(times) if not any(set(some) < set(others) for others in times)]
    totals: list[Value] = [add_up(sizes[buffer] for buffer in some) for some in alive]
    if len(alive) == 2 and not set(alive[0]) & set(alive[1]) and len({buffer.dtype_bytes for buffer in sizes}) == 1:
        first, then = totals
        return first + _growth(then, [sizes[buffer] for buffer in alive[0]])
    return reduce(maximum, totals) if totals else 0


def _growth(new: Value, free: Sequence[Value]) -> Value:
    """Bytes that a buffer adds to those whose places are free: none in one that is as large.

    TVM else takes the largest smaller one and makes it longer. A place of another order of magnitude it leaves free.
    """
    fits: Value = 0
    longest: Value = 0
    for place in free:
        fits = maximum(fits, (place >= new) * (new * _ALIKE >= place))
        longest = maximum(longest, where((new > place) * (place * _ALIKE >= new), place, 0))
    return where(fits, 0, new - longest)


def _allocated(access: Access, block: Block) -> Value:
    """Bytes that one block of threads keeps of a shared buffer: what is written where the buffer lives."""
    buffer = access.buffer
    home = next((loop for loop in reversed(all_loops(block)) if readers(loop, buffer)), None)
    if home is None:
        return buffer.bytes
    *rest, row = _shape(access, home)
    factor, offset = buffer.align
    padding = offset - row + ceil_div(row - offset, factor) * factor if factor > 1 else 0
    kept = product(rest) * (row + padding) * buffer.dtype_bytes
    # a software pipeline holds one version a stage between writing and reading
    stages = [loop.annotations.get("software_pipeline_stage", [0]) for loop in all_loops(block)]
    return kept * (1 + max((int(max(s)) for s in stages), default=0))


def _shape(access: Access, home: Loop) -> list[Value]:
    """Extents that TVM keeps of a buffer that is written by the access and lives in the loop."""
    fixed = outer_atoms(home, access.buffer.scope)
    sizes = [r.extent for r in region([access], fixed)]
    for reader in readers(home, access.buffer):
        beyond = _Beyond(all_loops(reader), fixed)
        for read in reads_of_buffer([reader], access.buffer):
            sizes = [size + beyond(index) for size, index in zip(sizes, bound(read), strict=True)]
    return sizes


class _Beyond:
    """Elements that TVM keeps of a dimension beyond those that are read.

    A grouped convolution reads channel `filter // filters * channels + channel`, filters and channels being those of a
    group; a packed one `channel // packed` and `channel % packed`. Where what a block of threads reads at a time is a
    part of a divisor, TVM cannot tell that the quotient is the same number in what is written and in what is read, and
    keeps all that lies between the least of the one and the largest of the other. Of the remainder it keeps all values.

    Args:
        loops: around the block that reads.
        fixed: variables that do not move while the buffer lives.
    """

    def __init__(self, loops: Sequence[Loop], fixed: set[Atom]) -> None:
        self._fixed = fixed
        # of other loops TVM knows where they start
        self._beside = beside(loop for loop in loops if loop.thread or "software_pipeline_stage" in loop.annotations)

    def __call__(self, index: Index) -> Value:
        return add_up(self._of(term, index) for term in terms_of(index))

    def _of(self, term: Index, index: Index) -> Value:
        digit, factor = unscaled(term)
        match digit:
            case Quotient(inner, divisor):
                # TVM looks at a quotient and what is added to it as one variable, or else not at all
                others = [t for t in terms_of(index) if t is not term]
                joined = equal(span(add(*others), self._moves), factor)
                return where(joined * self._is_part(inner, divisor), self._values(inner, divisor) * factor, 0)
            case Remainder(inner, modulus):
                values = self._digit_values(inner, modulus)
                left = modulus * (values + 1) - minimum(span(inner, self._moves), modulus)
                return where((values > 0) * self._is_part(inner, modulus), left * factor, 0)
        return 0

    def _moves(self, atom: Atom) -> bool:
        return atom not in self._fixed

    def _split(self, inner: Index) -> tuple[Index, Index]:
        """What moves of a sum, and what does not."""
        moving = [any(map(self._moves, atoms_of(term))) for term in terms_of(inner)]
        parts = ([t for t, moves in zip(terms_of(inner), moving, strict=True) if moves is one] for one in (True, False))
        return add(*next(parts)), add(*next(parts))

    def _is_part(self, inner: Index, divisor: Value) -> Value:
        """Whether a part of a divisor is read at a time, now this one and now that."""
        moving, still = self._split(inner)
        reach = span(moving, self._moves)
        return (reach > 1) * (divisor > reach) * (span(still) > 1)

    def _values(self, inner: Index, divisor: Value) -> Value:
        """How many values of `inner // divisor`, of which one is read, are kept besides.

        That depends on how the loops are fused of which the variables are digits, since TVM simplifies digits in other
        ways: of a loop of its own TVM can tell where it starts.
        """
        moving, still = self._split(inner)
        several: Value = 0
        first: Value = 0  # whether what moves is the first digit of several
        later: Value = 0  # or a later one
        for atom in atoms_of(moving):
            before, after = self._around(atom)
            moves = atom.extent > 1
            several = several + moves
            first = maximum(first, moves * (after > 1))
            later = maximum(later, moves * (before > 1))
        usual = self._digit_values(inner, divisor)
        more = self._reached(still, divisor) + (divisor > 2 * span(moving, self._moves))
        return where(several > 1, usual, where(later, 0, where(first, more, usual)))

    def _digit_values(self, inner: Index, divisor: Value) -> Value:
        """The values that the part of `inner` that does not move takes of `inner // divisor`; 0 for a whole loop."""
        _, still = self._split(inner)
        fused: Value = 0
        for before, after in map(self._around, atoms_of(still)):
            fused = maximum(fused, before * after > 1)
        return where(fused, self._reached(still, divisor), 0)

    @staticmethod
    def _reached(still: Index, divisor: Value) -> Value:
        return floor_div(span(still) - 1, divisor) + 1

    def _around(self, atom: Atom) -> tuple[Value, Value]:
        """Products of what is fused with a variable to one loop, before and behind it."""
        return self._beside.get(atom, (1, 1))
