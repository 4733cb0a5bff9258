"""Evaluates formulas for one row without compiling them, as quick answers to a person's edits need it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from pruner_engine.draft.formulas.columns import Column, Value, topological


def _divided(a: float, b: float) -> float:
    return a / b if b else math.inf if a else math.nan


# all of two operands, so that a step is one call
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divided,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "sqrt": lambda a, _: math.sqrt(a),
    "floor_div": lambda a, b: math.floor(a / b),
    "ceil_div": lambda a, b: math.ceil(a / b),
    "choices": lambda a, b: (b, a),
    "chosen": lambda choices, condition: choices[condition != 0],
    "lookup": lambda table, index: table[int(index)],
}


class Evaluation:
    """Formulas as a list of steps, each of which appends one value; called with a row it gives their values."""

    def __init__(self, outputs: Sequence[Value]) -> None:
        order = topological(outputs)
        rows = [node for node in order if node.op == "row"]
        self._decisions = [node.args[0] for node in rows]
        operands = (arg for node in order if node.op != "row" for arg in node.args)
        numbers = dict.fromkeys(v for v in (*operands, *outputs) if not isinstance(v, Column))
        self._constants: list[Any] = [None, *numbers]
        self._steps: list[tuple[Callable[[Any, Any], Any], int, int]] = []
        place: dict[Any, int] = {value: at for at, value in enumerate((None, *numbers, *rows))}
        free = len(place)
        for node in order:
            if node.op == "row":
                continue
            operation, (first, *others) = node.op, (place[arg] for arg in node.args)
            if operation == "where":
                self._steps.append((_OPS["choices"], *others))  # type: ignore[arg-type]
                operation, first, others, free = "chosen", free, [first], free + 1
            self._steps.append((_OPS[operation], first, others[0] if others else 0))
            place[node], free = free, free + 1
        self._outputs = [place[value] for value in outputs]

    def __call__(self, row: Sequence[int]) -> list[float]:
        values = [*self._constants, *[row[at] for at in self._decisions]]
        add = values.append
        for operation, a, b in self._steps:
            add(operation(values[a], values[b]))
        return [float(values[at]) for at in self._outputs]
