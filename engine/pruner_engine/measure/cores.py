"""Which logical CPUs run kernels and which build them: a build must not spoil the time of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cores:
    """Which CPUs run kernels and which build them.

    Attributes:
        runner, builders: logical CPUs of each; the same ones where there are too few for both.
        workers: builds at a time.
        overlap: whether builds may go on beside runs.
    """

    runner: list[int]
    builders: list[int]
    workers: int
    overlap: bool


def share_out(cores: Sequence[Sequence[int]], granted: int, threads: int) -> Cores:
    """CPUs for a runner of `threads` threads, and for builders beside it where enough are left.

    The threads of a kernel get a physical core each. A builder on the other hyperthread of such a core, or one that
    spends a container's share of time, slows the kernel: neither is done.

    Args:
        cores: the logical CPUs that may be used, by physical core.
        granted: as many as may be busy at a time: all, or what a container is allowed.
        threads: of the runner; 0 for one that needs no core of its own.
    """
    everything = sorted(cpu for core in cores for cpu in core)
    spare = sorted(cpu for core in cores[threads:] for cpu in core)
    workers = min(len(spare), granted - threads)
    if workers < 1:
        spare, workers = [], min(len(everything), granted)
    # one of each core first; with more threads than cores the others, too
    by_turn = [core[turn] for turn in range(max(map(len, cores))) for core in cores if turn < len(core)]
    return Cores(sorted(by_turn[:threads]) or everything, spare or everything, max(1, workers), bool(spare))
