"""Rounds under way: one is begun before the last is learned from, and on a GPU none waits for its slowest builds."""

import json
import multiprocessing
import os
import signal
from dataclasses import replace

import pruner_engine.search.strategies  # noqa: F401  registers them
from cuda_compiler import needs_cuda_compiler
from pruner_engine.draft import analyzer_for
from pruner_engine.frontends import load_model
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.jobs.runs.preparing import prepare_run, prepared
from pruner_engine.jobs.watchdog import LIMITS
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.protocol import Phase, Progress
from pruner_engine.search.budget import Budget
from pruner_engine.search.control import Control
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.search.task_state import TaskState
from pruner_engine.search.tuner import Tuner
from pruner_engine.store.project import Project
from pruner_engine.targets.target import device_of, resolve_target, target_json
from run_jobs import started
from schedules import CPU, random_schedule, task_of
from stand_in import held_builder, stand_in  # noqa: F401  a fixture

HOPPER = resolve_target("h100")
ROUND = 4
SETTINGS = {"round_trials": ROUND, "population": 32, "draft_set": 16, "fresh_samples": 2, "model": "xgb"}
SETTINGS |= {"check": "none", "repeats": 1}


class Impatient(Control):
    """Goes on as soon as it has come to hold."""

    def wait_while_paused(self):
        self.running.set()
        return super().wait_while_paused()


def tune(path, trials, *, target=HOPPER, emit=lambda event, control, *builder: None, hold=False, second=""):
    """Start or go on with the project's run.

    Args:
        trials: of the whole run.
        emit: takes each event, what steers the run, and the builder that is held.
        hold: one of two builders stands still from the beginning.
        second: a workload whose kernel a new run tunes besides.
    """
    control, held = Impatient(), []
    job = JobContext(lambda event: emit(event, control, *held), control)
    with Project(path) as project:
        if (run_id := project.runs.newest()) is None:
            model = load_model("matmul:64,64,64")
            run_id = project.runs.add(
                project.work.add_model(model),
                "pruner",
                0,
                target_id=project.work.add_target(target_json(target), "a stand-in", device_of(target).fingerprint),
                budget_trials=trials,
                settings=settings_from(json.dumps(SETTINGS)).as_json(),
                versions="{}",
                host="{}",
            )
            work = prepare_run(OpenRun(project, run_id, job), model, target)
            if second:
                row, task = project.runs.get(run_id), task_of(second, target)
                ids = project.work.add_tasks(row["model_id"], row["target_id"], [task])
                project.runs.add_tasks(run_id, ids, [1])
                work.states.append(TaskState(task, ids[0]))
        else:
            work = prepared(OpenRun(project, run_id, job), target)
        plan = RunPlan(
            run_id,
            work.states,
            target,
            work.profile,
            "pruner",
            seed=0,
            settings=settings_from(json.dumps(SETTINGS)),
            budget=Budget(trials, None),
        )
        options = MeasureOptions(build_workers=2, check="none", repeats=1, build_timeout_s=600)
        with Measurer(target, options) as measurer:
            if hold:
                for state in work.states:  # nothing else is built before the first round
                    state.untuned_s = 1.0
                mod = random_schedule(work.states[0].task, target).mod
                held.append(held_builder(measurer, MeasureInput("first", mod)))
            Tuner(project, plan, control, job.emit).run(measurer)
        return project.runs.rounds(run_id), project.trials.measured(run_id)


@needs_cuda_compiler
def test_a_slow_build_joins_a_later_round_and_counts_in_its_own(stand_in, tmp_path):  # noqa: F811
    phases = []

    def emit(event, control, builder=None):
        if isinstance(event, Phase):
            phases.append(event.name)
            if event.name == "learn" and phases.count("learn") == 2:
                builder.resume()

    rounds, trials = tune(tmp_path / "p.pruner", 3 * ROUND, emit=emit, hold=True)
    learned = [json.loads(row["stats"])["samples"] for row in rounds]
    assert learned == [ROUND - 1, 2 * ROUND - 1, 3 * ROUND]
    assert [row["measured"] for row in rounds] == [ROUND] * 3
    assert len({trial["hash"] for trial in trials}) == len(trials) == 3 * ROUND
    places = [number for number, trial in enumerate(trials) if trial["round_id"] == rounds[0]["id"]]
    assert places[:3] == [0, 1, 2] and places[3] >= 2 * ROUND - 1
    assert phases.index("learn") > [n for n, name in enumerate(phases) if name == "verify"][1], "it was begun before"


@needs_cuda_compiler
def test_a_slow_build_of_a_task_that_is_tuned_no_more_is_measured_all_the_same(stand_in, tmp_path):  # noqa: F811
    learned = []

    def emit(event, control, builder=None):
        if isinstance(event, Phase) and event.name == "learn":
            learned.append(event.task)
            if len(learned) == 1:
                control.steering.put((1, "freeze"))
                builder.resume()

    rounds, trials = tune(tmp_path / "p.pruner", 10, emit=emit, hold=True, second="matmul:32,32,32")
    assert [(row["task_id"], row["measured"]) for row in rounds] == [(1, 3), (2, 3), (2, 4)]
    assert [trial["task_id"] for trial in trials[:3]] == [1, 1, 2], "it was not waited for"
    assert len({trial["hash"] for trial in trials}) == len(trials) == 10


@needs_cuda_compiler
def test_a_pause_breaks_rounds_off_and_they_are_made_up_for(stand_in, tmp_path):  # noqa: F811
    def emit(event, control, builder=None):
        if isinstance(event, Progress) and event.trials == ROUND - 1:
            builder.resume()
            control.running.clear()

    _, trials = tune(tmp_path / "p.pruner", 2 * ROUND, emit=emit, hold=True)
    assert len({trial["hash"] for trial in trials}) == len(trials) == 2 * ROUND


def _die(path):
    def emit(event, control, builder=None):
        if isinstance(event, Progress) and event.trials == ROUND + 1:
            os.kill(os.getpid(), signal.SIGKILL)

    tune(path, 2 * ROUND, emit=emit, hold=True)


@needs_cuda_compiler
def test_death_with_builds_under_way_costs_no_trial(stand_in, tmp_path):  # noqa: F811
    process = multiprocessing.get_context("spawn").Process(target=_die, args=(tmp_path / "p.pruner",))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Project(tmp_path / "p.pruner") as project:
        before = project.trials.measured(1)
    rounds, trials = tune(tmp_path / "p.pruner", 2 * ROUND)
    assert trials[: ROUND + 1] == before and len(before) == ROUND + 1
    assert len({trial["hash"] for trial in trials}) == len(trials) == 2 * ROUND
    assert [row["idx"] for row in rounds[:2]] == [0, 1], "those that were begun are in the file"


def test_on_a_cpu_a_round_is_begun_before_that_of_another_task_is_learned_from(tmp_path):
    phases = []

    def emit(event, control):
        if isinstance(event, Phase) and event.name in ("verify", "learn"):
            phases.append((event.name, event.task))

    rounds, trials = tune(tmp_path / "p.pruner", 4 * ROUND, target=CPU, emit=emit, second="matmul:32,32,32")
    first, second = phases[0][1], phases[1][1]
    assert first != second and phases[:3] == [("verify", first), ("verify", second), ("learn", first)]
    for task in (first, second):
        own = [name for name, of in phases if of == task]
        assert own == ["verify", "learn"] * (len(own) // 2), "never ahead of what it teaches itself"
    assert all("probe_s" in json.loads(row["stats"]) for row in rounds)
    assert len({trial["hash"] for trial in trials}) == len(trials) == 4 * ROUND


def test_what_a_model_learns_of_candidates_is_of_the_runs_device_whoever_asks_first(tmp_path):
    """A resumed run on a board featurises what it has measured before it drafts anything."""
    started(tmp_path / "p.pruner", trials=2)
    with Project(tmp_path / "p.pruner") as project:
        work = prepared(OpenRun(project, 1, JobContext(lambda event: None)), CPU)
        board = replace(work.profile, cores=7)
        plan = RunPlan(1, work.states, CPU, board, "pruner", seed=0, settings=SearchSettings(), budget=Budget(4, None))
        Tuner(project, plan, Control(), lambda event: None).planner.generate_space(work.states[0])
        assert analyzer_for(work.states[0].space).profile == board


def test_a_strategy_that_tells_no_phase_is_watched_while_it_proposes(tmp_path):
    """No watchdog looks while candidates are measured, which may have been the phase before."""
    started(tmp_path / "p.pruner", trials=2)
    phases = []
    with Project(tmp_path / "p.pruner") as project:
        work = prepared(OpenRun(project, 1, JobContext(lambda event: None)), CPU)
        plan = RunPlan(
            1, work.states, CPU, work.profile, "random", seed=1, settings=SearchSettings(), budget=Budget(4, None)
        )
        tuner = Tuner(project, plan, Control(), lambda event: phases.append(event.name))
        tuner.strategy.context = replace(tuner.strategy.context, on_phase=lambda *_: None)
        tuner.planner.generate_space(work.states[0])
        tuner.log.phase("measure", "")
        assert tuner.planner.plan(work.states[0]) is not None
    assert phases[-1] in LIMITS
