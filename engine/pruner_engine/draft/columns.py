"""Arithmetic on columns: formulas over the decisions of a row, compiled once and evaluated for matrices of rows.

A `Value` is a plain number or a `Column`; operations on plain numbers fold, equal columns are one object. All values
are non-negative and integers are exact below 2**53.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias
from weakref import WeakValueDictionary

import numpy as np


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
    if isinstance(a, Column) or isinstance(b, Column):
        if b == 1:
            return a
        return 1 if a is b else 0 if a == 0 else Column("floor_div", a, b)
    return a // b


def ceil_div(a: Value, b: Value) -> Value:
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


def power(a: Value, exponent: float) -> Value:
    return Column("pow", a, exponent) if isinstance(a, Column) else float(a) ** exponent


def log2(a: Value) -> Value:
    return Column("log2", a) if isinstance(a, Column) else math.log2(a)


def product(values: Iterable[Value]) -> Value:
    result: Value = 1
    for value in values:
        result = result * value
    return result


def _columns_first(a: Value, b: Value) -> tuple[Column, Value]:
    return (a, b) if isinstance(a, Column) else (b, a)  # type: ignore[return-value]


# ------------------------------------------------------------ evaluation

_CHUNK = 4096  # rows at a time: some hundred registers of this length stay in the L2 cache


def _floor_div(a: Any, b: Any, out: np.ndarray) -> None:
    np.divide(a, b, out=out)
    np.floor(out, out=out)


def _ceil_div(a: Any, b: Any, out: np.ndarray) -> None:
    np.divide(a, b, out=out)
    np.ceil(out, out=out)


def _where(condition: Any, a: Any, b: Any, out: np.ndarray) -> None:
    np.copyto(out, np.where(condition != 0, a, b))


_OPS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "pow": np.power,
    "log2": np.log2,
    "floor_div": _floor_div,
    "ceil_div": _ceil_div,
    "where": _where,
}
# operands that die with the operation may lend their register to the result
_ELEMENTWISE = frozenset(("add", "sub", "mul", "div", "min", "max", "pow", "log2"))


class Program:
    """Formulas compiled to a straight line of array operations over few registers.

    Attributes:
        length: operations a row.
    """

    def __init__(self, outputs: Sequence[Value]) -> None:
        order = _topological(outputs)
        last = {node: -1 for node in order}
        for at, node in enumerate(order):
            for arg in node.args:
                if isinstance(arg, Column):
                    last[arg] = at
        for value in outputs:
            if isinstance(value, Column):
                last[value] = len(order)
        self._steps: list[tuple[str, int, tuple[tuple[bool, Any], ...]]] = []
        register: dict[Column, int] = {}
        free: list[int] = []
        used = 0
        for at, node in enumerate(order):
            dying = [a for a in {x for x in node.args if isinstance(x, Column)} if last[a] == at]
            if node.op in _ELEMENTWISE:
                free += [register[a] for a in dying]
            if free:
                mine = free.pop()
            else:
                mine, used = used, used + 1
            operands = tuple((True, register[a]) if isinstance(a, Column) else (False, a) for a in node.args)
            self._steps.append((node.op, mine, operands))
            if node.op not in _ELEMENTWISE:
                free += [register[a] for a in dying]
            register[node] = mine
        self._registers = used
        self._outputs: list[tuple[bool, Any]] = [
            (True, register[v]) if isinstance(v, Column) else (False, v) for v in outputs
        ]
        self.length = len(order)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The formulas' values, float64[outputs, n], of int32[n, width]."""
        results = np.empty((len(self._outputs), len(rows)))
        memory = np.empty((self._registers, min(_CHUNK, len(rows))))
        with np.errstate(divide="ignore", invalid="ignore"):
            for start in range(0, len(rows), _CHUNK):
                part = rows[start : start + _CHUNK].T.astype(np.float64)
                self._run(part, memory[:, : part.shape[1]], results[:, start : start + _CHUNK])
        return results

    def _run(self, columns: np.ndarray, memory: np.ndarray, results: np.ndarray) -> None:
        registers = list(memory)
        for op, mine, operands in self._steps:
            out = registers[mine]
            if op == "row":
                out[:] = columns[operands[0][1]]
            elif op == "lookup":
                (_, table), (_, index) = operands
                np.take(np.asarray(table, dtype=np.float64), registers[index].astype(np.int64), out=out)
            else:
                _OPS[op](*(registers[a] if is_register else a for is_register, a in operands), out=out)
        for result, (is_register, value) in zip(results, self._outputs, strict=True):
            result[:] = registers[value] if is_register else value


def _topological(outputs: Sequence[Value]) -> list[Column]:
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
