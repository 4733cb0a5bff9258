"""The job that exports a tuned model from the project file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tvm.s_tir.meta_schedule.database import MemoryDatabase

from pruner_engine.errors import PhaseSilentError, StoppedError, UserError, first_words
from pruner_engine.export import export_bundle
from pruner_engine.export.compare import bench_e2e, multiplies_words
from pruner_engine.export.place import Place
from pruner_engine.export.staging import place_of
from pruner_engine.export.tuned import TunedModel
from pruner_engine.export.turns import Turns
from pruner_engine.export.untried import drafted_database, most_expected, worth_drafting
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.measuring import measured_on
from pruner_engine.jobs.runs.places import asked_boards, place_for
from pruner_engine.jobs.runs.stored import (
    exported_trials,
    is_this_device,
    stored_model,
    stored_run,
    stored_target,
    stored_tasks,
)
from pruner_engine.library_names import called
from pruner_engine.protocol import Export, Exported, Notice, Phase
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.project import Project
from pruner_engine.store.queries.results import OWN
from pruner_engine.store.writing.tuning_database import ProjectDatabase
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.profiling import profile_for
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

_ON_THE_DEVICE = "Run it on the device with `python run.py --bench`, or on a board: `pruner export --rpc`."


@dataclass(frozen=True)
class _TunedRun:
    """A run of a project, the device that it was tuned on, and its model with what was measured."""

    run: dict[str, Any]
    device: dict[str, Any]
    tuned: TunedModel
    settings: SearchSettings


def _tuned_run(
    project: Project, run_id: int | None, on_phase: Callable[[str, str], None], *, all_runs: bool = False
) -> _TunedRun:
    """The run of that id and the model with the best schedules that it found, or without an id the newest run.

    Args:
        all_runs: take the best of all runs of the model, as is done without an id. Only runs that measured with the
            same state of the caches count: other latencies cannot be held against each other.
    """
    run, rows = stored_run(project, run_id)
    device, target = stored_target(project, run)
    stored = stored_tasks(project.path, rows)
    on_phase("load", str(project.path))
    model = stored_model(project, run)
    on_phase("prepare", model.name)
    settings = settings_from(run["settings"])
    trials = exported_trials(run, run_id, all_runs=all_runs)
    database = ProjectDatabase(project, run["target_id"], target, trials)
    untuned = {row["hash"]: row["untuned_s"] for row in rows if row["untuned_s"]}
    prepared = prepare(model.mod, target, settings.without_rules, settings.settled_layout)
    tasks = extract_tasks(prepared, target)
    present = {task.hash for task in tasks}
    former = [task for task in stored if task.hash not in present]
    tuned = TunedModel(model.facts, prepared, target, tasks, database, untuned, former)
    tuned = _with_drafts(tuned, database.tried, project.path, run, device, on_phase)
    return _TunedRun(run, device, tuned, settings)


def _with_drafts(
    tuned: TunedModel,
    tried: Collection[str],
    project: Path,
    run: dict[str, Any],
    device: dict[str, Any],
    on_phase: Callable[[str, str], None],
) -> TunedModel:
    """The model with drafted schedules of what no trial has reached and takes long, where its device is known."""
    if all(task.hash in tried for task in tuned.tasks):
        return tuned
    with making_sense(project):
        if not (figures := json.loads(device["profile"])):  # of a device that others measured on
            return tuned
        profile = DeviceProfile.from_json(figures)
    untried = worth_drafting(tuned.tasks, tuned.call_s, tried, profile)
    most_s = most_expected(untried, tuned.call_s, profile)
    untried = [task for task in untried if most_s[task.name]]  # the others would stay as they are, whatever is drafted
    if not untried:
        return tuned
    on_phase("draft", ", ".join(task.name for task in untried))
    settings = settings_from(run["settings"])
    drafts, failed = drafted_database(untried, most_s, tuned.target, profile, settings, run["seed"])
    return replace(tuned, drafts=drafts, undrafted=failed)


def _without_drafts_that_fail(
    tuned: TunedModel, act: Callable[[TunedModel], dict[str, Any]], tell: Callable[[Notice], None]
) -> dict[str, Any]:
    """What is made of a model; where that fails with schedules that nobody has measured, of the model without them."""
    try:
        return act(tuned)
    except (StoppedError, PhaseSilentError):
        raise
    except (UserError, RuntimeError) as error:  # TVM's, of a schedule that does not fit
        if not tuned.drafted:
            raise
        why = error.message if isinstance(error, UserError) else first_words(error)
    told = act(replace(tuned, drafts=MemoryDatabase()))  # which raises the same where they are not to blame
    text = f"With kernels as the draft would have them it failed, so that these stay untuned: {why}"
    tell(Notice(level="warning", text=text, hint="Tune longer: what was measured is right."))
    return told


def export(command: Export, job: JobContext) -> None:
    """Write the bundle of a tuned model, and keep what was measured on the way."""

    def phase(name: str, detail: str) -> None:
        if job.control.stop.is_set():
            raise StoppedError("The export was stopped.", "The same command begins anew: the project holds everything.")
        job.emit(Phase(name=name, detail=detail))

    place_of(Path(command.out))  # before the model is loaded
    with Project.existing(command.project) as project:
        found = _tuned_run(project, command.run_id, phase, all_runs=command.all_runs)
        run, model = found.run, found.tuned.model
        info = {
            "model": model.name,
            "sha256": model.file.sha256,
            "run": run["id"],
            "strategy": run["strategy"],
            "seed": run["seed"],
            "device": found.device["device"],
            "fingerprint": found.device["fingerprint"],
        }
        settings = asked_boards(found.settings, command.rpc, command.rpc_key)
        place = place_for(found.tuned.target, settings, boards_only=bool(command.rpc))
        options: dict[str, Any] = {"runs_on": place, "weights_beside": command.weights_beside}
        told = _without_drafts_that_fail(
            found.tuned, lambda tuned: export_bundle(tuned, command.out, info, phase, **options), job.emit
        )
        summary = json.loads(json.dumps(told))  # as it is kept and sent: plain values, keys of TVM's strings too
        summary["on_device"] = _is_on_device(found, place, settings)
        if summary["on_device"]:
            _keep(project, run, summary, OWN if place.where == "boards" else summary["latency"])
        agrees = all(check["ok"] for check in summary["checks"])
        project.runs.add_export(run["id"], summary["out"], agrees, summary)
        for notice in (*_left_out(found.tuned), *_doubts(place, summary["checks"])):
            job.emit(notice)
        job.emit(Exported(out=summary["out"], summary=summary))


def _doubts(place: Place, checks: Collection[dict[str, Any]]) -> list[Notice]:
    """What is to be said of a bundle that was not tried, or does not compute what it should."""
    notices = []
    if place.why_not:
        text = f"The bundle was neither checked nor timed. {place.why_not}"
        notices.append(Notice(level="warning", text=text, hint=_ON_THE_DEVICE))
    for check in checks:
        if not check["ok"]:
            text = f"The outputs are not those of {called(check['against'])}: {check['message']}."
            hint = "Compare on inputs of your own before using it."
            notices.append(Notice(level="warning", text=text, hint=hint))
    return notices


def _is_on_device(found: _TunedRun, place: Place, settings: SearchSettings) -> bool:
    """Whether the library was timed on the device that its run was measured on."""
    if place.where == "boards":
        known: str = found.device["fingerprint"]
        return measured_on(found.tuned.target, settings).fingerprint == known
    return place.where == "here" and is_this_device(found.device, found.tuned.target)


def _left_out(tuned: TunedModel) -> list[Notice]:
    """What is to be said of schedules that the tuned model does not have."""
    notices = []
    if foreign := len(tuned.database.foreign):
        text = f"{foreign} of its schedules would bring native code along and are left out."
        hint = "Pruner Studio writes no such schedules: ask whoever gave you this project."
        notices.append(Notice(level="warning", text=text, hint=hint))
    for name, why in tuned.undrafted.items():
        text = f"No trial has reached {name}, and it could not be drafted: {why.rstrip('.')}."
        notices.append(Notice(level="warning", text=text, hint="Its default kernel is exported: tune it."))
    if unused := _unused(tuned):
        text = f"{unused} of its tuned kernels do not occur in the model as this version of the engine prepares it."
        notices.append(Notice(level="warning", text=text, hint="Tune the model again to have them tuned."))
    return notices


def _unused(tuned: TunedModel) -> int:
    """How many of the former tasks were tuned."""
    return sum(bool(tuned.database.get_top_k(tuned.database.commit_workload(t.mod), 1)) for t in tuned.former)


def compare_libraries(
    path: Path,
    *,
    rounds: int,
    without: Collection[str],
    on_phase: Callable[[str], None],
    rpc: str = "",
    rpc_key: str = "",
) -> dict[str, Any]:
    """`bench_e2e` on the tuned model of a project file; `notices` are sentences about what was compared.

    Args:
        rpc, rpc_key: as `Export` takes them.
    """
    with Project.existing(path) as project:
        found = _tuned_run(project, None, lambda name, detail: on_phase(f"{name} {detail}"))
        tuned, settings = found.tuned, asked_boards(found.settings, rpc, rpc_key)
        place = place_for(tuned.target, settings, boards_only=bool(rpc))
        notices: list[str] = []
        profile = profile_for(tuned.target, lambda _level, text, hint: notices.append(f"{text} {hint}"))
        # of what matrix units compute that peak says nothing
        peak_flops = 0.0 if profile.matrix_flops and multiplies_words(tuned.tasks) else profile.peak_flops
        told = bench_e2e(tuned, Turns(rounds, without=without), peak_flops=peak_flops, on_phase=on_phase, place=place)
        return {**told, "notices": [*notices, *(f"{notice.text} {notice.hint}" for notice in _left_out(tuned))]}


@contextmanager
def tuned_of(path: Path, on_phase: Callable[[str], None], run_id: int | None) -> Iterator[TunedModel]:
    """The tuned model of a project file's run; without an id of the newest, with the best of all runs."""
    with Project.existing(path) as project:
        yield _tuned_run(project, run_id, lambda name, detail: on_phase(f"{name} {detail}")).tuned


def _keep(project: Project, run: dict[str, Any], summary: dict[str, Any], names: Collection[str]) -> None:
    """What an export timed is a baseline of the model on its device; of a library, the calmest minute counts."""
    dtype = settings_from(run["settings"]).dtype
    known = {row["name"]: row["seconds"] for row in project.work.baselines(run["model_id"], run["target_id"], dtype)}
    for name, timing in summary["latency"].items():
        if name not in names:
            continue
        before, now = known.get(name), timing["seconds"]
        if name != "tuned" and before is not None and (now is None or now >= before):
            continue
        project.work.add_baseline(
            run["model_id"],
            run["target_id"],
            dtype,
            name,
            now,
            repeats=json.dumps(timing["repeats"]),
            threads=timing["threads"],
            note=timing["note"],
        )
