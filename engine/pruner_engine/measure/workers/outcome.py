"""What builder and runner have answered about a candidate, and the result that this is."""

from __future__ import annotations

from typing import TypeAlias

from pruner_engine.measure.types import MeasureResult
from pruner_engine.measure.workers import wire

Outcome: TypeAlias = tuple[str, wire.Built, wire.Ran | None]
"""Key, build and run; there is no run if the build failed, or if nothing but builds was wanted."""


def result_of(outcome: Outcome) -> MeasureResult:
    """The result of a trial; one that was built only has no repeats."""
    key, built, ran = outcome
    if ran is None:
        stage = "ok" if built.kernel else "build"
        return MeasureResult(
            key=key, stage=stage, error=built.error, message=built.message, log=built.log, build_s=built.seconds
        )
    return MeasureResult(
        key=key,
        stage=ran.stage,
        error=ran.error,
        message=ran.message,
        log=ran.log,
        repeats=tuple(ran.repeats),
        censored=ran.censored,
        checked=ran.checked,
        pace=ran.pace,
        build_s=built.seconds,
        run_s=ran.seconds,
    )
