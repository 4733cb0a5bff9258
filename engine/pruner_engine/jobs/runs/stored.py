"""Reads what a job needs from a project file, with the checks that a file of unknown origin needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tvm

from pruner_engine.caches import Caches, caches_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import LoadedModel, load_model
from pruner_engine.frontends.consent import is_agreed
from pruner_engine.frontends.precision import in_precision
from pruner_engine.jobs.runs.measuring import measured_on
from pruner_engine.processes.isolation import deadly
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.project import Project
from pruner_engine.store.queries.run_rows import Queried, newest_run, run_row, target_row, task_rows
from pruner_engine.store.run_states import no_run
from pruner_engine.store.writing.work import task_of, unpack_module
from pruner_engine.targets.target import device_of, resolve_target
from pruner_engine.tasks.task import TuningTask


def stored_run(project: Queried, run_id: int | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A run, without an id the newest that was tuned here, and rows of its tasks.

    Raises:
        UserError: there is no such run, or it has no tasks yet.
    """
    chosen = run_id if run_id is not None else newest_run(project)
    if chosen is None:
        raise no_run(project.path)
    run, rows = run_row(project, chosen), task_rows(project, chosen)
    if not rows:
        raise UserError("This run has not come to tuning yet.", "Resume it first.")
    return run, rows


def stored_target(project: Queried, run: dict[str, Any]) -> tuple[dict[str, Any], tvm.target.Target]:
    """Row of the target that a run is for, and the target made of it.

    Raises:
        UserError: it makes no sense.
    """
    with making_sense(project.path):
        row = target_row(project, run["target_id"])
        return row, resolve_target(row["text"])


def is_this_device(row: dict[str, Any], target: tvm.target.Target) -> bool:
    """Whether a row of table `targets`, and the target made of it, are of a device of this machine."""
    return bool(device_of(target).fingerprint == row["fingerprint"])


def refuse_other_device(row: dict[str, Any], target: tvm.target.Target, settings: SearchSettings) -> None:
    """Raises UserError where what such a run measures now would be mixed with latencies of another device."""
    own = measured_on(target, settings)
    if own.fingerprint != row["fingerprint"]:
        told = f"This run was tuned on {row['device']}, which is not this machine's device."
        if own.name == row["device"]:  # a virtual machine's may be any of its maker's
            told = f"This run was tuned on another {own.name} than this machine's: its features or cores differ."
        raise UserError(told, "Start a new run here: latencies of two devices must not be mixed.")


def stored_model(project: Project, run: dict[str, Any]) -> LoadedModel:
    """The model as it was when a run tuned it, from the project's own copy of its file.

    Raises:
        UserError: the copy makes no sense, or is a script that nobody on this machine has agreed to run.
    """
    with making_sense(project.path):
        row = project.work.model(run["model_id"])
        inputs = {spec["name"]: spec["shape"] for spec in json.loads(row["inputs"])}
        source, digest = str(row["source"]), row["sha256"]
        script = row["kind"] == "tvmscript"
        copy = None if row["content"] is None else partial(project.work.model_content, run["model_id"])
    if script and not is_agreed(row["content"] or b""):
        raise UserError(
            f"The model in {project.path.name} is a TVMScript file: reading it runs the Python code in it.",
            "If you trust its origin, tune the file itself once on this machine with --allow-code.",
        )
    del row  # many bytes
    settings = settings_from(run["settings"])
    model = load_model(source, inputs, fixed=settings.fixed, content=copy, allow_code=script)
    if model.file.sha256 != digest:
        raise UserError(
            f"{source} is not the file that was tuned, and the project holds no copy of it.",
            "Put the original file back, or tune the new one.",
        )
    return in_precision(model, settings.dtype)


def exported_trials(run: dict[str, Any], run_id: int | None, *, all_runs: bool) -> int | Caches:
    """Whose trials an export takes: those of the run that was named, or of all that measured with such caches.

    Args:
        run: the row of the run that was named, or of the newest.
        run_id: None where none was named.
    """
    if run_id is not None and not all_runs:
        return run_id
    settings_from(run["settings"])  # refuses what makes no sense
    return caches_of({"settings": json.loads(run["settings"])})


def stored_tasks(project: Path, rows: Sequence[dict[str, Any]]) -> list[TuningTask]:
    """The tasks that rows of a project file's table `tasks` describe.

    Raises:
        UserError: one of them makes no sense, or TVM would not survive reading it.
    """
    with making_sense(project):
        if deadly([partial(unpack_module, row["mod"]) for row in rows]):
            raise ValueError("a task's module cannot be read")
        return [task_of(row) for row in rows]
