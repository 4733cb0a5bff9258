"""The machine that a rule writes for."""

from __future__ import annotations

from dataclasses import dataclass

from tvm.target import Target

from pruner_engine.targets.profiling import known_profile
from pruner_engine.targets.target import vector_bits_of

_GPU_LOAD_BITS = 128  # that a thread of a GPU loads at once


@dataclass(frozen=True)
class Machine:
    """What rules know of a machine.

    Attributes:
        target: what the kernels are compiled for.
        vector_bits: width of a vector register; of a GPU, of a thread's widest load.
        least_lanes: a loop that allows only shorter vectors is not worth a rule.
        processors: multiprocessors of a GPU.
    """

    target: Target
    vector_bits: int
    least_lanes: int = 4
    processors: int = 1

    @staticmethod
    def of(target: Target) -> Machine:
        if target.kind.name == "cuda":
            return Machine(target, _GPU_LOAD_BITS, processors=known_profile(target).profile.cores)
        return Machine(target, vector_bits_of(target))
