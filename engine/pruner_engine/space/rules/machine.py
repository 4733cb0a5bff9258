"""The vector unit that a rule writes for."""

from __future__ import annotations

from dataclasses import dataclass

from tvm.target import Target

from pruner_engine.targets.target import vector_bits_of


@dataclass(frozen=True)
class Machine:
    """A target's vector unit.

    Attributes:
        vector_bits: width of a register.
        least_lanes: a loop that allows only shorter vectors is not worth a rule.
    """

    vector_bits: int
    least_lanes: int = 4

    @staticmethod
    def of(target: Target) -> Machine:
        return Machine(vector_bits_of(target))
