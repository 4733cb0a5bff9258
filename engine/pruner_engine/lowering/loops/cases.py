"""Cases in what a block computes: which of several tensors an element comes from, or whether it is padding."""

from __future__ import annotations

from collections.abc import Iterator

from tvm.ir import Call, TensorLoad
from tvm.tirx import BufferStore, Var
from tvm.tirx.analysis import undefined_vars

from pruner_engine.lowering.nodes import loads_of, nodes_in


def cases_of(store: BufferStore) -> list[Call]:
    """The choices between two values, however deep in what is stored; for each a condition and the values."""
    return [call for call in nodes_in(store.value, Call) if is_case(call)]


def is_case(value: object) -> bool:
    """Whether an expression is a choice between two by a condition."""
    return isinstance(value, Call) and str(getattr(value.op, "name", "")).endswith(".if_then_else")


def chosen_along(store: BufferStore, variable: Var) -> bool:
    """Whether a case is chosen by the place along an axis: a vector might hold several."""
    conditions = (case.args[0] for case in cases_of(store))
    return any(variable.same_as(used) for condition in conditions for used in undefined_vars(condition))


def chosen_loads(store: BufferStore) -> Iterator[TensorLoad]:
    """What is read in one case or another; of nested cases more than once."""
    for case in cases_of(store):
        for value in case.args[1:]:
            yield from loads_of(value)
