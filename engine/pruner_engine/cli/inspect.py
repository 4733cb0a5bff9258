"""`pruner inspect`: one schedule as text, or two side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pruner_engine.cli.arguments import absolute, chosen_task, opened
from pruner_engine.cli.options import CandidateType, PathType, json_option, plugin_option, project_argument, task_option
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.errors import UserError
from pruner_engine.inspect import FORMS
from pruner_engine.inspect.diff import diff_lines
from pruner_engine.protocol import Inspect, Inspected
from pruner_engine.store.reader import ProjectReader

# project, task, candidate and forms
_Ask = Callable[[str, int, int | None, list[str]], Inspected]
_MARKS = {"equal": " ", "changed": "≠", "removed": "-", "added": "+"}


@click.command()
@project_argument
@task_option
@click.option("--candidate", type=CandidateType(), help="Id of a candidate, or untuned [default: the task's best].")
@click.option("--against", type=CandidateType(), help="Another one, of any run or task, or untuned: tell what differs.")
@click.option("--with", "other", type=PathType(dir_okay=False), help="Project of --against, where it is another one.")
@click.option(
    "--as",
    "form",
    default="trace",
    show_default=True,
    type=click.Choice((*FORMS, "why")),
    help="Form of the text; why tells what costs time, with figures.",
)
@click.option("--linked", is_flag=True, help="Name beside each line of code the loop or block that it computes.")
@plugin_option
@json_option
def inspect(
    project: str,
    task: str | None,
    candidate: int | None,
    against: int | None,
    other: str | None,
    form: str,
    linked: bool,
    plugins: tuple[str, ...],
    as_json: bool,
) -> None:
    """One schedule as text, or the difference of two."""
    if linked and against is not None:
        raise click.UsageError("--linked is for one schedule, not with --against.")
    if other is not None and against is None:
        raise click.UsageError("--with names the project of --against.")

    def ask(of: str, task_id: int, candidate_id: int | None, forms: list[str]) -> Inspected:
        named: dict[str, Any] = {"project": absolute(of), "task_id": task_id, "candidate_id": candidate_id}
        return carry_out(Inspect(**named, forms=forms, plugins=list(plugins)), Inspected, quiet=True)

    if against is not None:
        _differ(ask, project, other, task, candidate, against, form, as_json=as_json)
    else:
        _inspect(ask, project, task, candidate, form, linked=linked, as_json=as_json)


def _inspect(
    ask: _Ask, project: str, task: str | None, candidate: int | None, form: str, *, linked: bool, as_json: bool
) -> None:
    """Print a form of a candidate; `linked`: behind the name of what each line computes."""
    with opened(project) as reader:  # of the run that the candidate is of, where one is named
        task_id = chosen_task(reader, task, candidate)
    answer = ask(project, task_id, candidate, [form, "nest"] if linked else [form])
    if linked and form not in answer.nodes:
        raise UserError(f"Lines of the form {form} are not linked to loops.", "Use tvmscript, llvm, asm, cuda or ptx.")
    if as_json:
        nodes = {"nodes": answer.nodes} if linked else {}
        print_json({"task": task_id, "candidate": answer.candidate_id, **answer.texts, **nodes})
    elif linked:
        _print_linked(answer, form)
    else:
        click.echo(answer.texts[form])


def _differ(
    ask: _Ask,
    project: str,
    other: str | None,
    task: str | None,
    candidate: int | None,
    against: int,
    form: str,
    *,
    as_json: bool,
) -> None:
    """Print a form of two candidates, of two projects maybe, side by side, a row for each line of both."""
    task_id = _task_of(project, candidate, lambda reader: chosen_task(reader, task, None if other else against))
    there = _task_of(
        other or project, against, lambda reader: task_id if against or not other else chosen_task(reader, task, None)
    )
    left, right = ask(project, task_id, candidate, [form]), ask(other or project, there, against, [form])
    rows = diff_lines(left.texts[form].splitlines(), right.texts[form].splitlines())
    if as_json:
        lines = [{"kind": row.kind, "left": row.left, "right": row.right} for row in rows]
        print_json({"task": task_id, "candidate": left.candidate_id, "against": right.candidate_id, "lines": lines})
        return
    sides = [f"candidate {side.candidate_id}" if side.candidate_id else "untuned kernel" for side in (left, right)]
    if other:
        sides = [f"{Path(of).stem}: {side}" for of, side in zip((project, other), sides, strict=True)]
    width = max(len(text) for text in (sides[0], *(row.left for row in rows)))
    click.echo(f"  {sides[0]:<{width}} | {sides[1]}")
    for row in rows:
        click.echo(f"{_MARKS[row.kind]} {row.left:<{width}} | {row.right}".rstrip())


def _task_of(project: str, candidate: int | None, otherwise: Callable[[ProjectReader], int]) -> int:
    """The task that a candidate is of: two schedules of two tasks may be held together; another where it is of none."""
    with opened(project) as reader:
        row = reader.candidate(candidate) if candidate else None
        return int(row["task_id"]) if row else otherwise(reader)


def _print_linked(answer: Inspected, form: str) -> None:
    names = [line.strip() for line in answer.texts["nest"].splitlines()]
    width = max(map(len, names))
    for line, node in zip(answer.texts[form].splitlines(), answer.nodes[form], strict=True):
        click.echo(f"{'' if node is None else names[node]:<{width}} | {line}".rstrip())
