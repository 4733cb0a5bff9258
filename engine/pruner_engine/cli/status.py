"""`pruner status`: the runs of a project."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from pruner_engine.cli.arguments import absolute, opened
from pruner_engine.cli.objects import given_up, libraries, measured, run_object, untried
from pruner_engine.cli.options import json_option, project_argument
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.jobs.lines import line_of
from pruner_engine.protocol import Resume
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.run_states import no_run
from pruner_engine.units import duration, latency, ratio


@click.command()
@project_argument
@json_option
def status(project: str, as_json: bool) -> None:
    """Runs of PROJECT: state, trials, latency, gain, failures."""
    with opened(project) as reader:
        runs = reader.runs()
        objects = [run_object(reader, run["id"]) for run in runs] if as_json else []
        table, remarks = _table(reader, runs), [line for run in runs for line in _remarks(reader, project, run)]
    if as_json:
        print_json({"project": absolute(project), "runs": objects})
    elif not runs:
        click.echo(str(no_run(Path(project))))
    else:
        print_table(table)
        for remark in remarks:
            click.echo(remark)


def _table(reader: ProjectReader, runs: Sequence[dict[str, Any]]) -> Table:
    table = Table(
        "run", "model", "strategy", "state", "trials", "failed", "untuned", "estimated", "measured", "gain",
        "worked", "left",
    )  # fmt: skip
    for run in runs:
        state = "interrupted" if run["interrupted"] else run["state"]
        budget = f"/{run['budget_trials']}" if run["budget_trials"] else ""
        table.add_row(
            str(run["id"]), run["model"], run["strategy"], state, f"{run['trials']}{budget}", str(run["failed"]),
            latency(run["untuned_s"]), latency(run["latency_s"]), latency(measured(reader, run["id"])),
            ratio(run["gain"]), duration(run["elapsed_s"]), duration(run["left_s"]) if run["alive"] else "",
        )  # fmt: skip
    return table


def _remarks(reader: ProjectReader, project: str, run: dict[str, Any]) -> Iterator[str]:
    """Lines on what the table does not tell of a run."""
    name = f"run {run['id']}"
    if line := untried(run):
        yield f"{name}, untried: {line}"
    if line := libraries(reader, run["id"]):
        yield f"{name}, libraries: {line}"
    if run["reason"]:
        yield f"{name}: {run['reason']}"
    for failure in reader.failures(run["id"]):
        yield f"{name}: {failure['count']} failed in {failure['stage']} ({failure['error']}): {failure['message']}"
        yield f"  {failure['hint']}"
    if left := given_up(reader, run["id"]):
        looked = f"pruner tasks {shlex.quote(project)} --run {run['id']}"
        yield f"{name}: {left} of its tasks {'was' if left == 1 else 'were'} given up; {looked} says why"
    if run["interrupted"]:
        yield f"{name} was interrupted: {line_of(Resume(project=project, run_id=run['id']))}"
