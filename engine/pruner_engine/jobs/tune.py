"""The job that starts or resumes a run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import tvm

from pruner_engine import rule_names
from pruner_engine.errors import StoppedError, UserError, of_surroundings
from pruner_engine.frontends import load_model
from pruner_engine.jobs.converting import converted
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.known import check_known, take_known
from pruner_engine.jobs.measuring import check_tracker, measured_on, measurer_for
from pruner_engine.jobs.noting import note
from pruner_engine.jobs.preparing import Work, prepare_run, prepared
from pruner_engine.jobs.surroundings import host, versions
from pruner_engine.plugins import load_plugins
from pruner_engine.protocol import Notice, Phase, Resume, RunFinished, RunStarted, State, Tune
from pruner_engine.search.budget import Budget, renewed
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.search.strategies import check_settings, strategy_names
from pruner_engine.search.task_state import end_to_end, untuned
from pruner_engine.search.tuner import Tuner
from pruner_engine.space.rules import GPU_RULES, OWN_RULES
from pruner_engine.store.project import Project
from pruner_engine.store.runs import IMPORTED, no_run
from pruner_engine.targets.profiling import keep_calibration
from pruner_engine.targets.target import refuse_foreign, resolve_target, target_json
from pruner_engine.units import duration

_BY_THE_USER = "stopped by the user"
_ROOM = 100 << 20  # bytes; thousands of trials take some tens of megabytes


def start(command: Tune, job: JobContext) -> None:
    """Load, prepare and tune a model into a new run of the project."""
    load_plugins(command.plugins)
    _check_strategy(command.strategy)
    settings = settings_from(command.settings)
    _check_without(settings.without_rules)
    check_known(settings.start_from)
    _check_budget(command)
    if command.seed < 0:
        raise UserError(f"{command.seed} is no seed.", "Give 0 or a larger number.")
    job.emit(Phase(name="load", detail=command.model))
    check_tracker(settings)
    check_settings(command.strategy, settings)
    model = load_model(command.model, command.inputs or None, allow_code=command.allow_code)
    target = resolve_target(command.target)
    if not settings.rpc:
        refuse_foreign(target)
    with Project(command.project) as project:
        model_id = project.work.add_model(model)
        run_id = project.runs.add(
            model_id,
            command.strategy,
            command.seed,
            target_id=_add_target(project, target, settings),
            budget_trials=command.trials,
            budget_s=None if command.minutes is None else command.minutes * 60,
            settings=settings.as_json(),
            versions=json.dumps(versions()),
            host=json.dumps(host()),
            socket=job.socket,
        )
        job.emit(RunStarted(project=str(project.path), run_id=run_id))
        _tell_little_room(project, run_id, job)
        with _run_state(project, run_id, job):
            model = converted(project, run_id, model, settings.dtype, job)
            _tune(project, run_id, prepare_run(project, run_id, model, target, job), job, settings)


def resume(command: Resume, job: JobContext) -> None:
    """Go on with a run: what it measured counts, its budget goes on from there."""
    load_plugins(command.plugins)
    _check_budget(command)
    job.emit(Phase(name="load", detail=command.project))
    with Project.existing(command.project) as project:
        run_id = command.run_id if command.run_id is not None else project.runs.newest_unfinished()
        if run_id is None and (command.trials or command.minutes):
            run_id = project.runs.newest()
        if run_id is None and project.runs.newest() is None:
            raise no_run(project.path)
        if run_id is None:
            raise UserError(
                "Every run of this project has spent its budget.", "Give a larger one with --trials or --minutes."
            )
        row = project.runs.get(run_id)
        if row["strategy"] == IMPORTED:
            raise UserError(
                f"Run {run_id} holds what others measured, and is not tuned on.",
                "Start a new one; `--start-from` measures first what this project knows.",
            )
        _check_strategy(row["strategy"])
        changes: dict[str, Any] = {"pid": os.getpid(), "socket": job.socket, "state": "preparing", "reason": ""}
        spent = Budget(project.trials.counts(run_id)[0], row["elapsed_s"])
        asked = Budget(command.trials, None if command.minutes is None else command.minutes * 60)
        _refuse_less(run_id, spent, asked)
        settings = settings_from(row["settings"])
        check_tracker(settings)
        if not project.runs.has_learned(run_id):  # else its own model serves, whatever has become of the checkpoint
            check_settings(row["strategy"], settings)
        budget = renewed(Budget(row["budget_trials"], row["budget_s"]), spent=spent, asked=asked)
        project.runs.update(run_id, budget_trials=budget.trials, budget_s=budget.seconds, **changes)
        job.emit(RunStarted(project=str(project.path), run_id=run_id, resumed=True))
        _tell_little_room(project, run_id, job)
        with _run_state(project, run_id, job):
            _tune(project, run_id, prepared(project, run_id, row, job), job, settings)


def _tell_little_room(project: Project, run_id: int, job: JobContext) -> None:
    """A run that the disk will end is told so before it begins."""
    if (free := shutil.disk_usage(project.path.parent).free) < _ROOM:
        text = f"The disk that holds {project.path} is nearly full: {free >> 20} MB are free."
        hint = "Free some space: a run ends where the disk is full, and goes on with a resume."
        note(project, run_id, job, Notice(level="warning", text=text, hint=hint))


def _check_budget(command: Tune | Resume) -> None:
    for name, value in (("trials", command.trials), ("minutes", command.minutes)):
        if value is not None and value <= 0:
            raise UserError(f"A budget of {value} {name} is no budget.", "Give a number above zero.")


def _refuse_less(run_id: int, spent: Budget, asked: Budget) -> None:
    """A budget that was overspent before it was given is a mistake: what was spent is taken for what is to come."""
    hint = "Give a larger budget: what was spent is part of it."
    if asked.trials is not None and asked.trials < (spent.trials or 0):
        raise UserError(f"Run {run_id} has made {spent.trials} trials already, more than {asked.trials}.", hint)
    if asked.seconds is not None and asked.seconds < (spent.seconds or 0.0):
        worked, limit = duration(spent.seconds or 0.0), duration(asked.seconds)
        raise UserError(f"Run {run_id} has worked for {worked} already, more than {limit}.", hint)


def _check_strategy(name: str) -> None:
    if name not in strategy_names():
        raise UserError(
            f'There is no strategy "{name}".',
            f"Use one of {', '.join(strategy_names())}, or name its plugin's file (--plugin; in the window on Start).",
        )


def _check_without(names: Iterable[str]) -> None:
    known = dict.fromkeys((*rule_names.NAMES, *OWN_RULES, *GPU_RULES))  # those of plugins among them
    for name in names:
        if name not in known:
            raise UserError(f'There is no rule or rewrite "{name}" to leave out.', f"There are {', '.join(known)}.")


def _add_target(project: Project, target: tvm.target.Target, settings: SearchSettings) -> int:
    device = measured_on(target, settings)
    return project.work.add_target(target_json(target), device.name, device.fingerprint)


def _tune(project: Project, run_id: int, work: Work, job: JobContext, settings: SearchSettings) -> None:
    if settings.start_from:
        take_known(settings.start_from, project, run_id, work, job)
    row = project.runs.get(run_id)
    if row["budget_trials"] is None and settings.trials_per_task:
        row["budget_trials"] = settings.trials_per_task * len(work.states)
    project.runs.update(run_id, state="tuning", budget_trials=row["budget_trials"])
    # Whoever paused it while it was prepared is told right: the search holds before its first round
    job.emit(State(name="tuning" if job.control.running.is_set() else "paused"))
    plan = RunPlan(
        run_id=run_id,
        states=work.states,
        target=work.target,
        profile=work.profile if settings.calibrated else replace(work.profile, calibration={}),
        strategy=row["strategy"],
        seed=row["seed"],
        settings=settings,
        budget=Budget(row["budget_trials"], row["budget_s"]),
    )
    with measurer_for(work.target, settings, [state.task for state in work.states]) as measurer:
        tuner = Tuner(project, plan, job.control, job.emit)
        tuner.run(measurer)
    keeps = settings.calibrated and not settings.rpc and settings.caches != "cold"
    if keeps and (factors := tuner.strategy.calibration()) is not None:
        keep_calibration(work.target, factors)  # what the next drafts for this machine's device begin with
    _finish(project, run_id, tuner, job)


def _finish(project: Project, run_id: int, tuner: Tuner, job: JobContext) -> None:
    stopped = job.control.stop.is_set()
    state, reason = "stopped" if stopped else "finished", _BY_THE_USER if stopped else ""
    if not stopped and tuner.log.valid == 0:
        state, reason = "failed", _why_nothing_valid(project, run_id)
    project.runs.update(
        run_id, state=state, reason=reason, elapsed_s=tuner.clock.elapsed_s, phase="", pid=None, socket=""
    )
    job.emit(
        RunFinished(
            run_id=run_id,
            state=state,  # type: ignore[arg-type]
            trials=tuner.log.trials,
            valid=tuner.log.valid,
            latency_s=end_to_end(tuner.states),
            untuned_s=untuned(tuner.states),
            reason=reason,
        )
    )


def _why_nothing_valid(project: Project, run_id: int) -> str:
    groups = project.trials.failures(run_id)
    if not groups:
        return f"No candidate was measured. {project.runs.first_trouble(run_id) or 'Run `pruner doctor`.'}"
    counts = ", ".join(f"{g['n']} {g['stage']} {g['error']}" for g in groups)
    return f"No candidate could be measured ({counts}). The first reason: {groups[0]['message']}"


@contextlib.contextmanager
def _run_state(project: Project, run_id: int, job: JobContext) -> Iterator[None]:
    """What becomes of a run meanwhile is in the project file: where it can be reached, and an error that ends it."""

    def moved(socket: str) -> None:
        with contextlib.suppress(UserError):  # it has just ended
            project.runs.update(run_id, socket=socket)

    job.control.on_moved = moved
    try:
        yield
    except StoppedError:  # before there was anything to tune: a resume prepares it anew
        project.runs.update(run_id, state="stopped", reason=_BY_THE_USER, phase="", pid=None, socket="")
        nothing: dict[str, Any] = {"trials": 0, "valid": 0, "latency_s": None, "untuned_s": None}
        job.emit(RunFinished(run_id=run_id, state="stopped", reason=_BY_THE_USER, **nothing))
    except Exception as error:
        said = of_surroundings(error)
        text = str(said) if said is not None else f"{type(error).__name__}: {error}"
        try:
            with project.transaction():
                project.runs.update(run_id, state="failed", reason=text, phase="", pid=None, socket="")
                project.runs.add_event(run_id, "error", text)
        except UserError:  # the disk may be what failed
            project.leave_words(run_id, text)
        raise
    finally:
        job.control.on_moved = None
