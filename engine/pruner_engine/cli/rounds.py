"""`pruner rounds`: how many candidates each step let through, and how well its score foretold the measurement."""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.arguments import find_task, opened
from pruner_engine.cli.options import json_option, project_argument, run_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.figures import noise
from pruner_engine.store.figures.quality import SCORES, over_rounds, place_of_fastest, qualities, score_quality
from pruner_engine.store.reader import WORK_PARTS, ProjectReader, Row
from pruner_engine.units import DASH, count, counted, duration, latency, percent

_STEPS = ("explored", "drafted", "verified", "measured", "valid")
_FIGURES = tuple(qualities(()))
_STATS = ("lowered", "lowered_sketches", "probe_s", "probe_spread", "draft_histogram")


@click.command()
@project_argument
@run_option
@click.option("--task", help="Name or id: the rounds of this task only.")
@json_option
def rounds(project: str, run_id: int | None, task: str | None, as_json: bool) -> None:
    """Rounds of a run: how many candidates each step let through, how well its score foretold, seconds of work."""
    with opened(project) as reader:
        run = reader.run(run_id)
        task_id = None if task is None else find_task(reader, task, run["id"])
        found, whole = _rounds(reader, run["id"], task_id)
        drift = noise.drift_of(reader.probes(run["id"]))
        table = _table(found, whole)
        remarks = [*([noise.told(drift)] if drift else []), *([_lowered(whole)] if whole["lowered"] else [])]
    if as_json:
        print_json({"run": run["id"], "rounds": found, "all": whole})
        return
    print_table(table)
    for remark in remarks:
        click.echo(remark)


def _table(found: list[Row], whole: Row) -> Table:
    table = Table(
        "round", "task", *_STEPS, "ρ draft", "ρ verified", "top-5 draft", "top-5 verified",
        *(part.removesuffix("_s") for part in WORK_PARTS), "probe", "noise",
    )  # fmt: skip
    for row in found:
        table.add_row(
            str(row["round"]), row["task"], *_cells(row), latency(row["probe_s"]), percent(row["probe_spread"])
        )
    if found:
        table.add_row("all", "", *_cells(whole), "", "")
    return table


def _lowered(whole: Row) -> str:
    sketches = counted(whole["lowered_sketches"], "sketch has", "sketches have")
    return (
        f"{count(whole['lowered'])} of the {count(whole['explored'])} explored candidates were read from applied"
        f" schedules: {sketches} no closed form."
    )


def _cells(row: Row) -> list[str]:
    """A round that takes up the draft set of the round before explores none."""
    steps = [count(row[step] or (None if step == "explored" else 0)) for step in _STEPS]
    ranks = [DASH if row[name] is None else f"{row[name]:+.2f}" for name in _FIGURES[:2]]
    return [*steps, *ranks, *(percent(row[name]) for name in _FIGURES[2:]), *(duration(row[p]) for p in WORK_PARTS)]


def _rounds(reader: ProjectReader, run_id: int, task_id: int | None) -> tuple[list[Row], Row]:
    """The rounds of a run, or of one of its tasks, and what they come to."""
    names = reader.task_names(run_id)
    measured, complete = reader.scored(run_id)
    while not complete:
        measured, complete = reader.scored(run_id)
    measured = [row for row in measured if task_id in (None, row["task_id"])]
    by_round: dict[int, list[Row]] = {}
    for row in measured:
        by_round.setdefault(row["round_id"], []).append(row)
    found = [
        {
            "round": row["idx"],
            "task": names.get(row["task_id"], ""),
            "task_id": row["task_id"],
            **{name: row[name] for name in (*_STEPS, *WORK_PARTS)},
            **qualities(by_round.get(row["id"], ())),
            **{name: row["stats"].get(name) for name in _STATS},
        }
        for row in reader.rounds(run_id, task_id)
    ]
    drafting = [row for row in found if row["lowered_sketches"] is not None]
    whole: Row = {name: sum(row[name] for row in found) for name in (*_STEPS, *WORK_PARTS)}
    whole["lowered"] = sum(row["lowered"] or 0 for row in found)
    whole["lowered_sketches"] = sum({row["task_id"]: row["lowered_sketches"] or 0 for row in drafting}.values())
    # a candidate is drafted once, in however many rounds it waits and is verified anew
    whole["drafted"], whole["verified"] = reader.drafted(run_id, None if task_id is None else (task_id,))
    for name in _FIGURES:
        whole[name], _ = over_rounds((row[name], row["measured"]) for row in found)
    comparable = len({row["task_id"] for row in measured}) == 1, len(by_round) == 1
    for score, alone in zip(SCORES, comparable, strict=True):
        if alone:
            whole[f"rank_{score}"] = score_quality(measured, score)
        whole[f"place_{score}"] = place_of_fastest(measured, score) if alone else None
    return found, whole
