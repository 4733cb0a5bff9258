"""Commands about MetaSchedule's tuning records."""

from __future__ import annotations

import shlex

import click

from pruner_engine.cli.arguments import absolute
from pruner_engine.cli.group import Commands
from pruner_engine.cli.options import (
    PathType,
    WholeType,
    all_runs_option,
    exported_run_option,
    json_option,
    project_argument,
)
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.protocol import (
    ExportRecords,
    ImportRecords,
    RecordsExported,
    RecordsImported,
)
from pruner_engine.store.reader import ProjectReader
from pruner_engine.units import counted


@click.group(cls=Commands)
def records() -> None:
    """Tuning records as MetaSchedule's JSON files: write the best trials, read what others measured."""


@records.command("export")
@project_argument
@click.option("--out", required=True, type=PathType(file_okay=False), help="Folder to write the two files to.")
@exported_run_option
@all_runs_option
@click.option("--best", type=WholeType(), default=1, show_default=True, help="Trials of each task.")
@json_option
def export_records(project: str, out: str, run_id: int | None, all_runs: bool, best: int, as_json: bool) -> None:
    """Write the best trials of PROJECT; `JSONDatabase(work_dir=DIR)` reads them."""
    ProjectReader(project).close()
    command = ExportRecords(project=absolute(project), out=absolute(out), run_id=run_id, all_runs=all_runs, best=best)
    answer = carry_out(command, RecordsExported, quiet=as_json)
    if as_json:
        print_json({"out": answer.out, "records": answer.records})
    else:
        click.echo(f"written: {counted(answer.records, 'record')} in {answer.out}")


@records.command("import")
@project_argument
@click.argument("folder", type=PathType(file_okay=False))
@click.option("--same-device", is_flag=True, help="The times were measured on the device of this project's newest run.")
@json_option
def import_records(project: str, folder: str, same_device: bool, as_json: bool) -> None:
    """Add the records in FOLDER that fit tasks of PROJECT as a run of their own; a torn tail is left out, and said."""
    ProjectReader(project).close()
    command = ImportRecords(project=absolute(project), folder=absolute(folder), same_device=same_device)
    answer = carry_out(command, RecordsImported, quiet=as_json)
    if as_json:
        told = {"run": answer.run_id, "records": answer.records, "failed": answer.failed, "problems": answer.problems}
        print_json(told)
        return
    left = f", {counted(answer.failed, 'failed trial')} not taken over" if answer.failed else ""
    click.echo(f"run {answer.run_id}: {counted(answer.records, 'record')}{left}")
    click.echo(f"pruner tasks {shlex.quote(project)} --run {answer.run_id} shows them")
    for problem in answer.problems:
        click.echo(problem)
