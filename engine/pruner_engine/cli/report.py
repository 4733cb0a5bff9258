"""The command that writes a run as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from pruner_engine.cli.options import OutputFile, json_option, project_argument, run_option
from pruner_engine.cli.output import print_json
from pruner_engine.replacing import PAGE
from pruner_engine.store.reader import ProjectReader


@click.command()
@project_argument
@click.option("--html", required=True, type=OutputFile(PAGE), help="Page to write.")
@run_option
@json_option
def report(project: str, html: Path, run_id: int | None, as_json: bool) -> None:
    """Write a run of PROJECT as one HTML page that needs nothing else: curves, tasks, scores, adaptation, failures."""
    from pruner_engine.reports.run import write_run

    with ProjectReader(project) as reader:
        write_run(reader, run_id, html)
        run = reader.run(run_id)
    if as_json:
        print_json({"out": str(html.absolute()), "run": run["id"]})
    else:
        click.echo(f"written: {html}")
