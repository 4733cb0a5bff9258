"""The jobs that write a project's best trials as MetaSchedule's JSON records, and read such records into a project."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import tvm
import tvm_ffi

from pruner_engine.caches import Caches
from pruner_engine.errors import UserError
from pruner_engine.export.records import RECORDS, ImportedRecord, read_records, write_records
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.stored import exported_trials, stored_run, stored_target, stored_tasks
from pruner_engine.processes.isolation import deadly
from pruner_engine.protocol import ExportRecords, ImportRecords, Notice, Phase, RecordsExported, RecordsImported
from pruner_engine.search.settings import settings_from
from pruner_engine.space.schedule import schedule_of
from pruner_engine.store.file.read_only import ReadOnlyProject
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.project import Project
from pruner_engine.store.run_states import IMPORTED
from pruner_engine.store.writing.tuning_database import ProjectDatabase
from pruner_engine.targets.records_target import compiled_for
from pruner_engine.targets.target import target_json
from pruner_engine.tasks.task import TuningTask, module_hash

_CACHES: Caches = "warm"  # of MetaSchedule's runner


def export_records(command: ExportRecords, job: JobContext) -> None:
    """Write the best trials of each task into a folder that MetaSchedule's JSONDatabase reads.

    An engine may be at work on the project: what it has measured until now is written.
    """
    with ReadOnlyProject(command.project) as project:
        run, rows = stored_run(project, command.run_id)
        tasks, (_, target) = stored_tasks(project.path, rows), stored_target(project, run)
        trials = exported_trials(run, command.run_id, all_runs=command.all_runs)
        database = ProjectDatabase(project, run["target_id"], target, trials)
        job.emit(Phase(name="records", detail=command.out))
        if (Path(command.out) / RECORDS).exists():
            raise UserError(f"{command.out} holds tuning records already.", "Choose another folder.")
        with making_sense(project.path):
            if not any(database.get_top_k(database.commit_workload(task.mod), 1) for task in tasks):
                raise UserError("There is no valid trial to write.", "Tune the model first.")
            try:
                written = write_records(database, tasks, Path(command.out), command.best)
            except OSError as error:
                hint = "Free some space, or choose another folder."
                raise UserError(f"{command.out} cannot be written: {error.strerror}.", hint) from error
    job.emit(RecordsExported(out=command.out, records=written))


def import_records(command: ImportRecords, job: JobContext) -> None:
    """Add the records that fit the tasks of the newest run as a run of their own.

    Their times are of another device, and are kept apart from what is measured here, unless the user says that they
    are of this one. They were measured with warm caches, as MetaSchedule measures.
    """
    folder = Path(command.folder)
    job.emit(Phase(name="records", detail=command.folder))
    found = read_records(folder)
    with Project.existing(command.project) as project:
        run, rows = stored_run(project, None)
        tasks = dict(zip((row["id"] for row in rows), stored_tasks(project.path, rows), strict=True))
        _, target = stored_target(project, run)
        if command.same_device:
            _refuse_other_machine(found.records, target)
        fitting, told = _fitting(found.records, tasks, target)
        problems = [*found.problems, *told]
        if not fitting:
            raise UserError(
                f"No record of {folder.name} fits a task of this project.", " ".join(problems[:3]) or "It is empty."
            )
        taken = [record for records in fitting.values() for record in records]
        problems += filter(None, [_why_of_another_target(taken, target)])
        run_id = _add_run(project, run, tasks, fitting, command, folder)
        for problem in problems:
            project.runs.add_event(run_id, "warning", problem)
        count, _ = project.trials.counts(run_id)
    if command.same_device and (caches := settings_from(run["settings"]).caches) != _CACHES:
        text = f"The records count as measured with warm caches, and exports of runs with {caches} ones leave them out."
        hint = f"`pruner export --run {run_id}` takes them."
        job.emit(Notice(level="info", text=text, hint=hint))
    job.emit(RecordsImported(run_id=run_id, records=count, failed=found.failed, problems=problems))


def _fitting(
    records: list[ImportedRecord], tasks: dict[int, TuningTask], target: tvm.target.Target
) -> tuple[dict[int, list[ImportedRecord]], list[str]]:
    """Records by id of the task that their trace can be applied to, and a sentence about each kind of the others."""
    by_hash = {task.hash: task_id for task_id, task in tasks.items()}
    pairs = []
    for record in records:
        task_id = by_hash.get(module_hash(record.mod))
        if task_id is not None and tvm_ffi.structural_equal(record.mod, tasks[task_id].mod):
            pairs.append((task_id, record))
    fatal = deadly([partial(schedule_of, tasks[task_id], target, record.trace) for task_id, record in pairs])
    fitting: dict[int, list[ImportedRecord]] = defaultdict(list)
    refused = 0
    for index, (task_id, record) in enumerate(pairs):
        try:
            if index in fatal:
                raise UserError("TVM cannot apply it.")
            schedule_of(tasks[task_id], target, record.trace)
        except UserError:
            refused += 1
        else:
            fitting[task_id].append(record)
    return fitting, [*filter(None, (_why_of_others(len(records) - len(pairs)), _why_unfit(refused)))]


def _why_of_others(count: int) -> str:
    several = f"{count} records are of kernels that this project has not; they were left out."
    one = "One record is of a kernel that this project has not; it was left out."
    return "" if not count else one if count == 1 else several


def _why_unfit(count: int) -> str:
    several = f"{count} records hold a trace that does not fit their kernel; they were left out."
    one = "One record holds a trace that does not fit its kernel; it was left out."
    return "" if not count else one if count == 1 else several


def _refuse_other_machine(records: Iterable[ImportedRecord], target: tvm.target.Target) -> None:
    """Raises UserError where records that are told to be of a project's device cannot be."""
    own = compiled_for(json.loads(target_json(target)))
    others = [found for r in records if r.target and (found := compiled_for(r.target)).machine != own.machine]
    if others:
        raise UserError(
            f"The records were measured for {others[0].words}; the device of this project is {own.words}.",
            "Import them as those of another device, without --same-device: their times are then kept apart.",
        )


def _why_of_another_target(records: Sequence[ImportedRecord], target: tvm.target.Target) -> str:
    own = compiled_for(json.loads(target_json(target)))
    others = [found for r in records if r.target and (found := compiled_for(r.target)) != own]
    if not others:
        return ""
    first, count = others[0].words, len(others)
    return (
        f"Records measured for {first}, not for this project's {own.words}: {count} of {len(records)}; they were taken"
        " over."
    )


def _add_run(
    project: Project,
    run: dict[str, Any],
    tasks: dict[int, TuningTask],
    fitting: dict[int, list[ImportedRecord]],
    command: ImportRecords,
    folder: Path,
) -> int:
    """One transaction: a run with a round for each task, and the records as its trials."""
    with project.transaction():
        target_id, ids = run["target_id"], {task_id: task_id for task_id in tasks}
        if not command.same_device:
            digest = hashlib.sha256((folder / RECORDS).read_bytes()).hexdigest()[:16]
            text = project.work.target(target_id)["text"]
            target_id = project.work.add_target(text, f"device of {folder.name}", f"records-{digest}")
            ids = dict(
                zip(tasks, project.work.add_tasks(run["model_id"], target_id, list(tasks.values())), strict=True)
            )
        settings = msgspec.structs.replace(settings_from(run["settings"]), caches=_CACHES).as_json()
        columns = {"settings": settings, "versions": run["versions"], "host": run["host"]}
        run_id = project.runs.add(
            run["model_id"], IMPORTED, 0, target_id=target_id, **columns, reason=f"records of {folder}"
        )
        project.runs.add_tasks(run_id, ids.values())
        trials = 0
        for task_id in tasks:
            records = fitting.get(task_id, [])
            if records:
                by_trace = {r.trace: r.seconds for r in sorted(records, key=lambda r: -statistics.median(r.seconds))}
                round_id = project.runs.add_round(run_id, ids[task_id], measured=len(by_trace), valid=len(by_trace))
                project.trials.add_elsewhere(run_id, ids[task_id], round_id, by_trace)
                trials += len(by_trace)  # a trace that comes twice is one
        latency_s = project.runs.latency(run_id)
        project.runs.add_progress(run_id, elapsed_s=0.0, trials=trials, valid=trials, latency_s=latency_s)
        project.runs.update(run_id, state="finished", pid=None, budget_trials=trials)
    return run_id
