"""The vector unit that a rule writes for."""

from __future__ import annotations

from dataclasses import dataclass

from tvm.target import Target, codegen


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
        return Machine(int(codegen.llvm_get_vector_width(target)))
