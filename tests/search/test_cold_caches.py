"""Runs that measure with cold caches and runs that do not share a project, and no latency."""

from __future__ import annotations

from pathlib import Path

import pytest

from pruner_engine import protocol as msg
from pruner_engine.jobs import tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.stored import stored_run, stored_tasks
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.tuning_database import ProjectDatabase
from pruner_engine.targets.target import resolve_target

COLD, WARM = 1, 2  # ids of the runs


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    project = tmp_path_factory.mktemp("caches") / "p.pruner"
    for cold in (True, False):
        settings = {"check": "none", "repeats": 1, "cold_cache": cold}
        command = msg.Tune(
            project=str(project), model="matmul:64,64,64", strategy="random", trials=4, settings=settings
        )
        tune.start(command, JobContext(lambda _: None))
    return project


def test_each_is_held_against_an_untuned_kernel_of_its_own(tuned):
    with ProjectReader(tuned) as reader, Project(tuned) as project:
        told = {run["id"]: run["untuned_s"] for run in reader.runs()}
        assert told[COLD] and told[WARM] and told[COLD] != told[WARM]
        for run_id, seconds in told.items():
            ((row,), (task,)) = (project.runs.tasks(run_id), reader.tasks(run_id))
            assert row["untuned_s"] == task["untuned_s"] == seconds
            assert project.work.untuned(row["id"], cold=run_id == COLD) == seconds
            assert project.runs.latency(run_id) == reader.run(run_id)["latency_s"]


def test_the_best_of_all_runs_are_those_of_its_kind(tuned):
    with Project(tuned) as project:
        run, rows = stored_run(project, None)
        (task,) = stored_tasks(project.path, rows)
        target = resolve_target("auto")
        for run_id in (COLD, WARM):
            all_runs = ProjectDatabase(project, run["target_id"], target, None, cold=run_id == COLD)
            own = ProjectDatabase(project, run["target_id"], target, run_id)
            of_all, of_one = (
                [[float(s) for s in record.run_secs] for record in found.get_top_k(found.commit_workload(task.mod), 9)]
                for found in (all_runs, own)
            )
            assert of_all == of_one != []
