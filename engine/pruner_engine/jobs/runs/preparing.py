"""What a run tunes: its tasks and its device, made from the model or read from the project file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import tvm

from pruner_engine.errors import UserError
from pruner_engine.frontends import LoadedModel
from pruner_engine.jobs.runs.boards import run_profile
from pruner_engine.jobs.runs.layout import laid_out
from pruner_engine.jobs.runs.libraries import LIBRARIES, Libraries
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.jobs.runs.stored import (
    is_this_device,
    refuse_other_device,
    stored_model,
    stored_target,
    stored_tasks,
)
from pruner_engine.protocol import Phase
from pruner_engine.search.settings import settings_from
from pruner_engine.search.task_state import TaskState
from pruner_engine.store.file.reading import making_sense
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.profile import DeviceProfile


@dataclass(frozen=True)
class Work:
    """What a run tunes, for what."""

    target: tvm.target.Target
    profile: DeviceProfile
    states: list[TaskState]


def prepare_run(run: OpenRun, model: LoadedModel, target: tvm.target.Target, board: BoardFacts | None = None) -> Work:
    """Extract the tasks of a new run's model into the project.

    Args:
        board: what measures instead of this machine.

    Raises:
        StoppedError: the run was stopped before it was known what to tune.
        UserError: there is nothing to tune in it.
    """
    row, project = run.row, run.project
    settings, target_id = settings_from(row["settings"]), row["target_id"]
    run.job.emit(Phase(name="profile", detail=project.work.target(target_id)["device"]))
    profile = run_profile(target, board, run.notice)
    project.work.set_profile(target_id, profile.as_json())
    run.update(phase="prepare")
    run.job.emit(Phase(name="prepare", detail=model.name))
    here = is_this_device(project.work.target(target_id), target)
    with Libraries(run, model, target, LIBRARIES if here else ()) as libraries:
        tasks = laid_out(run, model, target, profile, libraries.settle)
        if not tasks:
            raise UserError(
                f"{model.name} holds no kernel that could be tuned.", "Check that it is the model you meant."
            )
        libraries.time()
    task_ids = project.work.add_tasks(row["model_id"], target_id, tasks)
    # the last step: a run that has tasks is prepared
    project.runs.add_tasks(run.id, task_ids, [task.weight for task in tasks])
    states = [
        TaskState(task, task_id, untuned_s=project.work.untuned(task_id, caches=settings.caches))
        for task, task_id in zip(tasks, task_ids, strict=True)
    ]
    return Work(target, profile, states)


def target_here(run: OpenRun) -> tvm.target.Target:
    """The target of a run that is to go on.

    Raises:
        UserError: the run is of a device that is not this machine's, prepared there or not.
    """
    row = run.row
    stored, target = stored_target(run.project, row)
    refuse_other_device(stored, target, settings_from(row["settings"]))
    return target


def prepared(run: OpenRun, target: tvm.target.Target, board: BoardFacts | None = None) -> Work:
    """The run's work from the project file; prepared anew where it was stopped before that."""
    row, project = run.row, run.project
    with making_sense(project.path):
        rows = project.runs.tasks(run.id)
        if rows:
            states = [
                TaskState(task, r["id"], untuned_s=_seconds(r), steer=r["steer"], quarantined=r["quarantined"])
                for r, task in zip(rows, stored_tasks(project.path, rows), strict=True)
            ]
            profile = json.loads(project.work.target(row["target_id"])["profile"])
            return Work(target, DeviceProfile.from_json(profile), states)
    return prepare_run(run, stored_model(project, row), target, board)


def _seconds(task: dict[str, Any]) -> float | None:
    """A call of the untuned kernel, of a task's row."""
    return None if task["untuned_s"] is None else float(task["untuned_s"])
