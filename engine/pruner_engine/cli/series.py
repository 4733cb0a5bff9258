"""Carry out many runs, one after the other, as `bench search` and `collect` do."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence

from pruner_engine.benchmarks.series import SeriesStopped, WantedRun
from pruner_engine.cli.output import console
from pruner_engine.cli.progress import EngineBug, carry_out
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.protocol import RunFinished
from pruner_engine.units import counted

_AGAIN = "The same command tries them again."


@contextlib.contextmanager
def goes_on() -> Iterator[None]:
    """Say of ^C in a command that keeps what it has done so far that it may be called again for the rest."""
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError("It was stopped.", "The same command goes on from there.") from None


def run_all(wanted: Sequence[WantedRun], *, quiet: bool) -> list[str]:
    """Carry out all runs, the others too after one has failed; returns a sentence for each failure.

    Raises:
        UserError: every run failed.
    """
    out = console(err=True, quiet=quiet)
    failed: list[str] = []
    for place, run in enumerate(wanted, 1):
        title = f"{place}/{len(wanted)} · {run.title}"
        out.print(title, soft_wrap=True)
        try:
            run.carry_out(lambda command: carry_out(command, RunFinished, quiet=quiet))
        except (SeriesStopped, StoppedError):  # the second by a second ^C, which does not wait for the run's end
            out.print("Go on: the same command again")
            sys.exit(3)
        except (UserError, EngineBug) as error:
            failed.append(f"{title}: {error}")
            out.print(str(error), style="red", soft_wrap=True)
    if failed and len(failed) == len(wanted):
        raise UserError(f"Every run failed; the first: {failed[0]}", _AGAIN)
    return failed


def refuse_failed(failed: Sequence[str]) -> None:
    """Say which runs failed, once the results of the others are written.

    Raises:
        UserError: some runs failed.
    """
    if failed:
        raise UserError(
            f"{counted(len(failed), 'run')} failed{'; the first' if failed[1:] else ''}: {failed[0]}", _AGAIN
        )
