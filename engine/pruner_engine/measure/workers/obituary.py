"""The result of a build or run whose worker died before it could answer."""

from __future__ import annotations

from pruner_engine.measure.workers import process, wire


def obituary(job: wire.Build | wire.Run, seconds: float, limit_s: float | None, status: int, log: str) -> wire.Message:
    """The failed result, with what ended the worker as its message.

    Args:
        job: what the worker was doing, for so many `seconds`.
        limit_s: the limit for which it was ended; None if it ended by itself.
        status: as `os.waitpid` gives it.
        log: what it wrote on stderr.
    """
    what = "The build" if isinstance(job, wire.Build) else "The run"
    if limit_s is not None:
        error, message = "timeout", f"{what} was ended after {round(limit_s, 2):g} s."
    else:
        error, message = process.failure_of(what, status, log)
    if isinstance(job, wire.Build):
        return wire.Built(id=job.id, seconds=seconds, error=error, message=message, log=log)
    return wire.Ran(id=job.id, seconds=seconds, stage="run", error=error, message=message, log=log)
