"""What builder and runner have answered about a candidate, and the result that this is."""

from __future__ import annotations

from typing import NamedTuple

from pruner_engine.measure.types import MeasureResult
from pruner_engine.measure.workers import wire


class Outcome(NamedTuple):
    """Key, build and run of a candidate; no run if the build failed, or if nothing but builds was wanted."""

    key: str
    built: wire.Built
    ran: wire.Ran | None

    @property
    def result(self) -> MeasureResult:
        """The result of a trial; one that was built only has no repeats."""
        built, ran = self.built, self.ran
        if ran is None:
            stage = "ok" if built.kernel else "build"
            return MeasureResult(
                key=self.key,
                stage=stage,
                error=built.error,
                message=built.message,
                log=built.log,
                build_s=built.seconds,
            )
        return MeasureResult(
            key=self.key,
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
