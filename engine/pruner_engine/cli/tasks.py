"""`pruner tasks`: the tasks of a run."""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.options import json_option, project_argument, run_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.figures.roofline import above_the_peak
from pruner_engine.store.reader import ProjectReader
from pruner_engine.units import DASH, latency, percent, ratio


@click.command()
@project_argument
@run_option
@json_option
def tasks(project: str, run_id: int | None, as_json: bool) -> None:
    """Tasks of a run: operator, calls, share of the time, untuned and best latency, gain, share of the roof, trials."""
    with ProjectReader(project) as reader:
        run = reader.run(run_id)
        rows = reader.tasks(run["id"])
    if as_json:
        print_json({"run": run["id"], "tasks": rows})
        return
    table = Table(
        "id", "task", "operator", "calls", "share", "untuned", "best", "gain", "GFLOP/s", "of roof", "trials", "failed"
    )  # fmt: skip
    for row in sorted(rows, key=lambda r: -(r["share"] or 0.0)):
        table.add_row(
            str(row["id"]), row["name"], row["op"], str(row["weight"]), percent(row["share"]),
            latency(row["untuned_s"]), latency(row["best_s"]), ratio(row["gain"]),
            DASH if row["gflops"] is None else f"{row['gflops']:.1f}", percent(row["roof_share"]), str(row["trials"]),
            str(row["failed"]),
        )  # fmt: skip
    print_table(table)
    if doubtful := above_the_peak(rows):
        click.echo(
            f"By its profile the device can do less than {len(doubtful)} of these kernels do: it was probably measured"
            " while other programs worked. `pruner profile` measures it anew, for later runs."
        )
    for row in rows:
        if row["quarantined"]:
            click.echo(f"{row['name']} is tuned no more: {row['quarantined'].rstrip('.')}.")
