"""What goes into a measurement and what comes out."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import tvm

from pruner_engine.caches import Caches

if TYPE_CHECKING:
    from pruner_engine.space.candidate import Candidate


@dataclass(frozen=True)
class MeasureInput:
    """A scheduled module (postprocs applied, layout-rewrite blocks still inside) with an identity."""

    key: str
    mod: tvm.IRModule


def inputs_of(candidates: Iterable[Candidate]) -> list[MeasureInput]:
    """Those of the candidates whose schedules are applied."""
    return [MeasureInput(c.hash, c.schedule.mod) for c in candidates if c.schedule is not None]


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How candidates are built, timed and checked.

    Attributes:
        build_workers: builds at a time; by default one for each core that they may use.
        build_timeout_s, run_timeout_s: limits of one candidate, from when it is really worked on; of a build also of
            what it computes, on however many cores.
        memory_bytes: what a candidate may use in its build, and in its run; by default half of the machine's.
        repeats: timed repeats of a contender; see timing.py.
        check: compare outputs with the untuned kernel's for all candidates, those that would be the best, or none.
        caches: what is in them when a kernel is called; see `Caches`.
    """

    build_workers: int | None = None
    build_timeout_s: float = 30.0
    run_timeout_s: float = 10.0
    memory_bytes: int | None = None
    repeats: int = 3
    check: Literal["best", "all", "none"] = "best"
    caches: Caches = "warm"


@dataclass(frozen=True, slots=True)
class MeasureResult:
    """Outcome of one trial.

    Attributes:
        key: of the input.
        stage: ok, or where it failed: build | load | run | check.
        error: "" | error | crash | timeout | memory | wrong.
        message: one sentence for people.
        log: tail of what the worker wrote on stderr.
        repeats: seconds a call, one value a repeat; empty when it failed.
        censored: abandoned after few calls, because it was clearly slower than the best so far.
        checked: the outputs were compared with the untuned kernel's.
        pace: fastest time of the yardstick beside it, of what the yardstick is said to take; 0: there was none.
        build_s, run_s: seconds of work in each stage (not queueing).
    """

    key: str
    stage: str
    error: str = ""
    message: str = ""
    log: str = ""
    repeats: tuple[float, ...] = field(default=())
    censored: bool = False
    checked: bool = False
    pace: float = 0.0
    build_s: float = 0.0
    run_s: float = 0.0

    @property
    def ok(self) -> bool:
        return self.stage == "ok"

    @property
    def seconds(self) -> float | None:
        """Median of the repeats, seconds a call."""
        return statistics.median(self.repeats) if self.repeats else None
