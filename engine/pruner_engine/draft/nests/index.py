"""Index expressions over loops: how far they reach when some loops vary, and how they move with one loop.

A loop's variable is an `Atom`. Fused loops keep the atoms of their parts, so that indices stay sums of atoms; only a
split of a fused loop introduces quotients and remainders, through the atom's `definition`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pruner_engine.draft.formulas.columns import Value, add_up, ceil_div, floor_div, maximum, minimum, product, where


@dataclass(eq=False)
class Atom:
    """A variable that takes `extent` values from 0; of a loop, or an iterator of a block.

    Attributes:
        definition: what it stands for once its loop was split or its block bound; None for a loop's own variable.
    """

    name: str
    extent: Value
    definition: Index | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Var:
    atom: Atom


@dataclass(frozen=True)
class Const:
    value: int


@dataclass(frozen=True)
class Sum:
    terms: tuple[Index, ...]


@dataclass(frozen=True)
class Scaled:
    index: Index
    factor: Value


@dataclass(frozen=True)
class Quotient:
    index: Index
    divisor: Value


@dataclass(frozen=True)
class Remainder:
    index: Index
    modulus: Value


@dataclass(frozen=True)
class Opaque:
    """Anything else, such as a gathered index: reaches over `extent` values if any part varies."""

    parts: tuple[Index, ...]
    extent: Value


Index: TypeAlias = Var | Const | Sum | Scaled | Quotient | Remainder | Opaque


def add(*terms: Index) -> Index:
    """The sum of the terms, nested sums flattened and constants added up."""
    flat: list[Index] = []
    constant = 0
    for term in terms:
        for part in term.terms if isinstance(term, Sum) else (term,):
            if isinstance(part, Const):
                constant += part.value
            else:
                flat.append(part)
    if constant:
        flat.append(Const(constant))
    return flat[0] if len(flat) == 1 else Sum(tuple(flat)) if flat else Const(0)


def scale(index: Index, factor: Value) -> Index:
    """`index * factor`."""
    if isinstance(factor, int) and factor == 1:
        return index
    if isinstance(index, Const) and isinstance(factor, int):
        return Const(index.value * factor)
    if isinstance(index, Scaled):
        return Scaled(index.index, index.factor * factor)
    return Scaled(index, factor)


def quotient(index: Index, divisor: Value) -> Index:
    """`index // divisor`."""
    if isinstance(divisor, int) and divisor == 1:
        return index
    if isinstance(index, Quotient):
        return Quotient(index.index, index.divisor * divisor)
    return Quotient(index, divisor)


def replace(index: Index, atoms: dict[Atom, Index]) -> Index:
    """The index with atoms replaced."""
    return _rebuilt(index, lambda var: atoms.get(var.atom, var))


def resolve(index: Index) -> Index:
    """The index over loops' own variables."""
    return _rebuilt(index, lambda var: var if var.atom.definition is None else resolve(var.atom.definition))


def _rebuilt(index: Index, of: Callable[[Var], Index]) -> Index:  # noqa: PLR0911 (one case a kind)
    """The index with something else for each variable."""
    match index:
        case Var():
            return of(index)
        case Const():
            return index
        case Sum(terms):
            return add(*(_rebuilt(t, of) for t in terms))
        case Scaled(inner, factor):
            return scale(_rebuilt(inner, of), factor)
        case Quotient(inner, divisor):
            return quotient(_rebuilt(inner, of), divisor)
        case Remainder(inner, modulus):
            return Remainder(_rebuilt(inner, of), modulus)
        case Opaque(parts, extent):
            return Opaque(tuple(_rebuilt(p, of) for p in parts), extent)
    raise TypeError(index)


def atoms_of(index: Index) -> Iterator[Atom]:
    """The atoms in a resolved index, with repetition."""
    return (part.atom for part in _parts_of(index) if isinstance(part, Var))


def terms_of(index: Index) -> tuple[Index, ...]:
    """What a sum adds up; any other index is its only term."""
    return index.terms if isinstance(index, Sum) else (index,)


def unscaled(term: Index) -> tuple[Index, Value]:
    """A term `factor * index` taken apart."""
    return (term.index, term.factor) if isinstance(term, Scaled) else (term, 1)


def quotients_in(index: Index) -> Iterator[Quotient]:
    """The quotients in a resolved index, those within others included."""
    return (part for part in _parts_of(index) if isinstance(part, Quotient))


def _parts_of(index: Index) -> Iterator[Index]:
    """An index and all that it is made of."""
    yield index
    match index:
        case Sum(terms) | Opaque(terms, _):
            for term in terms:
                yield from _parts_of(term)
        case Scaled(inner, _) | Quotient(inner, _) | Remainder(inner, _):
            yield from _parts_of(inner)


def _digit(term: Index) -> tuple[Index, Value, Value, Value]:
    """A term `factor * (index // place % modulus)` taken apart; modulus 0 where there is none."""
    modulus: Value = 0
    place: Value = 1
    term, factor = unscaled(term)
    match term:
        case Remainder(inner, modulus):
            term = inner
    match term:
        case Quotient(inner, place):
            term = inner
    return term, factor, modulus, place


def collapse(index: Index) -> Index:
    """The index with sums of all digits of a variable replaced by the variable."""
    if not isinstance(index, Sum):
        return index
    digits: dict[Atom, dict[Value, Value]] = {}  # per variable the modulus (0: none) of the digit at each place
    rest: list[Index] = []
    for term in index.terms:
        inner, factor, modulus, place = _digit(term)
        if isinstance(inner, Var) and place == factor and place not in digits.get(inner.atom, {}):
            digits.setdefault(inner.atom, {})[place] = modulus
        else:
            rest.append(term)
    for atom, places in digits.items():
        place, seen = 1, 0
        while place in places:
            seen += 1
            if not isinstance(places[place], int) or places[place] == 0:
                break
            place = place * places[place]
        if seen != len(places) or (places.get(place) != 0 and place != atom.extent):
            return index
        rest.append(Var(atom))
    return add(*rest)


def span(index: Index, varies: Callable[[Atom], bool] = lambda atom: True) -> Value:  # noqa: PLR0911
    """Distance of the first to the last value, both included, of a resolved index while the atoms that vary do: all,
    unless told otherwise.
    """
    match index:
        case Var(atom):
            return atom.extent if varies(atom) else 1
        case Const():
            return 1
        case Sum(terms):
            spans = [span(t, varies) for t in terms]
            moving = [s for s in spans if not (isinstance(s, int) and s == 1)]
            total: Value = 1 - len(moving)
            for one in moving:
                total = one + total
            return total if moving else 1
        case Scaled(inner, factor):
            reach = span(inner, varies)
            magnitude = abs(factor) if isinstance(factor, int) else factor
            return 1 if isinstance(reach, int) and reach == 1 else (reach - 1) * magnitude + 1
        case Quotient(inner, divisor):
            reach = span(inner, varies)
            return 1 if isinstance(reach, int) and reach == 1 else ceil_div(reach, divisor)
        case Remainder(inner, modulus):
            reach = span(inner, varies)
            return 1 if isinstance(reach, int) and reach == 1 else minimum(reach, modulus)
        case Opaque(parts, extent):
            return extent if any(varies(a) for p in parts for a in atoms_of(p)) else 1
    raise TypeError(index)


def count(index: Index, varies: Callable[[Atom], bool]) -> Value:
    """How many values, at most, a resolved index takes while the atoms that vary do; gaps between them do not count."""
    match index:
        case Sum(terms):
            return minimum(span(index, varies), product(count(term, varies) for term in terms))
        case Scaled(inner, _):
            return count(inner, varies)
    return span(index, varies)


def step(index: Index, atom: Atom) -> Value:
    """How far a resolved index moves when the atom grows by one (0 inside a quotient's step)."""
    match index:
        case Var(other):
            return int(other is atom)
        case Sum(terms):
            return add_up(step(term, atom) for term in terms)
        case Scaled(inner, factor):
            return step(inner, atom) * factor
        case Quotient(inner, divisor):
            return floor_div(step(inner, atom), divisor)
        case Remainder(inner, modulus):
            moved = step(inner, atom)
            return moved if isinstance(moved, int) and moved == 0 else where(maximum(modulus, 1) > moved, moved, 0)
    return 0


def constant_of(index: Index) -> int:
    """The constant term of a sum."""
    match index:
        case Const(value):
            return value
        case Sum(terms):
            return sum(t.value for t in terms if isinstance(t, Const))
    return 0


def flattened(indices: list[Index], shape: list[Value]) -> Index:
    """Row-major position."""
    terms = [scale(index, product(shape[d + 1 :])) for d, index in enumerate(indices)]
    return add(*terms)
