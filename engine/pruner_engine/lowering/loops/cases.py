"""Cases in what a block computes: which of several tensors an element comes from, or whether it is padding."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tvm.ir import Call, Expr, TensorLoad
from tvm.tirx import LE, LT, BufferStore, IntImm, Var

from pruner_engine.lowering.nodes import depends_on, loads_of, nodes_in


def cases_of(store: BufferStore) -> list[Call]:
    """The choices between two values, however deep in what is stored; for each a condition and the values."""
    return [call for call in nodes_in(store.value, Call) if is_case(call)]


def is_case(value: object) -> bool:
    """Whether an expression is a choice between two by a condition."""
    return isinstance(value, Call) and str(getattr(value.op, "name", "")).endswith(".if_then_else")


def chosen_along(store: BufferStore, variable: Var) -> bool:
    """Whether a case is chosen by the place along an axis: a vector might hold several."""
    return bool(_conditions_along(store, variable))


def run_along(store: BufferStore, variable: Var, extent: int) -> int:
    """How many elements along an axis, from each multiple of that number on, are of the same case: one or more.

    All of them where no case is chosen along it.
    """
    ends = [extent]
    for condition in _conditions_along(store, variable):
        limit = limit_of(condition)
        if limit is None or not limit[0].same_as(variable):
            return 1
        ends.append(limit[1])
    return math.gcd(*ends)


def _conditions_along(store: BufferStore, variable: Var) -> list[Expr]:
    conditions = [case.args[0] for case in cases_of(store)]
    return [one for one in conditions if depends_on(one, variable)]


def limit_of(condition: Expr) -> tuple[Expr, int, bool] | None:
    """What is held against a number, that, and whether it is true from there on; None where it has another form."""
    if isinstance(condition, LE) and isinstance(condition.a, IntImm):
        return condition.b, int(condition.a), True
    if isinstance(condition, LT) and isinstance(condition.b, IntImm):
        return condition.a, int(condition.b), False
    return None


def chosen_loads(store: BufferStore) -> Iterator[TensorLoad]:
    """What is read in one case or another; of nested cases more than once."""
    for case in cases_of(store):
        for value in case.args[1:]:
            yield from loads_of(value)
