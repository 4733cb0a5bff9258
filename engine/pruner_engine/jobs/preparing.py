"""What a run tunes: its tasks and its device, made from the model or read from the project file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import tvm

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import MISSING, example_inputs, time_reference
from pruner_engine.frontends import LoadedModel
from pruner_engine.jobs.layout import laid_out
from pruner_engine.jobs.open_run import OpenRun
from pruner_engine.jobs.stored import is_this_device, refuse_other_device, stored_model, stored_tasks
from pruner_engine.protocol import Phase
from pruner_engine.search.settings import settings_from
from pruner_engine.search.task_state import TaskState
from pruner_engine.store.reading import making_sense
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import device_kind, resolve_target, threads_of


@dataclass(frozen=True)
class Work:
    """What a run tunes, for what."""

    target: tvm.target.Target
    profile: DeviceProfile
    states: list[TaskState]


def prepare_run(run: OpenRun, model: LoadedModel, target: tvm.target.Target) -> Work:
    """Extract the tasks of a new run's model into the project.

    Raises:
        StoppedError: the run was stopped before it was known what to tune.
        UserError: there is nothing to tune in it.
    """
    row, project = run.row, run.project
    settings, target_id = settings_from(row["settings"]), row["target_id"]
    run.job.emit(Phase(name="profile", detail=project.work.target(target_id)["device"]))
    profile = profile_for(target)
    project.work.set_profile(target_id, profile.as_json())
    run.update(phase="prepare")
    run.job.emit(Phase(name="prepare", detail=model.name))
    tasks = laid_out(run, model, target, profile)
    if not tasks:
        raise UserError(f"{model.name} holds no kernel that could be tuned.", "Check that it is the model you meant.")
    if is_this_device(project.work.target(target_id), target):
        library_baselines(run, model, target)
    task_ids = project.work.add_tasks(row["model_id"], target_id, tasks)
    # the last step: a run that has tasks is prepared
    project.runs.add_tasks(run.id, task_ids, [task.weight for task in tasks])
    states = [
        TaskState(task, task_id, untuned_s=project.work.untuned(task_id, caches=settings.caches))
        for task, task_id in zip(tasks, task_ids, strict=True)
    ]
    return Work(target, profile, states)


def library_baselines(run: OpenRun, model: LoadedModel, target: tvm.target.Target) -> None:
    """Time what people use today, with the same threads and float type: the line to get below."""
    row, project = run.row, run.project
    of_run = row["model_id"], row["target_id"], settings_from(row["settings"]).dtype
    known = {row["name"] for row in project.work.baselines(*of_run) if row["note"] not in MISSING}
    inputs, threads = example_inputs(model), threads_of(target)
    for name in ("onnxruntime", "torch"):
        if name not in known:
            run.job.emit(Phase(name="baseline", detail=name))
            timing = time_reference(name, model, inputs, threads, device=device_kind(target))
            more: dict[str, Any] = {"repeats": json.dumps(timing.repeats), "threads": threads, "note": timing.note}
            project.work.add_baseline(*of_run, name, timing.seconds, **more)


def prepared(run: OpenRun) -> Work:
    """The run's work from the project file; prepared anew where it was stopped before that."""
    row, project = run.row, run.project
    with making_sense(project.path):
        stored_target = project.work.target(row["target_id"])
        target = resolve_target(stored_target["text"])
        rows = project.runs.tasks(run.id)
        if rows:
            refuse_other_device(stored_target, target, settings_from(row["settings"]))
            states = [
                TaskState(task, r["id"], untuned_s=r["untuned_s"], steer=r["steer"], quarantined=r["quarantined"])
                for r, task in zip(rows, stored_tasks(project.path, rows), strict=True)
            ]
            return Work(target, DeviceProfile.from_json(json.loads(stored_target["profile"])), states)
    return prepare_run(run, stored_model(project, row), target)
