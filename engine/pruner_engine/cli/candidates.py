"""`pruner candidates`: the candidates of a task, the fastest first, or those that failed and why."""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.arguments import chosen_task, opened
from pruner_engine.cli.options import WholeType, json_option, project_argument, run_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.reader import Row
from pruner_engine.units import DASH, count, latency

_TOLD = (
    "id", "seconds", "stage", "error", "message", "log", "repeats", "build_s", "run_s", "censored", "checked",
    "draft_score", "verified_score", "round", "origin",
)  # fmt: skip


_NONE = {
    "measured": "No candidate of this task was measured in this run.",
    "failed": "No trial of this task failed in this run.",
    "all": "Nothing was drafted for this task in this run.",
}


@click.command()
@project_argument
@run_option
@click.option("--task", help="Name or id of the task [default: the only one].")
@click.option(
    "--kind",
    type=click.Choice(["measured", "failed", "all"]),
    default="measured",
    show_default=True,
    help="Those that were measured, those of them that failed, or all that were drafted.",
)
@click.option("--best", type=WholeType(), default=20, show_default=True, help="At most so many.")
@json_option
def candidates(project: str, run_id: int | None, task: str | None, kind: str, best: int, as_json: bool) -> None:
    """Candidates of a task, the fastest first: ids for `pruner inspect`, latency, scores, and why some failed."""
    with opened(project) as reader:
        run = reader.run(run_id)["id"]
        task_id = chosen_task(reader, task, None, run)
        found = reader.best_candidates(run, task_id, kind)
        shown = found[:best]
        told = [_told(row) for row in map(reader.candidate, (row["id"] for row in shown)) if row] if as_json else []
        table = _table(shown)
    if as_json:
        print_json({"run": run, "task": task_id, "of": len(found), "candidates": told})
        return
    if not shown:
        click.echo(_NONE[kind])
        return
    print_table(table)
    if len(shown) < len(found):
        click.echo(f"The best {count(len(shown))} of {count(len(found))}; --best tells more.")


def _table(shown: list[Row]) -> Table:
    table = Table("id", "latency", "outcome", "draft", "verified", "round", "origin")
    for row in shown:
        scores = (DASH if row[name] is None else f"{row[name]:.2f}" for name in ("draft_score", "verified_score"))
        table.add_row(str(row["id"]), latency(row["seconds"]), _outcome(row), *scores, str(row["round"]), row["origin"])
    return table


def _told(row: Row) -> Row:
    return {name: row[name] for name in _TOLD} | {name: bool(row[name]) for name in ("censored", "checked")}


def _outcome(row: Row) -> str:
    """What became of a candidate; of one that failed the first line of its message."""
    if row["stage"] is None:
        return "not measured"
    if row["stage"] != "ok":
        first = next(iter((row["message"] or "").strip().splitlines()), "")
        return ": ".join(filter(None, (row["stage"], row["error"], first)))
    return "abandoned" if row["censored"] else "checked" if row["checked"] else "measured"
