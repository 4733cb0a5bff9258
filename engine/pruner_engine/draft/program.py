"""Formulas compiled once and evaluated for matrices of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from pruner_engine.draft.columns import Column, Value, topological
from pruner_engine.draft.masks import MASKS, with_masks

_MEMORY = 1 << 20  # bytes of all registers, so that they stay in the L2 cache
_LEAST = 4096  # rows at a time: fewer, and the calls cost more than the arithmetic


def _minimum(a: Any, b: Any, out: np.ndarray) -> None:
    np.minimum(a, b, out=out)


def _maximum(a: Any, b: Any, out: np.ndarray) -> None:
    np.maximum(a, b, out=out)


def _lookup(table: np.ndarray, index: Any, out: np.ndarray) -> None:
    np.take(table, index.astype(np.int64), out=out, mode="clip")  # which writes to `out` itself


def _masking(compare: np.ufunc) -> Callable[..., None]:
    def operation(a: Any, b: Any, out: np.ndarray) -> None:
        # bytes are compared and negated many at a time, then widened
        found = compare(a, b).view(np.int8)
        np.negative(found, found)
        out[...] = found

    return operation


def _mask_any(a: Any, out: np.ndarray) -> None:
    _mask_differs(a, 0.0, out)


_mask_differs = _masking(np.not_equal)


def _unless(condition: np.ndarray, b: Any, out: np.ndarray) -> None:
    np.invert(condition, out)
    np.bitwise_and(out, b, out)


def _choose(condition: np.ndarray, a: Any, b: Any, out: np.ndarray) -> None:
    np.bitwise_xor(a, b, out)
    np.bitwise_and(out, condition, out)
    np.bitwise_xor(out, b, out)


_OPS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": _minimum,
    "max": _maximum,
    "sqrt": np.sqrt,
    "log2": np.log2,
    "floor": np.floor,
    "ceil": np.ceil,
    "lookup": _lookup,
    "mask_gt": _masking(np.greater),
    "mask_ge": _masking(np.greater_equal),
    "mask_eq": _masking(np.equal),
    "mask_any": _mask_any,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "when": np.bitwise_and,
    "unless": _unless,
    "unless_mask": _unless,
    "choose": _choose,
    "choose_mask": _choose,
    "number": np.bitwise_and,
}
# operations on the bits of numbers and masks
_BITS = frozenset(("and", "or", "when", "unless", "unless_mask", "choose", "choose_mask", "number"))
# operands that die with the operation may not lend their register to the result, which is written before they are read
_EARLY = frozenset(("unless", "unless_mask", "choose", "choose_mask"))
_LEAVES = frozenset(("row", "constant"))


class Program:
    """Formulas compiled to a straight line of array operations over few registers.

    Args:
        dtype: of the arithmetic. float32 takes half the time, its integers are exact below 2**24, not 2**53.

    Attributes:
        length: array operations of one evaluation.
    """

    def __init__(self, outputs: Sequence[Value], dtype: type[np.floating[Any]] = np.float64) -> None:
        outputs = with_masks(outputs)
        order = topological(outputs)
        last = {arg: at for at, node in enumerate(order) for arg in node.args if isinstance(arg, Column)}
        last |= {value: len(order) for value in outputs if isinstance(value, Column)}
        self._dtype = np.dtype(dtype)
        self._bits = np.dtype(f"i{self._dtype.itemsize}")
        # what operations read and write, each as a number and behind it as bits: constants, decisions, and registers
        self._slots: list[Any] = []
        self._decisions: list[tuple[int, int]] = []
        self._registers: list[int] = []
        self._steps: list[tuple[Callable[..., Any], Callable[[list[Any]], tuple[Any, ...]]]] = []
        place: dict[Any, int] = {}
        free: list[int] = []
        one = self._slot(np.asarray(1.0, self._dtype))
        for at, node in enumerate(order):
            if node.op in _LEAVES:
                place[node] = self._leaf(node)
                continue
            bits = int(node.op in _BITS)
            operands = [self._operand(place, arg) + bits for arg in node.args]
            if node.op == "number":
                operands.append(one + bits)
            dying = {place[a] for a in node.args if isinstance(a, Column) and a.op not in _LEAVES and last[a] == at}
            if node.op not in _EARLY:
                free += dying
            if not free:
                self._registers.append(self._slot(None))
                free.append(self._registers[-1])
            place[node] = free.pop()
            result = place[node] + int(bits or node.op in MASKS)
            self._steps.append((_OPS[node.op], itemgetter(*operands, result)))
            if node.op in _EARLY:
                free += dying
        self._outputs = [self._operand(place, value) for value in outputs]
        self.length = len(self._steps)

    def _leaf(self, node: Column) -> int:
        if node.op == "constant":
            return self._slot(np.asarray(-int(node.args[0]), self._bits).view(self._dtype))
        slot = self._slot(None)
        self._decisions.append((slot, node.args[0]))
        return slot

    def _slot(self, content: np.ndarray | None) -> int:
        self._slots += [content, None if content is None else content.view(self._bits)]
        return len(self._slots) - 2

    def _operand(self, place: dict[Any, int], value: Any) -> int:
        if value not in place:
            place[value] = self._slot(np.asarray(value, self._dtype))
        return place[value]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The formulas' values, float[outputs, n], of int32[n, width]."""
        results = np.empty((len(self._outputs), len(rows)), self._dtype)
        fitting = _MEMORY // (self._dtype.itemsize * max(1, len(self._registers)))
        chunk = max(1, min(max(_LEAST, fitting), len(rows)))
        memory = np.empty((len(self._registers), chunk), self._dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            for start in range(0, len(rows), chunk):
                part = rows[start : start + chunk].T.astype(self._dtype, order="C")
                self._run(part, memory[:, : part.shape[1]], results[:, start : start + chunk])
        return results

    def _run(self, columns: np.ndarray, memory: np.ndarray, results: np.ndarray) -> None:
        slots = list(self._slots)
        for slot, index in self._decisions:
            slots[slot : slot + 2] = columns[index], columns[index].view(self._bits)
        for slot, register in zip(self._registers, memory, strict=True):
            slots[slot : slot + 2] = register, register.view(self._bits)
        for operation, operands in self._steps:
            operation(*operands(slots))
        for result, slot in zip(results, self._outputs, strict=True):
            result[:] = slots[slot]
