"""`pruner collect`: a data set of measurements."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pruner_engine.benchmarks.workloads import Subject, subjects_of
from pruner_engine.cli.loading import load_tvm_and_plugins
from pruner_engine.cli.options import (
    OutputFile,
    WholeType,
    json_option,
    lists_option,
    plugin_option,
    seed_option,
    setting_option,
)
from pruner_engine.cli.output import print_json, progress_line
from pruner_engine.cli.series import goes_on, refuse_failed, run_all
from pruner_engine.errors import UserError
from pruner_engine.replacing import TENSORS
from pruner_engine.units import counted

if TYPE_CHECKING:
    from pruner_engine.verify.dataset import DataSet


@click.command()
@click.argument("models", nargs=-1)
@lists_option
@click.option(
    "--target", "targets", multiple=True, default=["auto"], show_default=True, help="Repeat it to measure on several."
)
@click.option("--trials-per-task", type=WholeType(2), default=128, show_default=True, help="Half of them are random.")
@seed_option
@setting_option
@plugin_option
@click.option("--project", type=OutputFile(), required=True, help="Project file that keeps the measurements.")
@click.option("--out", type=OutputFile(TENSORS), required=True, help="Data set to write (.safetensors).")
@json_option
@goes_on()
def collect(
    models: tuple[str, ...], lists: tuple[Path, ...], project: Path, out: Path, as_json: bool, **options: Any
) -> None:
    """Measure random and searched candidates of MODELS and write them with their features as one data set.

    Called again it goes on where it was interrupted, and adds what is new.
    """
    if out.resolve() == project.resolve():
        raise UserError(f"{out} is the project, and would be lost.", "Name another file for the data set.")
    data, failed = _collect(subjects_of(models, lists), project, out, quiet=as_json, **options)
    told = {
        "out": str(out.absolute()),
        "project": str(project.absolute()),
        "tasks": len(data.records),
        "samples": len(data),
        "targets": sorted({record.target for record in data.records.values()}),
        "errors": failed,
    }
    if as_json:
        print_json(told)
    else:
        click.echo(f"written: {counted(len(data), 'measurement')} of {counted(len(data.records), 'task')} in {out}")
        click.echo(f"Next: pruner train {shlex.quote(str(out))} --out MODEL.safetensors")
    refuse_failed(failed)


def _collect(
    subjects: list[Subject],
    project: Path,
    out: Path,
    *,
    targets: tuple[str, ...],
    trials_per_task: int,
    seed: int,
    settings: tuple[tuple[str, Any], ...],
    plugins: tuple[str, ...],
    quiet: bool,
) -> tuple[DataSet, list[str]]:
    """The data set as it is written now, and what failed."""
    with progress_line(quiet=quiet):
        load_tvm_and_plugins(plugins)
        from pruner_engine.benchmarks import collection
    wanted = collection.wanted_runs(
        project,
        subjects,
        targets,
        trials_per_task=trials_per_task,
        seed=seed,
        settings=dict(settings),
        plugins=plugins,
    )
    failed = run_all(wanted, quiet=quiet)
    with progress_line(quiet=quiet) as tell:
        return _write(project, out, tell), failed


def _write(project: Path, out: Path, tell: Callable[[str], None]) -> DataSet:
    from pruner_engine.benchmarks.collection import featurise
    from pruner_engine.store.project import Project
    from pruner_engine.verify.dataset import write_dataset

    with Project(project) as opened:
        data = featurise(opened, lambda name, at, of: tell(f"features {at}/{of} {name}"))
    try:
        write_dataset(data, out)
    except OSError as error:
        raise UserError(
            f"{out} cannot be written: {error.strerror}.",
            "Make room or choose another place, then the same command again: it measures nothing twice.",
        ) from error
    return data
