"""The machine that a rule writes for."""

from __future__ import annotations

from dataclasses import dataclass

from tvm.target import Target

from pruner_engine.targets.target import vector_bits_of

_GPU_LOAD_BITS = 128  # that a thread of a GPU loads at once


@dataclass(frozen=True)
class Machine:
    """What rules know of a machine.

    Attributes:
        target: what the kernels are compiled for.
        vector_bits: width of a vector register; of a GPU, of a thread's widest load.
        least_lanes: a loop that allows only shorter vectors is not worth a rule.
    """

    target: Target
    vector_bits: int
    least_lanes: int = 4

    @staticmethod
    def of(target: Target) -> Machine:
        return Machine(target, _GPU_LOAD_BITS if target.kind.name == "cuda" else vector_bits_of(target))
