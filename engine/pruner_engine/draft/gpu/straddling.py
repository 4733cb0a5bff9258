"""Cooperative fetches whose vectors straddle rows of what is fetched; some of them cannot be compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pruner_engine.draft.formulas.columns import (
    Value,
    all_of,
    any_of,
    ceil_div,
    divides,
    equal,
    floor_div,
    product,
)
from pruner_engine.draft.nests.index import (
    Atom,
    Index,
    Quotient,
    Remainder,
    Scaled,
    Sum,
    atoms_of,
    span,
    step,
)


def can_be_synchronised(lengths: Sequence[Value], width: Value, threads: Value, unroll: Value) -> Value:
    """Whether TVM's ThreadSync understands where a fetch writes.

    It follows an index that is one run of addresses, or one that holds no variable. Neither is so where the rounds of
    the fetch stay a loop, and one round of all threads covers whole rows that are no whole vectors: then the simplifier
    takes the loop's variable out of one digit of the index and leaves it in another, and variables are made of the two.

    Args:
        lengths: of the fetched tile, outermost dimension first.
        width: elements of a vector.
        threads: that fetch together.
        unroll: rounds up to which loops are unrolled.
    """
    at_once, total = threads * width, product(lengths)
    rounds = ceil_div(total, at_once)
    vectors = (width > 1) * divides(width, total)  # one that does not is given up
    stays = (rounds > 1) * (rounds > unroll)
    several = sum((length > 1 for length in lengths), start=0) > 2  # the index of a matrix is one run again
    rows = [product(lengths[at:]) for at in range(1, len(lengths))]
    whole = any_of(equal(row, at_once) for row in rows)  # the loop's variable is a digit of its own
    split = any_of((row > 1) * divides(row, at_once) * (1 - divides(width, row)) for row in rows)
    return 1 - vectors * stays * several * (1 - whole) * split


def lie_together(position: Index, atoms: Sequence[Atom], width: Value) -> Value:
    """Whether every vector of a fetch is one run of addresses; the others TVM indexes by a vector of numbers.

    Args:
        position: in memory, over the atoms.
        atoms: dimensions of the fetched tile, outermost first, as one loop goes over them.
        width: elements of a vector.
    """
    together: Value = 1
    length: Value = 1  # of what the dimensions so far go over
    for atom in reversed(atoms):
        ends = all_of(divides(width, length * end) for end in ends_of_runs(position, atom))
        next_to_it = equal(step(position, atom), length) * ends
        together = together * any_of([next_to_it, equal(atom.extent, 1), divides(width, length)])
        length = length * atom.extent
    return together


def ends_of_runs(position: Index, atom: Atom) -> list[Value]:
    """Lengths after which addresses cease to be one run while the atom grows, as at the end of a window's row.

    `i // 12 * 4096 + i % 12` jumps after every 12 of them, `i // 3 * 3 + i % 3` never does. 0 stands for no end.
    """
    digits = list(_digits(position, atom, 1))
    joined = [
        place
        for place, _, step, _ in digits
        for below, modulus, unit, _ in digits
        if place == below * modulus and step == unit * modulus
    ]
    ends = [end for place, modulus, _, _ in digits for end in (place, place * modulus) if end not in (0, 1)]
    places = list(dict.fromkeys(ends))
    offsets = [offset for *_, inner in digits for offset in _offsets(inner, atom, 1)]
    parted = any_of((span(offset) > 1) * _is_parted(unit, places) for offset, unit in offsets)
    return [end * parted if end in joined else end for end in ends]


def _offsets(index: Index, atom: Atom, unit: Value) -> Iterator[tuple[Index, Value]]:
    """What is added to the atom in a digit, such as where a tile begins: variables and what each is multiplied by."""
    match index:
        case Sum(terms):
            for term in terms:
                yield from _offsets(term, atom, unit)
        case Scaled(inner, factor):
            yield from _offsets(inner, atom, unit * factor)
        case _ if atom not in atoms_of(index):
            yield index, unit


def _is_parted(unit: Value, ends: Sequence[Value]) -> Value:
    """Whether TVM takes an offset out of some digits and leaves it in others: then it does not see that they join."""
    whole = [divides(end, unit) for end in ends]
    return any_of(whole) * (1 - all_of(whole))


def _digits(index: Index, atom: Atom, step: Value) -> Iterator[tuple[Value, Value, Value, Index]]:
    """Digits of the atom: place and modulus (0: none), the addresses between two of its values, and what it is of."""
    match index:
        case Sum(terms):
            for term in terms:
                yield from _digits(term, atom, step)
        case Scaled(inner, factor):
            yield from _digits(inner, atom, step * factor)
        case Quotient(inner, place) | Remainder(Quotient(inner, place), _) if atom in atoms_of(inner):
            if isinstance(index, Remainder):
                yield place, index.modulus, step, inner
            elif isinstance(inner, Remainder):
                yield place, floor_div(inner.modulus, place), step, inner.index
            else:
                yield place, 0, step, inner
        case Remainder(inner, modulus) if atom in atoms_of(inner):
            yield 1, modulus, step, inner
