"""What goes into a measurement and what comes out."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

import tvm


@dataclass(frozen=True)
class MeasureInput:
    """A scheduled module (postprocs applied, layout-rewrite blocks still inside) with an identity."""

    key: str
    mod: tvm.IRModule


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
