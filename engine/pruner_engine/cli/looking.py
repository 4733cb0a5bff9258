"""`pruner inspect`: one schedule as text, or two side by side."""

from __future__ import annotations

import click

from pruner_engine.cli.commands import absolute, find_task
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.inspect.diff import diff_lines
from pruner_engine.jobs.messages import Inspect, Inspected
from pruner_engine.store.reader import ProjectReader

FORMS = ("trace", "nest", "tvmscript", "replay", "llvm", "asm", "cuda", "ptx", "why")
_MARKS = {"equal": " ", "changed": "≠", "removed": "-", "added": "+"}


def inspect(project: str, task: str, candidate: int | None, against: int | None, form: str, *, as_json: bool) -> None:
    """Print a form of a candidate; with `against` a row for each line of both."""
    with ProjectReader(project) as reader:
        task_id = find_task(reader, task)
    answer = _ask(project, task_id, candidate, form)
    if against is not None:
        _differ(task_id, answer, _ask(project, task_id, against, form), form, as_json=as_json)
    elif as_json:
        print_json({"task": task_id, "candidate": answer.candidate_id, **answer.texts})
    else:
        click.echo(answer.texts[form])


def _ask(project: str, task_id: int, candidate: int | None, form: str) -> Inspected:
    command = Inspect(project=absolute(project), task_id=task_id, candidate_id=candidate, forms=[form])
    answer = carry_out(command, quiet=True)
    assert isinstance(answer, Inspected)
    return answer


def _differ(task_id: int, left: Inspected, right: Inspected, form: str, *, as_json: bool) -> None:
    rows = diff_lines(left.texts[form].splitlines(), right.texts[form].splitlines())
    if as_json:
        lines = [{"kind": row.kind, "left": row.left, "right": row.right} for row in rows]
        print_json({"task": task_id, "candidate": left.candidate_id, "against": right.candidate_id, "lines": lines})
        return
    sides = [f"candidate {side.candidate_id}" if side.candidate_id else "untuned kernel" for side in (left, right)]
    width = max(len(text) for text in (sides[0], *(row.left for row in rows)))
    click.echo(f"  {sides[0]:<{width}} | {sides[1]}")
    for row in rows:
        click.echo(f"{_MARKS[row.kind]} {row.left:<{width}} | {row.right}".rstrip())
