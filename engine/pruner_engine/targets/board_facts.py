"""What a board tells of itself; needs no TVM."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pruner_engine.targets.cpu import vector_bits
from pruner_engine.targets.device import COMMON_CACHES, Cache, Device, architecture, fingerprint


@dataclass(frozen=True)
class BoardFacts:
    """What a board tells of itself.

    Attributes:
        key: what it registered as.
        triple: LLVM's name of its architecture and system; empty where its TVM has no compiler to ask.
        mcpu: LLVM's name of its processor; empty likewise.
        cores: that kernels run on there: of a processor of large and small cores the large ones.
        features: those of `ARM_FEATURES` that its system lends; None where nobody tells.
        caches: of one of these cores; none where the system does not tell.
        clock_hz: highest clock of these cores, 0 where the system does not tell.
    """

    key: str
    triple: str = ""
    mcpu: str = ""
    cores: int = 1
    features: tuple[str, ...] | None = None
    caches: tuple[Cache, ...] = ()
    clock_hz: float = 0.0

    @property
    def arch(self) -> str:
        """Its architecture as Linux calls it; empty where it is not known."""
        return architecture(self.triple)

    @property
    def device(self) -> Device:
        """The board as a device that is elsewhere."""
        features = self.features or ()
        return Device(
            kind="cpu",
            name=f"boards of {self.key}",
            fingerprint=fingerprint("board", msgspec.to_builtins(self)),
            arch=self.arch,
            cores=self.cores,
            threads=self.cores,
            vector_bits=vector_bits(features),
            caches=self.caches or COMMON_CACHES,
            features=features,
            clock_hz=self.clock_hz,
        )
