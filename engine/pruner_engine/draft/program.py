"""Formulas compiled once and evaluated for matrices of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from pruner_engine.draft.columns import Column, Value

_MEMORY = 1 << 20  # bytes of all registers, so that they stay in the L2 cache
_LEAST = 4096  # rows at a time: fewer, and the calls cost more than the arithmetic


def _minimum(a: Any, b: Any, out: np.ndarray) -> None:
    np.minimum(a, b, out=out)


def _maximum(a: Any, b: Any, out: np.ndarray) -> None:
    np.maximum(a, b, out=out)


def _floor_div(a: Any, b: Any, out: np.ndarray) -> None:
    np.divide(a, b, out)
    np.floor(out, out)


def _ceil_div(a: Any, b: Any, out: np.ndarray) -> None:
    np.divide(a, b, out)
    np.ceil(out, out)


def _where(condition: Any, a: Any, b: Any, out: np.ndarray) -> None:
    out[:] = np.where(condition != 0, a, b)


def _lookup(table: np.ndarray, index: Any, out: np.ndarray) -> None:
    np.take(table, index.astype(np.int64), out=out)


_OPS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": _minimum,
    "max": _maximum,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "sqrt": np.sqrt,
    "log2": np.log2,
    "floor_div": _floor_div,
    "ceil_div": _ceil_div,
    "where": _where,
    "lookup": _lookup,
}
# operands that die with the operation may lend their register to the result
_ELEMENTWISE = frozenset(("add", "sub", "mul", "div", "min", "max", "sqrt", "log2"))


class Program:
    """Formulas compiled to a straight line of array operations over few registers.

    Args:
        dtype: of the arithmetic. float32 takes half the time, its integers are exact below 2**24, not 2**53.

    Attributes:
        length: operations a row.
    """

    def __init__(self, outputs: Sequence[Value], dtype: type[np.floating[Any]] = np.float64) -> None:
        order = _topological(outputs)
        last = {arg: at for at, node in enumerate(order) for arg in node.args if isinstance(arg, Column)}
        last |= {value: len(order) for value in outputs if isinstance(value, Column)}
        self._dtype = np.dtype(dtype)
        # what operations read and write: numbers and tables, decisions, and registers in between
        self._slots: list[Any] = []
        self._decisions: list[tuple[int, int]] = []
        self._registers: list[int] = []
        self._steps: list[tuple[Callable[..., Any], Callable[[list[Any]], tuple[Any, ...]]]] = []
        place: dict[Any, int] = {}
        free: list[int] = []
        for at, node in enumerate(order):
            if node.op == "row":
                place[node] = self._slot(None)
                self._decisions.append((place[node], node.args[0]))
                continue
            operands = [self._operand(place, arg) for arg in node.args]
            dying = {place[a] for a in node.args if isinstance(a, Column) and a.op != "row" and last[a] == at}
            if node.op in _ELEMENTWISE:
                free += dying
            if not free:
                self._registers.append(self._slot(None))
                free.append(self._registers[-1])
            place[node] = free.pop()
            self._steps.append((_OPS[node.op], itemgetter(*operands, place[node])))
            if node.op not in _ELEMENTWISE:
                free += dying
        self._outputs = [self._operand(place, value) for value in outputs]
        self.length = len(order)

    def _slot(self, content: Any) -> int:
        self._slots.append(content)
        return len(self._slots) - 1

    def _operand(self, place: dict[Any, int], value: Any) -> int:
        if value not in place:
            place[value] = self._slot(np.asarray(value, self._dtype) if isinstance(value, tuple) else float(value))
        return place[value]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The formulas' values, float[outputs, n], of int32[n, width]."""
        results = np.empty((len(self._outputs), len(rows)), self._dtype)
        fitting = _MEMORY // (self._dtype.itemsize * max(1, len(self._registers)))
        chunk = max(1, min(max(_LEAST, fitting), len(rows)))
        memory = np.empty((len(self._registers), chunk), self._dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            for start in range(0, len(rows), chunk):
                part = rows[start : start + chunk].T.astype(self._dtype)
                self._run(part, memory[:, : part.shape[1]], results[:, start : start + chunk])
        return results

    def _run(self, columns: np.ndarray, memory: np.ndarray, results: np.ndarray) -> None:
        slots = list(self._slots)
        for slot, index in self._decisions:
            slots[slot] = columns[index]
        for slot, register in zip(self._registers, memory, strict=True):
            slots[slot] = register
        for operation, operands in self._steps:
            operation(*operands(slots))
        for result, slot in zip(results, self._outputs, strict=True):
            result[:] = slots[slot]


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
