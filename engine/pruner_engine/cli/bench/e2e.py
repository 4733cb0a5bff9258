"""`pruner bench e2e`: tuned models against libraries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from pruner_engine.cli.loading import load_tvm_and_plugins
from pruner_engine.cli.options import (
    OutputFile,
    PathType,
    WholeType,
    json_option,
    key_option,
    plugin_option,
    refuse_lone_key,
    rpc_option,
)
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.cli.series import refuse_failed
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.library_names import called
from pruner_engine.replacing import PAGE
from pruner_engine.units import counted, latency, percent


@click.command()
@click.argument("projects", nargs=-1, required=True, type=PathType(dir_okay=False, path_type=Path))
@click.option("--rounds", type=WholeType(), default=5, show_default=True, help="Turns of every contender.")
@click.option("--without", multiple=True, help="A contender to leave out, such as torch.compile.")
@click.option("--html", type=OutputFile(PAGE), help="Write a report.")
@rpc_option
@key_option
@plugin_option
@json_option
def e2e(
    projects: tuple[Path, ...],
    rounds: int,
    without: tuple[str, ...],
    html: Path | None,
    rpc: str,
    rpc_key: str,
    plugins: tuple[str, ...],
    as_json: bool,
) -> None:
    """Latency of the tuned models of PROJECTS against the untuned ones, ONNX Runtime and PyTorch, in turns.

    ^C ends it with what was measured until then. What was tuned on boards is run there, without the libraries.
    """
    refuse_lone_key(rpc, rpc_key)
    with progress_line(quiet=as_json) as tell:
        load_tvm_and_plugins(plugins)
        from pruner_engine.export.compare import refuse_unknown, summed_up
        from pruner_engine.jobs.commands.bundle import compare_libraries

        refuse_unknown(without)
        models, failed = [], []
        for project in projects:  # one that fails must not cost the others
            try:
                models.append(
                    compare_libraries(project, rounds=rounds, without=without, on_phase=tell, rpc=rpc, rpc_key=rpc_key)
                )
                if models[-1]["stopped"]:
                    break
            except UserError as error:
                failed.append(f"{project}: {error}")
        found = summed_up(models) | {"errors": failed}
    if html is not None:
        from pruner_engine.reports.libraries import write_libraries

        write_libraries(found, html)
    if as_json:
        print_json(found)
    else:
        _print_libraries(found)
    refuse_failed(failed)
    if models and models[-1]["stopped"]:
        if as_json:  # which says so
            sys.exit(3)
        raise StoppedError("It was stopped: what was still to be timed is left out.", "The same command begins anew.")


def _print_libraries(found: dict[str, Any]) -> None:
    for number, model in enumerate(found["models"]):
        if number:
            click.echo()
        click.echo(model["model"])
        table = Table("contender", "median", "best", "of the peak", "measured", "note")
        for name, row in model["contenders"].items():
            cells = [latency(row["median_s"]), latency(row.get("best_s")), percent(row.get("peak_share"))]
            table.add_row(name, *cells, str(row["measured"]), row["note"])
        print_table(table)
        if model["ratio"]:
            click.echo(f"tuned takes {percent(model['ratio'])} of the time of {called(model['best_library'])}")
        for notice in model["notices"]:
            click.echo(notice)
    if len(found["models"]) > 1 and found["ratio"]:
        click.echo(f"geometric mean over {counted(found['compared'], 'model')}: {percent(found['ratio'])}")
