"""`pruner adaptation`: what the momentum of MoA-Pruner does to the cost model of a run."""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.arguments import find_task, opened
from pruner_engine.cli.options import json_option, project_argument, run_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.reader import Row
from pruner_engine.units import DASH

_FIGURES = ("pair_accuracy", "top1", "top5", "loss", "distance")


@click.command()
@project_argument
@run_option
@click.option("--task", help="Name or id: the adaptations in rounds of this task only.")
@json_option
def adaptation(project: str, run_id: int | None, task: str | None, as_json: bool) -> None:
    """Adaptations of a run of moa-pruner: how well each model ranks what none has learned yet, and their distance."""
    with opened(project) as reader:
        run = reader.run(run_id)
        task_id = None if task is None else find_task(reader, task, run["id"])
        names, rows = reader.task_names(run["id"]), reader.adaptations(run["id"])
        found = [
            {
                "round": row["round"],
                "task": names.get(row["task_id"], ""),
                "task_id": row["task_id"],
                **{name: row[name] for name in ("model", "samples", *_FIGURES, "seconds")},
            }
            for row in rows
            if task_id in (None, row["task_id"])
        ]
        table = _table(found)
    if as_json:
        print_json({"run": run["id"], "adaptations": found})
    elif found:
        print_table(table)
    else:
        click.echo("No adaptation: the strategy moa-pruner has a pre-trained model that adapts.")


def _table(found: list[Row]) -> Table:
    table = Table("round", "task", "model", "samples", "pairs in order", "top-1", "top-5", "loss", "distance")
    for row in found:
        figures = (DASH if row[name] is None else f"{row[name]:.3f}" for name in _FIGURES)
        table.add_row(str(row["round"]), row["task"], row["model"], str(row["samples"]), *figures)
    return table
