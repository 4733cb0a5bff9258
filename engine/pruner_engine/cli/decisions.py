"""`pruner decisions`: how often each value of each decision occurs, in the space, as drafted, among the fastest."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from pruner_engine.cli.arguments import candidate_and_sketch, chosen_task, opened
from pruner_engine.cli.options import WholeType, json_option, project_argument, run_option, task_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.space.distribution import decided, taken_of
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.units import count, percent

_GROUPS = ("prior", "drafted", "elite")
_PLACES = {-1: "root", -2: "inline"}  # of a block that no loop computes


@click.command()
@project_argument
@run_option
@task_option
@click.option("--candidate", type=WholeType(), help="Id of one whose sketch is meant [default: the run's best].")
@json_option
def decisions(project: str, run_id: int | None, task: str | None, candidate: int | None, as_json: bool) -> None:
    """How often each value of a sketch's decisions occurs: in the design space, as drafted, among the fastest tenth."""
    with opened(project) as reader:
        found = _decisions(reader, run_id, task, candidate)
        head, table = _head(found), _table(found)
    if as_json:
        print_json(found)
        return
    click.echo(head)
    print_table(table)


def _head(found: Row) -> str:
    return (
        f"Sketch {found['sketch']}: {count(found['size'])} candidates, {count(found['drafted'])} drafted; the fastest"
        f" tenth measured are {count(found['elite'])}. Candidate {found['candidate']} took what is marked."
    )


def _table(found: Row) -> Table:
    table = Table("decision", "factor", "value", "", *_GROUPS)
    for one in found["decisions"]:
        places = one["factor"] is None and min(one["values"]) < 0
        for at, value in enumerate(one["values"]):
            first, factor = at == 0, "" if one["factor"] is None else str(one["factor"] + 1)
            told = _PLACES.get(value, f"loop {value}") if places else str(value)
            shares = (percent(one[group][at]) for group in _GROUPS)
            table.add_row(
                one["name"] * first, factor * first, told, "◄" if value == one["taken"] else "", *shares,
                end_section=at == len(one["values"]) - 1,
            )  # fmt: skip
    return table


def _decisions(reader: ProjectReader, run_id: int | None, task: str | None, candidate_id: int | None) -> Row:
    """The decisions of the sketch of a candidate, counted over the candidates of its run."""
    task_id = chosen_task(reader, task, candidate_id, run_id)
    named = reader.candidate(candidate_id) if candidate_id else None
    run = reader.run(named["run_id"] if named and run_id is None else run_id)["id"]
    row, sketch = candidate_and_sketch(reader, run, task_id, candidate_id)
    counted = decided(sketch["decisions"], reader.decided(run, task_id, sketch["id"]))
    taken = taken_of(counted.shares, sketch["decisions"], row["decisions"])
    told: list[dict[str, Any]] = [
        {
            "name": one.name,
            "factor": one.factor,
            "values": one.values,
            **{group: getattr(one, group) for group in _GROUPS},
            "taken": value,
        }
        for one, value in zip(counted.shares, taken, strict=True)
    ]
    return {
        "run": run,
        "task": task_id,
        "candidate": row["id"],
        "sketch": sketch["idx"] + 1,
        "size": sketch["size"],
        "drafted": counted.drafted,
        "elite": counted.elite,
        "decisions": told,
    }
