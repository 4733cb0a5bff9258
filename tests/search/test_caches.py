"""Runs that measure with other caches share a project, and no latency."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import tvm

from pruner_engine.jobs.measuring import measurer_for
from pruner_engine.jobs.stored import stored_run, stored_tasks
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.tuning_database import ProjectDatabase
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import LAYOUT_FREE
from run_jobs import QUICK, started
from schedules import task_of

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


@pytest.mark.parametrize(
    ("caches", "calls", "passing"), [("network", 1_000_000, 1_000_001), ("network", 1, 0), ("warm", 1_000_000, 0)]
)
def test_weights_of_the_whole_network_pass_through_the_caches_where_they_do_not_fit(caches, calls, passing):
    """Those of all calls of an inference."""
    target = resolve_target("auto")
    plain = task_of("matmul:16,128,64")
    assert plain.weights_bytes == 0, "both operands are inputs"
    function = plain.mod["main"].with_attr(LAYOUT_FREE, [1])
    task = dataclasses.replace(plain, mod=tvm.IRModule({"main": function}))
    size = 128 * 64 * 4
    assert task.weights_bytes == size
    with measurer_for(target, SearchSettings(caches=caches), [task, dataclasses.replace(task, weight=calls)]) as found:
        assert found.options.weights_bytes == passing * size
