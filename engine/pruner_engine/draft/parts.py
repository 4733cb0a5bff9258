"""A predicted latency in parts: the symbols, penalties and times of each statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pruner_engine.draft.formulas.columns import Value, add_up
from pruner_engine.draft.nests.nest import Block, heaviness


@dataclass(frozen=True)
class Statement:
    """The cost of one block, as formulas.

    Attributes:
        symbols, penalties: see `Explanation`.
        times: seconds by component.
    """

    block: Block
    symbols: dict[str, Value]
    penalties: dict[str, Value]
    times: dict[str, Value]


@dataclass(frozen=True)
class Parts:
    """A latency in parts.

    Attributes:
        statements: one a block, in the order of the nest.
        launches: seconds by component to start the kernels or threads that the statements share.
        valid: 0 where the device's limits rule the row out, or TVM cannot build it.
    """

    statements: Sequence[Statement]
    launches: Mapping[str, Value]
    valid: Value = 1

    @cached_property
    def times(self) -> dict[str, Value]:
        """Seconds by component, over all statements; their sum is the latency."""
        total = {name: add_up(one.times[name] for one in self.statements) for name in self.statements[0].times}
        return total | {name: total.get(name, 0) + seconds for name, seconds in self.launches.items()}

    @property
    def symbols(self) -> dict[str, Value]:
        """Of the statement that computes most."""
        return self._heaviest.symbols

    @property
    def penalties(self) -> dict[str, Value]:
        """Of the statement that computes most."""
        return self._heaviest.penalties

    @cached_property
    def _heaviest(self) -> Statement:
        return max(self.statements, key=lambda one: heaviness(one.block))
