"""The command `pruner`."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from pruner_engine import __version__
from pruner_engine.cli.adaptation import adaptation
from pruner_engine.cli.bench import bench
from pruner_engine.cli.boards import boards
from pruner_engine.cli.candidates import candidates
from pruner_engine.cli.collect import collect
from pruner_engine.cli.compare import compare
from pruner_engine.cli.decisions import decisions
from pruner_engine.cli.doctor import doctor
from pruner_engine.cli.export import export
from pruner_engine.cli.fleet import serve, tracker
from pruner_engine.cli.group import Commands
from pruner_engine.cli.inspect import inspect
from pruner_engine.cli.output import take_all
from pruner_engine.cli.profile import profile
from pruner_engine.cli.progress import EngineBug
from pruner_engine.cli.records import records
from pruner_engine.cli.report import report
from pruner_engine.cli.rounds import rounds
from pruner_engine.cli.signals import ended_as_by_interrupt
from pruner_engine.cli.status import status
from pruner_engine.cli.steer import steer
from pruner_engine.cli.targets import targets
from pruner_engine.cli.tasks import tasks
from pruner_engine.cli.train import train
from pruner_engine.cli.try_ import try_
from pruner_engine.cli.tune import resume, tune
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.plugins import told_of


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="pruner")
def cli() -> None:
    """Tune neural networks for fast kernels, look at the schedules, export the tuned library."""


for _command in (
    tune, resume, status, tasks, candidates, rounds, adaptation, compare, inspect, decisions, try_, steer, export,
    report, records, boards, tracker, serve, collect, train, bench, doctor, targets, profile,
):  # fmt: skip
    cli.add_command(_command)


def main() -> None:
    """Entry point; docs/terminal.md lists the exit codes."""
    take_all()
    try:
        with ended_as_by_interrupt():
            cli()
    except StoppedError as error:
        _end(f"pruner: {error}", 3)
    except UserError as error:
        _end(f"pruner: {error}", 1)
    except EngineBug as error:
        _end(f"pruner: {error}", 70)
    except Exception as error:
        if (said := told_of(error)) is not None:
            _end(f"pruner: {said}", 1)
        from pruner_engine.diagnostics.bug_report import WHAT_TO_DO, bug_report

        what = f"pruner met an error of its own: {type(error).__name__}. {WHAT_TO_DO}"
        _end(f"{what}\n\n{bug_report(error)}", 70)


def _end(said: str, code: int) -> NoReturn:
    click.echo(said, err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
