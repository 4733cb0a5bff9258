"""The region of a buffer that blocks touch below a loop, and the iterations of another block that cover it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pruner_engine.draft.formulas.columns import (
    Column,
    Value,
    divides,
    equal,
    floor_div,
    maximum,
    minimum,
    product,
    where,
)
from pruner_engine.draft.nests.index import (
    Atom,
    Const,
    Index,
    Opaque,
    Quotient,
    Remainder,
    Var,
    add,
    atoms_of,
    constant_of,
    quotients_in,
    replace,
    scale,
    span,
    terms_of,
    unscaled,
)
from pruner_engine.draft.nests.nest import Access, Block, Buffer, Loop, Node, UnreadableSketchError, blocks_under, bound


@dataclass(frozen=True)
class Range:
    """`extent` values from `start`."""

    start: Index
    extent: Value


def outer_atoms(loop: Node, scope: str) -> set[Atom]:
    """Variables that are fixed inside the loop for a buffer of the scope: a block's threads share its shared memory."""
    shared = "shared" in scope
    fixed: set[Atom] = set()
    node: Node | None = loop
    while node is not None:
        if isinstance(node, Loop) and not (shared and node.thread.startswith(("threadIdx", "vthread"))):
            fixed.update(node.atoms)
        node = node.parent
    return fixed


def writes_to(blocks: Iterable[Block], buffer: Buffer) -> list[Access]:
    """The accesses by which the blocks write the buffer."""
    return [s.write for block in blocks for s in block.stores if s.write.buffer is buffer]


def reads_of_buffer(blocks: Iterable[Block], buffer: Buffer) -> list[Access]:
    """The accesses by which the blocks read the buffer; a reduction's reads of its own output are left out."""
    stores = (s for block in blocks for s in block.stores if not (s.reduction and s.write.buffer is buffer))
    return [read for store in stores for read in store.reads if read.buffer is buffer]


def region(touching: Sequence[Access], fixed: set[Atom], *, beyond: bool = False) -> list[Range]:
    """Per dimension what the accesses touch together while all but the fixed variables vary.

    Args:
        beyond: past the end of the buffer too, where the start moves.
    """
    ranges = []
    for dimension, whole in enumerate(touching[0].buffer.shape):
        found = []
        for access in touching:
            index = bound(access)[dimension]
            moving = {a: Const(0) for a in atoms_of(index) if a not in fixed}
            start = replace(index, moving)  # type: ignore[arg-type]
            found.append((start, span(index, lambda atom: atom not in fixed)))
        ranges.append(_union(found, whole, beyond))
    return ranges


def beside(loops: Iterable[Loop]) -> dict[Atom, tuple[Value, Value]]:
    """Per variable the products of what is fused with it to one loop, before and behind it."""
    return {
        atom: (product(a.extent for a in loop.atoms[:at]), product(a.extent for a in loop.atoms[at + 1 :]))
        for loop in loops
        for at, atom in enumerate(loop.atoms)
    }


def steady(touching: Sequence[Access], fixed: set[Atom], loops: Sequence[Loop]) -> Value:
    """Whether each range is equally long wherever the fixed variables stand, as far as TVM can tell.

    Of a quotient of which a part is fixed that is so where this part moves by whole divisors, or the other part reaches
    over whole divisors or over a part of one that divides it; over more than one divisor only if there are two of it.
    Digits `x // n * n` TVM takes for `x - x % n`, of which it knows no more than that unless the quotient is scaled.

    Args:
        loops: that move the fixed variables.
    """
    found: Value = 1
    around = beside(loops)
    told = ((i, q) for access in touching for i in bound(access) for q in quotients_in(i))
    for index, quotient in told:
        inner, divisor = quotient.index, quotient.divisor
        reach = span(inner, lambda atom: atom not in fixed)
        uneven: Value = 0
        offset: Value = 0
        behind: Value = 1
        for term in terms_of(inner):
            if not isinstance(term, Const) and all(atom in fixed for atom in atoms_of(term)):
                _, step = unscaled(term)
                moved = span(term) - 1
                offset = offset + moved
                behind = behind * product(around.get(atom, (1, 1))[1] for atom in atoms_of(term))
                uneven = maximum(uneven, (moved > 0) * (1 - divides(divisor, step)))
        rest = reach - floor_div(reach, divisor) * divisor
        known = maximum(divisor > reach, equal(offset, reach))
        even = maximum(equal(rest, 0), known * divides(maximum(rest, 1), divisor))
        if any(term is quotient for term in terms_of(index)):
            even = even * (1 - equal(behind, reach))
        found = found * where((reach > 1) * uneven, even, 1)
    return found


def _union(parts: list[tuple[Index, Value]], whole: Value, beyond: bool) -> Range:
    """The hull of ranges whose starts differ by constants."""
    lowest = min(constant_of(start) for start, _ in parts)
    start = next(s for s, _ in parts if constant_of(s) == lowest)
    (first, extent), *others = parts
    extent = extent + (constant_of(first) - lowest)
    for other, one in others:
        extent = maximum(extent, one + (constant_of(other) - lowest))
    same = extent is whole if isinstance(extent, Column) else extent == whole
    return _within(Const(0) if same else start, extent, whole, beyond)


def _within(start: Index, extent: Value, whole: Value, beyond: bool) -> Range:
    moves: Value = 0
    for atom in atoms_of(start) if beyond else ():
        moves = maximum(moves, atom.extent > 1)
    return Range(start, where(moves, extent, minimum(extent, whole)))


def digits(indices: Sequence[Index]) -> tuple[dict[Atom, list[tuple[int, Value]]], list[Atom]]:
    """Per iterator the dimensions that it alone determines, with its place value; and those that others mix up."""
    found: dict[Atom, list[tuple[int, Value]]] = {}
    mixed: list[Atom] = []
    for dimension, index in enumerate(indices):
        match index:
            case Const():
                continue
            case Var(atom) | Remainder(Var(atom), _):
                found.setdefault(atom, []).append((dimension, 1))
            case Quotient(Var(atom), divisor) | Remainder(Quotient(Var(atom), divisor), _):
                found.setdefault(atom, []).append((dimension, divisor))
            case _:
                mixed += atoms_of(index)
    return found, [atom for atom in dict.fromkeys(mixed) if atom not in found]


def solve(indices: Sequence[Index], wanted: Sequence[Range], *, beyond: bool = False) -> dict[Atom, Range]:
    """The iterations whose access at `indices` covers the wanted ranges, for the iterators that these tell.

    Args:
        beyond: as of `region`.
    """
    found, mixed = digits(indices)
    if mixed:
        raise UnreadableSketchError(f"which iterations touch a region is not told by {indices}")
    solved = {}
    for atom, places in found.items():
        start = add(*(scale(wanted[d].start, place) for d, place in places))
        extent: Value = 1
        for d, place in places:
            extent = (wanted[d].extent - 1) * place + extent
        solved[atom] = _within(start, extent, atom.extent, beyond)
    return solved


def invert(indices: Sequence[Index], values: Sequence[Index]) -> dict[Atom, Index]:
    """The iterators' values where the access at `indices` touches `values`.

    Where reshapes mix iterators, what is known of each is that it depends on the values.
    """
    found, mixed = digits(indices)
    inverted: dict[Atom, Index] = {
        atom: add(*(scale(values[d], place) for d, place in places)) for atom, places in found.items()
    }
    return inverted | {atom: Opaque(tuple(values), atom.extent) for atom in mixed}


def writers(root: Node, buffer: Buffer) -> list[Block]:
    """The blocks under a node that write a buffer, in order."""
    return [b for b in blocks_under(root) if writes_to([b], buffer)]


def readers(root: Node, buffer: Buffer) -> list[Block]:
    """The blocks under a node that read a buffer other than to add to it, in order."""
    return [b for b in blocks_under(root) if reads_of_buffer([b], buffer)]
