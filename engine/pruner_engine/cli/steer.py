"""`pruner steer`: what the window's buttons tell a run that is at work, from a terminal."""

from __future__ import annotations

from typing import Any

import click

from pruner_engine.cli.arguments import find_task
from pruner_engine.cli.options import project_argument
from pruner_engine.errors import UserError
from pruner_engine.jobs.client import tell_engine
from pruner_engine.protocol import Pause, Steer, Stop, Unpause
from pruner_engine.store.reader import ProjectReader, Row

_OF_TASKS = ("pin", "boost", "freeze", "normal")
_OF_RUNS: dict[str, Any] = {"pause": Pause, "go-on": Unpause, "stop": Stop}


@click.command()
@project_argument
@click.argument("action", metavar="ACTION", type=click.Choice([*_OF_TASKS, *_OF_RUNS]))
@click.option("--task", help="Name or id of the task that is pinned, boosted, frozen or left to the search again.")
def steer(project: str, action: str, task: str | None) -> None:
    """Steer the run that an engine works on.

    ACTION is pin, boost, freeze or normal, for a task, or pause, go-on or stop, for the run.

    A pinned task is tuned before all others, a boosted one more often, a frozen one not at all; normal undoes it.
    """
    if (task is None) == (action in _OF_TASKS):
        raise click.UsageError(f"{action} needs --task." if task is None else f"{action} is for the run, not a task.")
    with ProjectReader(project) as reader:
        run = running(reader)
        task_id = None if task is None else find_task(reader, task, run["id"])
        if task_id is not None and task_id not in {row["id"] for row in reader.tasks(run["id"])}:
            raise UserError(f"Run {run['id']} does not tune task {task_id}.", "`pruner tasks` lists what it tunes.")
    told = _OF_RUNS[action]() if task_id is None else Steer(task_id=task_id, action=action)  # type: ignore[arg-type]
    tell_engine(run["socket"], told)
    click.echo(f"run {run['id']} was told: {action}" + ("" if task is None else f" {task}"))


def running(reader: ProjectReader) -> Row:
    """The run that an engine works on now."""
    found = next((run for run in reader.runs() if run["alive"]), None)
    if found is None:
        raise UserError(f"No engine works on {reader.path.name}.", "`pruner resume` goes on with its run.")
    if not found["socket"]:
        raise UserError(
            f"The engine that works on {reader.path.name} has no control socket: no folder took it.",
            "Stop or pause it where it was started; a shorter XDG_RUNTIME_DIR or TMPDIR helps the next one.",
        )
    return found
