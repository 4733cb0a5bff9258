"""Runs that measure with other caches share a project, and no latency."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from pruner_engine.jobs.runs.stored import stored_run, stored_tasks
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.writing.tuning_database import ProjectDatabase
from pruner_engine.store.writing.work import args_as_json, task_of
from pruner_engine.targets.target import resolve_target
from run_jobs import QUICK, started

CACHES = {1: "cold", 2: "warm", 3: "network"}  # of runs, by their ids
COLD, WARM, NETWORK = CACHES


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    project = tmp_path_factory.mktemp("caches") / "p.pruner"
    for caches in CACHES.values():
        started(project, "matmul:64,64,64", settings={**QUICK, "caches": caches})
    return project


def test_each_is_held_against_an_untuned_kernel_of_its_own(tuned):
    with ProjectReader(tuned) as reader, Project(tuned) as project:
        told = {run["id"]: run["untuned_s"] for run in reader.runs()}
        assert told[COLD] and told[WARM] and told[COLD] != told[WARM] == told[NETWORK]
        for run_id, seconds in told.items():
            ((row,), (task,)) = (project.runs.tasks(run_id), reader.tasks(run_id))
            assert row["untuned_s"] == task["untuned_s"] == seconds
            assert project.work.untuned(row["id"], caches=CACHES[run_id]) == seconds
            assert project.runs.latency(run_id) == reader.run(run_id)["latency_s"]


def test_the_best_of_all_runs_are_those_of_its_kind(tuned):
    with Project(tuned) as project:
        run, rows = stored_run(project, None)
        (task,) = stored_tasks(project.path, rows)
        target = resolve_target("auto")
        for run_id, caches in CACHES.items():
            all_runs = ProjectDatabase(project, run["target_id"], target, caches)
            own = ProjectDatabase(project, run["target_id"], target, run_id)
            of_all, of_one = (
                [[float(s) for s in record.run_secs] for record in found.get_top_k(found.commit_workload(task.mod), 9)]
                for found in (all_runs, own)
            )
            assert of_all == of_one != []
            assert len(all_runs) == len(own) == len(of_one)


def test_how_far_arguments_are_in_a_network_stays_with_the_task(tuned):
    """A run that is resumed times as it did before; tasks of earlier versions have no such distances."""
    with Project(tuned) as project:
        _, rows = stored_run(project, NETWORK)
        (task,) = stored_tasks(project.path, rows)
        assert task.reuse == (0, 0, 0), "the only kernel of its network"
        far = dataclasses.replace(task, reuse=(0, 1 << 30, 5))
        shapes = json.dumps(args_as_json(far))
        assert task_of({**rows[0], "shapes": shapes}).reuse == far.reuse
        bare = json.dumps([spec.as_json() for spec in task.args])
        assert task_of({**rows[0], "shapes": bare}).reuse == ()


def test_a_new_run_tells_how_far_arguments_are_in_a_project_that_did_not_know(tuned):
    with Project(tuned) as project:
        run, rows = stored_run(project, NETWORK)
        (task,) = stored_tasks(project.path, rows)
        bare = dataclasses.replace(task, reuse=())
        for known in (bare, task):
            assert project.work.add_tasks(run["model_id"], run["target_id"], [known]) == [rows[0]["id"]]
            (found,) = stored_tasks(project.path, project.runs.tasks(NETWORK))
            assert found.reuse == known.reuse
