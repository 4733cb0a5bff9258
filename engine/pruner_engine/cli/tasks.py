"""`pruner tasks`: the tasks of a run."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.table import Table

from pruner_engine.cli.arguments import opened
from pruner_engine.cli.options import json_option, project_argument, run_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.figures.roofline import above_the_peak
from pruner_engine.store.reader import Row
from pruner_engine.units import DASH, latency, percent, ratio


@click.command()
@project_argument
@run_option
@json_option
def tasks(project: str, run_id: int | None, as_json: bool) -> None:
    """Tasks of a run: operator, calls, share of the time, untuned and best latency, gain, share of the roof, trials."""
    with opened(project) as reader:
        run = reader.run(run_id)
        rows = reader.tasks(run["id"])
        table, remarks = _table(rows), [*_remarks(rows)]
    if as_json:
        print_json({"run": run["id"], "tasks": rows})
        return
    print_table(table)
    for remark in remarks:
        click.echo(remark)


def _table(rows: list[Row]) -> Table:
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
    return table


def _remarks(rows: list[Row]) -> Iterator[str]:
    """Lines on what the table does not tell."""
    if doubtful := above_the_peak(rows):
        yield (
            f"By its profile the device can do less than {len(doubtful)} of these kernels do: it was probably measured"
            " while other programs worked. `pruner profile` measures it anew, for later runs."
        )
    for row in rows:
        if row["quarantined"]:
            yield f"{row['name']} is tuned no more: {row['quarantined'].rstrip('.')}."
