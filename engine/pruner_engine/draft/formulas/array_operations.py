"""The array operations that formulas are evaluated by: numpy's, and those on the bits of numbers and masks.

Each takes the operands of its formula, then the array that its result is written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


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


#: by the operation of a `Column`, conditions being masks
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": _minimum,
    "max": _maximum,
    "sqrt": np.sqrt,
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

#: operations on the bits of numbers and masks
ON_BITS = frozenset(("and", "or", "when", "unless", "unless_mask", "choose", "choose_mask", "number"))
#: operations that write to their result while they still need an operand: the two must not share memory
WRITES_EARLY = frozenset(("unless", "unless_mask", "choose", "choose_mask"))
