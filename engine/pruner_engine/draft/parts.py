"""What an analyzer makes of a nest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pruner_engine.draft.columns import Value


@dataclass(frozen=True)
class Parts:
    """A latency in parts.

    Attributes:
        symbols, penalties: of the statement that computes most, by name.
        times: seconds by component, over all statements; their sum is the latency.
        valid: 0 where the device's limits rule the row out.
    """

    symbols: dict[str, Value]
    penalties: dict[str, Value]
    times: dict[str, Value]
    valid: Value = 1


def add_up(values: Iterable[Value]) -> Value:
    total: Value = 0
    for value in values:
        total = total + value
    return total


def sum_by_name(every: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """Entry by entry the sum of mappings with equal keys."""
    first, *rest = every
    return {name: add_up([first[name], *(one[name] for one in rest)]) for name in first}
