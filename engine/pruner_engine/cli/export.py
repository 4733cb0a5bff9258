"""`pruner export`: the tuned library as a bundle."""

from __future__ import annotations

from typing import Any

import click

from pruner_engine.cli.arguments import absolute, opened
from pruner_engine.cli.options import (
    PathType,
    all_runs_option,
    exported_run_option,
    json_option,
    key_option,
    plugin_option,
    project_argument,
    refuse_lone_key,
    rpc_option,
)
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.cli.slower import ask_first, told_slower
from pruner_engine.library_names import called
from pruner_engine.protocol import Export, Exported
from pruner_engine.store.figures.slower import expected, exported
from pruner_engine.units import counted, latency, percent

_WEIGHTS = {"inside": False, "beside": True}


@click.command()
@project_argument
@click.option("--out", required=True, type=PathType(file_okay=False), help="Folder to write the bundle to.")
@exported_run_option
@all_runs_option
@click.option(
    "--weights",
    type=click.Choice(("auto", *_WEIGHTS)),
    default="auto",
    show_default=True,
    help="In the library, or in a file of their own: by itself where they have more than 512 MB.",
)
@click.option("--yes", is_flag=True, help="Do not ask where the model is known to be slower than a library.")
@rpc_option
@key_option
@plugin_option
@json_option
def export(
    project: str,
    out: str,
    run_id: int | None,
    all_runs: bool,
    weights: str,
    yes: bool,
    rpc: str,
    rpc_key: str,
    plugins: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compile the tuned model, check what it computes, write a bundle that runs without this program."""
    refuse_lone_key(rpc, rpc_key)
    with opened(project) as reader:
        foretold = expected(reader, run_id, all_runs=all_runs)
    if foretold is not None and not yes and not as_json:
        ask_first(foretold)
    command = Export(
        project=absolute(project),
        out=absolute(out),
        run_id=run_id,
        all_runs=all_runs,
        weights_beside=_WEIGHTS.get(weights),
        rpc=rpc,
        rpc_key=rpc_key,
        plugins=list(plugins),
    )
    answer = carry_out(command, Exported, quiet=as_json)
    if as_json:
        print_json({**answer.summary, "expected_slower_than": list(foretold.than) if foretold else []})
        return
    _tell(answer.out, answer.summary)


def _tell(out: str, summary: dict[str, Any]) -> None:
    """Print what was written, where it ran, what it computed and how long it takes."""
    coverage, place = summary["coverage"], summary["place"]
    click.echo(f"written to {out}")
    time = "estimated time" if coverage["estimated"] else "time"
    for state, part in coverage["summary"].items():
        share = "" if part["share"] is None else f", {percent(part['share'])} of the {time}"
        why = ", by the draft's best schedules: no trial has reached them" if state == "drafted" else ""
        click.echo(f"{state}: {counted(part['functions'], 'function')}{share}{why}")
    if place["where"] == "nowhere":
        click.echo("outputs not checked, latency not measured: nothing here runs the library")
    elif place["where"] == "boards":
        click.echo(f"run on {place['device']}")
    for check in summary["checks"]:
        verb = "agree with" if check["ok"] else "differ from those of"
        error = "" if check["error"] is None else f"largest relative difference {check['error']:.1e}"
        told = ", ".join(filter(None, (error, check["message"])))
        click.echo(f"outputs {verb} {called(check['against'])}: {told}")
    for name, timing in summary["latency"].items():
        threads = f" ({counted(timing['threads'], 'thread')})"
        told = timing["note"] if timing["seconds"] is None else latency(timing["seconds"]) + threads
        click.echo(f"{called(name)}: {told}")
    if slower := exported(summary):
        click.echo(told_slower(slower))
