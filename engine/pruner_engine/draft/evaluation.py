"""Formulas evaluated for one row, without compiling them: the answer to a slider, not to a search."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from pruner_engine.draft.columns import Value, topological


def _divided(a: float, b: float) -> float:
    return a / b if b else math.inf if a else math.nan


_OPS: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divided,
    "min": min,
    "max": max,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "floor_div": lambda a, b: math.floor(a / b),
    "ceil_div": lambda a, b: math.ceil(a / b),
    "where": lambda condition, a, b: a if condition else b,
    "lookup": lambda table, index: table[int(index)],
}


class Evaluation:
    """Formulas, ready to be evaluated for one row after the other."""

    def __init__(self, outputs: Sequence[Value]) -> None:
        self._outputs = outputs
        self._order = topological(outputs)

    def __call__(self, row: Sequence[int]) -> list[float]:
        values: dict[Any, float] = {}
        get = values.get
        for node in self._order:
            op, args = node.op, node.args
            values[node] = row[args[0]] if op == "row" else _OPS[op](*[get(a, a) for a in args])
        return [float(get(value, value)) for value in self._outputs]  # type: ignore[arg-type]
