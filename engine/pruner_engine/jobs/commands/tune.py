"""The job that starts or resumes a run."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import Literal

import tvm

from pruner_engine.caches import Caches
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.boards import asked_board, run_target, tell_board
from pruner_engine.jobs.runs.checks import asked_budget, check_seed, check_strategy, check_without, refuse_overspent
from pruner_engine.jobs.runs.converting import converted
from pruner_engine.jobs.runs.known import check_known, take_known
from pruner_engine.jobs.runs.measuring import check_tracker, measured_on, measurer_for
from pruner_engine.jobs.runs.open_run import BY_THE_USER, OpenRun
from pruner_engine.jobs.runs.preparing import Work, prepare_run, prepared, target_here
from pruner_engine.jobs.runs.surroundings import host, versions
from pruner_engine.protocol import Notice, Phase, Resume, RunFinished, RunStarted, State, Tune
from pruner_engine.search.budget import Budget, renewed
from pruner_engine.search.plugin_values import calibration_of
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.search.strategies import check_settings
from pruner_engine.search.task_state import end_to_end, untuned
from pruner_engine.search.tuner import Tuner
from pruner_engine.store.project import Project
from pruner_engine.store.run_states import IMPORTED, no_run
from pruner_engine.targets.boards import refuse_unfit
from pruner_engine.targets.profiling import keep_calibration
from pruner_engine.targets.target import refuse_foreign, target_json

_CALIBRATED: Caches = "network"  # of which a device's calibration is: others move the draft's times elsewhere
_ROOM = 100 << 20  # bytes; thousands of trials take some tens of megabytes


def start(command: Tune, job: JobContext) -> None:
    """Load, prepare and tune a model into a new run of the project."""
    check_strategy(command.strategy)
    settings = settings_from(command.settings)
    check_without(settings.without_rules)
    check_known(settings.start_from)
    budget = asked_budget(command)
    check_seed(command.seed)
    job.emit(Phase(name="load", detail=command.model))
    check_tracker(settings)
    check_settings(command.strategy, settings)
    model = load_model(command.model, command.inputs or None, fixed=settings.fixed, allow_code=command.allow_code)
    target = run_target(command.target, board := asked_board(settings, job))
    if board is None:
        refuse_foreign(target)
    with Project(command.project) as project:
        run_id = project.runs.add(
            project.work.add_model(model),
            command.strategy,
            command.seed,
            asked_target=command.target,
            target_id=_add_target(project, target, settings),
            budget_trials=budget.trials,
            budget_s=budget.seconds,
            settings=settings.as_json(),
            versions=json.dumps(versions()),
            host=json.dumps(host()),
            socket=job.socket,
        )
        run = OpenRun(project, run_id, job)
        job.emit(RunStarted(project=str(project.path), run_id=run.id))
        _tell_little_room(run)
        with run.under_way():
            model = converted(run, model, settings.dtype)
            tell_board(run, target, board)
            work = prepare_run(run, model, target, board)
            del model  # its weights, which tuning does not need
            _tune(run, work, settings)


def resume(command: Resume, job: JobContext) -> None:
    """Go on with a run: what it measured counts, its budget goes on from there."""
    asked = asked_budget(command)
    job.emit(Phase(name="load", detail=command.project))
    with Project.existing(command.project) as project:
        run = OpenRun(project, _run_to_resume(project, command), job)
        row = run.row
        if row["strategy"] == IMPORTED:
            raise UserError(
                f"Run {run.id} holds what others measured, and is not tuned on.",
                "Start a new one; `--start-from` measures first what this project knows.",
            )
        check_strategy(row["strategy"])
        spent = Budget(project.trials.counts(run.id)[0], row["elapsed_s"])
        refuse_overspent(run.id, spent, asked)
        settings = settings_from(row["settings"])
        check_tracker(settings)
        if not project.runs.has_learned(run.id):  # else its own model serves, whatever has become of the checkpoint
            check_settings(row["strategy"], settings)
        target = target_here(run)
        if (board := asked_board(settings, job)) is not None:
            refuse_unfit(board, target)
        budget = renewed(Budget(row["budget_trials"], row["budget_s"]), spent=spent, asked=asked)
        run.update(
            budget_trials=budget.trials,
            budget_s=budget.seconds,
            pid=os.getpid(),
            socket=job.socket,
            state="preparing",
            reason="",
        )
        job.emit(RunStarted(project=str(project.path), run_id=run.id, resumed=True))
        _tell_little_room(run)
        with run.under_way():
            _tune(run, prepared(run, target, board), settings)


def _run_to_resume(project: Project, command: Resume) -> int:
    """The run that was named, else the newest that has budget left or is given more.

    Raises:
        UserError: there is none.
    """
    if command.run_id is not None:
        return command.run_id
    unfinished, newest = project.runs.newest_unfinished(), project.runs.newest()
    if unfinished is not None:
        return unfinished
    if newest is None:
        raise no_run(project.path)
    if not (command.trials or command.minutes):
        raise UserError(
            "Every run of this project has spent its budget.", "Give a larger one with --trials or --minutes."
        )
    return newest


def _add_target(project: Project, target: tvm.target.Target, settings: SearchSettings) -> int:
    device = measured_on(target, settings)
    return project.work.add_target(target_json(target), device.name, device.fingerprint)


def _tell_little_room(run: OpenRun) -> None:
    """Warn of a disk that will end the run, before it begins."""
    path = run.project.path
    if (free := shutil.disk_usage(path.parent).free) < _ROOM:
        text = f"The disk that holds {path} is nearly full: {free >> 20} MB are free."
        hint = "Free some space: a run ends where the disk is full, and goes on with a resume."
        run.note(Notice(level="warning", text=text, hint=hint))


def _tune(run: OpenRun, work: Work, settings: SearchSettings) -> None:
    if settings.start_from:
        take_known(run, settings.start_from, work)
    row = run.row
    if row["budget_trials"] is None and settings.trials_per_task:
        row["budget_trials"] = settings.trials_per_task * len(work.states)
    run.update(state="tuning", budget_trials=row["budget_trials"])
    # Whoever paused it while it was prepared is told right: the search holds before its first round
    run.job.emit(State(name="tuning" if run.job.control.running.is_set() else "paused"))
    calibrates = settings.calibrated and settings.caches == _CALIBRATED
    plan = RunPlan(
        run_id=run.id,
        states=work.states,
        target=work.target,
        profile=work.profile if calibrates else replace(work.profile, calibration={}),
        strategy=row["strategy"],
        seed=row["seed"],
        settings=settings,
        budget=Budget(row["budget_trials"], row["budget_s"]),
    )
    with measurer_for(work.target, settings) as measurer:
        tuner = Tuner(run.project, plan, run.job.control, run.job.emit)  # a strategy loads what it learns with
        measurer.wait_until_up()  # not in the run's time
        tuner.run(measurer)
    factors = calibration_of(plan.strategy, tuner.strategy.calibration()) if calibrates and not settings.rpc else None
    if factors is not None:  # what the next drafts for this machine's device begin with
        keep_calibration(work.target, factors, tuner.log.notice)
    _finish(run, tuner)


def _finish(run: OpenRun, tuner: Tuner) -> None:
    stopped = run.job.control.stop.is_set()
    state: Literal["finished", "stopped", "failed"] = "stopped" if stopped else "finished"
    reason = BY_THE_USER if stopped else ""
    if not stopped and tuner.log.valid == 0:
        state, reason = "failed", _why_nothing_valid(run, over=tuner.clock.out_of_time)
    run.update(state=state, reason=reason, elapsed_s=tuner.clock.elapsed_s, phase="", pid=None, socket="")
    run.job.emit(
        RunFinished(
            run_id=run.id,
            state=state,
            trials=tuner.log.trials,
            valid=tuner.log.valid,
            latency_s=end_to_end(tuner.states),
            untuned_s=untuned(tuner.states),
            reason=reason,
        )
    )
    if not run.job.control.pinned.empty():  # what is pinned from now on is a job of its own
        tuner.take_pinned()
        run.update(phase="")  # a task that was not tuned has got its space


def _why_nothing_valid(run: OpenRun, *, over: bool) -> str:
    groups = run.project.trials.failures(run.id)
    if not groups:
        trouble = run.project.runs.first_trouble(run.id)
        if not trouble and over:
            return "The time was over before a candidate was measured: `pruner resume` with more --minutes goes on."
        return f"No candidate was measured. {trouble or 'Run `pruner doctor`.'}"
    counts = ", ".join(f"{g['n']} {g['stage']} {g['error']}" for g in groups)
    return f"No candidate could be measured ({counts}). The first reason: {groups[0]['message']}"
