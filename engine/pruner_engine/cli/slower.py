"""What the terminal says and asks about a tuned model that is slower than something else."""

from __future__ import annotations

import sys

import click

from pruner_engine.errors import StoppedError
from pruner_engine.library_names import called
from pruner_engine.store.figures.slower import Slower
from pruner_engine.units import latency, percent


def told_slower(found: Slower) -> str:
    """A sentence that tells what is faster, by how much, and what to do."""
    than = ", ".join(
        f"{called(name)} ({latency(s)}) by {percent(found.seconds / s - 1)}" for name, s in found.than.items()
    )
    how = "measured" if found.measured else "estimated"
    remedy = f" Tune it longer, above all {', '.join(found.tasks)}." if found.tasks else " Tune it longer."
    return f"The tuned model ({latency(found.seconds)}, {how}) is slower than {than}.{remedy}"


def ask_first(found: Slower) -> None:
    """Ask whether to export all the same; where nobody can answer it is said, and that is all.

    Raises:
        StoppedError: the answer is no.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        click.echo(f"{told_slower(found)} It is exported all the same.", err=True)
        return
    click.echo(told_slower(found), err=True)
    try:
        if click.confirm("Export it all the same?", err=True):
            return
    except click.Abort:
        click.echo(err=True)
    raise StoppedError("Nothing was exported.", "Go on with `pruner resume` and more --trials, or export with --yes.")
