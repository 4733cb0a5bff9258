"""The CPU core that the analyzer assumes: what each operation costs, in cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pruner_engine.targets.profile import DeviceProfile

LINE = 64  # bytes of a cache line
#: effects that an analysis may leave out, to learn what each is worth
ABLATIONS = ("lanes", "parallel", "registers", "chains", "loads", "loops", "caches")


@dataclass(frozen=True)
class Core:
    """A CPU core. Costs are cycles unless said otherwise; the defaults hold for wide cores of the last decade.

    Attributes:
        cores: of the CPU.
        lanes: float32 elements of a vector register.
        registers: vector registers.
        levels: for each cache level its name, the bytes of it that one core has, and seconds to fetch a byte from the
            level behind it.
        cycle: seconds.
        arithmetic, load, store: one vector operation.
        insert: an element into a vector, by the one unit that moves lanes.
        latency: from a multiply-add to the next that needs its result.
        reorder: operations that a core keeps in flight, so that later ones go on while one waits.
        spill, spill_each: added to a step by the first accumulator that is spilled to memory, and by each.
        special, division: an exponential; a division or a square root, for each element.
        loop, spatial_loop: an iteration of a loop around a reduction; of one without, which LLVM unrolls.
    """

    cores: int
    lanes: int
    registers: int
    levels: tuple[tuple[str, float, float], ...]
    cycle: float
    arithmetic: float = 0.5
    load: float = 0.5
    store: float = 1.0
    insert: float = 1.0
    latency: float = 4.0
    reorder: float = 400.0
    spill: float = 6.0
    spill_each: float = 1.7
    special: float = 10.0
    division: float = 0.25
    loop: float = 1.0
    spatial_loop: float = 0.3

    @classmethod
    def of(cls, profile: DeviceProfile) -> Core:
        caches = sorted(profile.caches, key=lambda c: c.level)
        behind = [c.bandwidth_core for c in caches[1:]] + [profile.dram_bandwidth_core]
        levels = tuple(
            (f"L{c.level}", c.bytes / max(1, min(c.shared_by, profile.cores)), 1.0 / b)
            for c, b in zip(caches, behind, strict=True)
        )
        cycle = 4.0 * profile.lanes / profile.peak_flops_core
        core = cls(profile.cores, profile.lanes, profile.vector_registers, levels, cycle)
        return replace(core, reorder=0.0) if profile.in_order else core

    def without(self, effect: str) -> Core:
        """The core as if `effect`, one of `ABLATIONS`, cost nothing."""
        free = tuple((name, capacity, 0.0) for name, capacity, _ in self.levels)
        changes: dict[str, Any] = {
            "lanes": {"lanes": 1},
            "parallel": {"cores": 1},
            "registers": {"spill": 0.0, "spill_each": 0.0},
            "chains": {"latency": 0.0},
            "loads": {"load": 0.0, "store": 0.0, "insert": 0.0},
            "loops": {"loop": 0.0, "spatial_loop": 0.0},
            "caches": {"levels": free},
        }
        return replace(self, **changes[effect])
