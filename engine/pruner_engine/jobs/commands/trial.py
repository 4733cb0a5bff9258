"""Rows of decisions that a user chose: measured at once, or put into a run's search."""

from __future__ import annotations

from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.measuring import measurer_for
from pruner_engine.jobs.runs.stored import refuse_other_device
from pruner_engine.jobs.workbench import workbench
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.protocol import Phase, Pin, Pinned, Tried, Try
from pruner_engine.search.settings import settings_from
from pruner_engine.search.yardstick import keep_yardstick, restore_yardstick
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.sketch import trace_json
from pruner_engine.store.project import Project


def try_row(command: Try, job: JobContext) -> None:
    """Measure a row and commit it as a trial of the run, in a round of its own."""
    job.emit(Phase(name="build"))
    bench = workbench(command.project, command.task_id)
    candidate = bench.candidate(command.sketch_id, command.decisions)
    bench.let_go()
    with Project.existing(command.project) as project:
        run = _run(project, command.run_id, command.task_id)
        known = project.trials.measured_as(command.run_id, command.task_id, candidate.hash)
        if known is None:
            settings = settings_from(run["settings"])
            refuse_other_device(project.work.target(run["target_id"]), bench.target, settings)
            bench.apply(candidate)
            sketch_ids = project.work.add_sketches(command.task_id, bench.space.sketches)
            assert candidate.schedule is not None
            with measurer_for(bench.target, settings) as measurer:
                restore_yardstick(project, bench.task, command.task_id, measurer, job.notice)
                results: list[MeasureResult] = []
                inputs = [MeasureInput(candidate.hash, candidate.schedule.mod)]
                measurer.measure(bench.task, inputs, best_s=None, on_result=results.append)
                with project.transaction():
                    candidate_id = _commit(project, run, command.task_id, sketch_ids, candidate, results[0])
                    keep_yardstick(project, bench.task, command.task_id, measurer, candidate_id, candidate.hash)
        row = project.trials.measured_as(command.run_id, command.task_id, candidate.hash)
    assert row is not None
    told = {name: row[name] for name in ("candidate_id", "stage", "seconds", "error", "message")}
    job.emit(Tried(before=known is not None, **told))


def pin_row(command: Pin, job: JobContext) -> None:
    """Leave a row in the project file for the run's next session."""
    bench = workbench(command.project, command.task_id)
    candidate = bench.candidate(command.sketch_id, command.decisions)
    bench.let_go()
    with Project.existing(command.project) as project:
        _run(project, command.run_id, command.task_id)
        known = project.trials.measured_as(command.run_id, command.task_id, candidate.hash)
        if known is None:
            sketch_ids = project.work.add_sketches(command.task_id, bench.space.sketches)
            candidate_id = project.trials.pin(command.run_id, command.task_id, sketch_ids, candidate)
        else:
            candidate_id = known["candidate_id"]
    job.emit(Pinned(candidate_id=candidate_id, before=known is not None))


def _run(project: Project, run_id: int, task_id: int) -> dict[str, Any]:
    if not project.runs.tunes(run_id, task_id):
        raise UserError(f"Run {run_id} does not tune task {task_id}.", "`pruner tasks --run` lists what it tunes.")
    return project.runs.get(run_id)


def _commit(
    project: Project,
    run: dict[str, Any],
    task_id: int,
    sketch_ids: list[int],
    candidate: Candidate,
    result: MeasureResult,
) -> int:
    """Write the round, the trial, and a point of the curve; returns the candidate's id."""
    assert candidate.schedule is not None
    figures = {"measured": 1, "valid": int(result.ok), "build_s": result.build_s, "run_s": result.run_s}
    round_id = project.runs.add_round(run["id"], task_id, **figures)
    candidate_id = project.trials.add_candidates(run["id"], task_id, round_id, sketch_ids, [candidate])[candidate.hash]
    trace = trace_json(candidate.schedule.trace)
    project.trials.add_measurement(run["id"], task_id, candidate_id, trace, result, run["elapsed_s"])
    trials, valid = project.trials.counts(run["id"])
    latency_s = project.runs.latency(run["id"])
    project.runs.add_progress(run["id"], elapsed_s=run["elapsed_s"], trials=trials, valid=valid, latency_s=latency_s)
    return candidate_id
