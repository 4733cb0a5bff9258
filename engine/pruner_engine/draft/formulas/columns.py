"""Formulas over the decisions of a row, built by plain arithmetic; `program` evaluates them for matrices of rows.

A `Value` is a plain number or a formula, a `Column`. Operations on plain numbers are folded, and equal formulas are one
object. All values are non-negative.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeAlias
from weakref import WeakValueDictionary


class Column:
    """A formula; its operators build further formulas. Compared by identity: equal formulas are one object."""

    __slots__ = ("__weakref__", "args", "op")

    _known: ClassVar[WeakValueDictionary[tuple[Any, ...], Column]] = WeakValueDictionary()

    op: str
    args: tuple[Any, ...]

    def __new__(cls, op: str, *args: Any) -> Column:
        found = cls._known.get((op, *args))
        if found is None:
            found = super().__new__(cls)
            found.op, found.args = op, args
            cls._known[(op, *args)] = found
        return found

    def __add__(self, other: Value) -> Value:
        return self if other == 0 else _sorted("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Value) -> Value:
        return self if other == 0 else 0 if other is self else Column("sub", self, other)

    def __rsub__(self, other: Value) -> Value:
        return Column("sub", other, self)

    def __mul__(self, other: Value) -> Value:
        return 0 if other == 0 else self if other == 1 else _sorted("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Value:
        return self if other == 1 else 1 if other is self else Column("div", self, other)

    def __rtruediv__(self, other: Value) -> Value:
        return 0 if other == 0 else Column("div", other, self)

    def __gt__(self, other: Value) -> Value:
        return Column("gt", self, other)

    def __ge__(self, other: Value) -> Value:
        return Column("ge", self, other)

    def __lt__(self, other: Value) -> Value:
        return Column("gt", other, self)

    def __le__(self, other: Value) -> Value:
        return Column("ge", other, self)


Value: TypeAlias = int | float | Column


def _sorted(op: str, a: Value, b: Value) -> Column:
    """A commutative operation, its operands in one order, so that equal ones are found equal."""
    swap = not isinstance(b, Column) or (isinstance(a, Column) and id(b) < id(a))
    return Column(op, b, a) if swap else Column(op, a, b)


def column(index: int) -> Column:
    """A decision: an integer of the row."""
    return Column("row", index)


def lookup(table: Sequence[float], index: Value) -> Value:
    """`table[index]`."""
    return Column("lookup", tuple(table), index) if isinstance(index, Column) else table[int(index)]


def floor_div(a: Value, b: Value) -> Value:
    """a / b, rounded down."""
    if isinstance(a, Column) or isinstance(b, Column):
        if b == 1:
            return a
        return 1 if a is b else 0 if a == 0 else Column("floor_div", a, b)
    return a // b


def ceil_div(a: Value, b: Value) -> Value:
    """a / b, rounded up."""
    if isinstance(a, Column) or isinstance(b, Column):
        if b == 1:
            return a
        return 1 if a is b else Column("ceil_div", a, b)
    return -(-a // b)


def minimum(a: Value, b: Value) -> Value:
    if isinstance(a, Column) or isinstance(b, Column):
        return a if a is b else _sorted("min", *_columns_first(a, b))
    return min(a, b)


def maximum(a: Value, b: Value) -> Value:
    if isinstance(a, Column) or isinstance(b, Column):
        return a if a is b else _sorted("max", *_columns_first(a, b))
    return max(a, b)


def where(condition: Value, a: Value, b: Value) -> Value:
    """`a` where the condition is not zero, else `b`."""
    if not isinstance(condition, Column):
        return a if condition else b
    same = a is b if isinstance(a, Column) or isinstance(b, Column) else a == b
    return a if same else Column("where", condition, a, b)


def equal(a: Value, b: Value) -> Value:
    """1 where equal, else 0."""
    if a is b:
        return 1
    if isinstance(a, Column) or isinstance(b, Column):
        return _sorted("eq", *_columns_first(a, b))
    return int(a == b)


def divides(divisor: Value, a: Value) -> Value:
    """1 where `a` is a multiple of the divisor, else 0."""
    return equal(floor_div(a, divisor) * divisor, a)


def square_root(a: Value) -> Value:
    return Column("sqrt", a) if isinstance(a, Column) else math.sqrt(a)


def all_of(conditions: Iterable[Value]) -> Value:
    """1 where all conditions hold, else 0."""
    return product(conditions)


def any_of(conditions: Iterable[Value]) -> Value:
    """1 where a condition holds, else 0."""
    found: Value = 0
    for condition in conditions:
        found = maximum(found, condition)
    return found


def product(values: Iterable[Value]) -> Value:
    """The product of the values; 1 without any."""
    result: Value = 1
    for value in values:
        result = result * value
    return result


def add_up(values: Iterable[Value]) -> Value:
    """The sum of the values; 0 without any."""
    total: Value = 0
    for value in values:
        total = total + value
    return total


def topological(outputs: Sequence[Value]) -> list[Column]:
    """All formulas in the outputs, operands first."""
    order: dict[Column, None] = {}
    stack: list[tuple[Column, bool]] = [(v, False) for v in reversed(outputs) if isinstance(v, Column)]
    while stack:
        node, ready = stack.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
            continue
        stack.append((node, True))
        stack += [(a, False) for a in node.args if isinstance(a, Column) and a not in order]
    return list(order)


def _columns_first(a: Value, b: Value) -> tuple[Column, Value]:
    return (a, b) if isinstance(a, Column) else (b, a)  # type: ignore[return-value]
