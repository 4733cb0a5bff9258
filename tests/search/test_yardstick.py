"""What all candidates of a task are measured by outlasts the session that chose it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pruner_engine.jobs.stored import stored_tasks
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.yardsticks import Settled
from pruner_engine.search.yardstick import restore_yardstick
from pruner_engine.store.project import Project
from run_jobs import resumed, started
from schedules import CPU

NAME = "yardstick 1 network"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    project = tmp_path_factory.mktemp("yardstick") / "tuned.pruner"
    started(project, "matmul:64,64,64", trials=6)
    return project


def kept_text(project: Project) -> str:
    (row,) = project.query("SELECT value FROM meta WHERE key = ?", (NAME,))
    return row["value"]


def keep_text(project: Project, value: str) -> None:
    with project.transaction() as db:
        db["meta"].upsert({"key": NAME, "value": value}, pk="key")


@pytest.fixture(scope="module")
def measurer():
    """Of sessions that take up no yardstick."""
    with Measurer(CPU, MeasureOptions(check="none", caches="network")) as measurer:
        yield measurer


def taken_up(project: Project, measurer: Measurer) -> Settled | None:
    (row,) = project.runs.tasks(1)
    (task,) = stored_tasks(project.path, [row])
    restore_yardstick(project, task, row["id"], measurer)
    return measurer.yardstick(task)


def test_the_next_session_measures_by_the_same_kernel(tuned):
    with Project(tuned) as project:
        kept = json.loads(kept_text(project))
        (row,) = project.query(
            "SELECT seconds, stage FROM measurements WHERE candidate_id = ?", (kept["candidate_id"],)
        )
        assert row["stage"] == "ok" and row["seconds"] == pytest.approx(kept["seconds"])
        with Measurer(CPU, MeasureOptions(check="none", caches="network")) as measurer:
            assert taken_up(project, measurer) == Settled(str(kept["candidate_id"]), kept["seconds"])


def test_a_second_run_of_the_project_keeps_it(tuned):
    with sqlite3.connect(tuned) as db:
        (before,) = db.execute("SELECT value FROM meta WHERE key = ?", (NAME,)).fetchone()
    resumed(tuned, run_id=1, trials=9)
    with sqlite3.connect(tuned) as db:
        (after,) = db.execute("SELECT value FROM meta WHERE key = ?", (NAME,)).fetchone()
        best = db.execute("SELECT min(seconds) FROM measurements WHERE stage = 'ok' AND NOT censored").fetchone()[0]
    first, second = json.loads(before), json.loads(after)
    same = second["candidate_id"] == first["candidate_id"]
    assert same or second["seconds"] <= first["seconds"] / 2, "only one far better takes its place"
    assert best > second["seconds"] / 2


@pytest.mark.parametrize("value", ["", "no json", "[]", '{"candidate_id": 9999, "seconds": 1.0}', '{"seconds": 1.0}'])
def test_one_that_cannot_be_taken_up_is_passed_over(tuned, measurer, value):
    with Project(tuned) as project:
        kept = kept_text(project)
        keep_text(project, value)
        assert taken_up(project, measurer) is None
        keep_text(project, kept)


def test_what_was_told_in_a_slow_minute_is_told_anew(tuned, tmp_path):
    project = tmp_path / "slow.pruner"
    shutil.copy(tuned, project)
    with Project(project) as open_project:
        kept = json.loads(kept_text(open_project))
        row = "SELECT seconds, repeats FROM measurements WHERE candidate_id = ?"
        (before,) = open_project.query(row, (kept["candidate_id"],))
        open_project.trials.rescale(1, 8.0, caches="cold")  # nothing was measured so
        assert open_project.query(row, (kept["candidate_id"],)) == [before]
        open_project.trials.rescale(1, 8.0, caches="network")
        (slow,) = open_project.query(row, (kept["candidate_id"],))
        assert slow["seconds"] == pytest.approx(8 * before["seconds"])
        keep_text(open_project, json.dumps({**kept, "seconds": 8 * kept["seconds"]}))
    resumed(project, run_id=1, trials=12)
    with Project(project) as open_project:
        anew = json.loads(kept_text(open_project))
        (after,) = open_project.query(row, (kept["candidate_id"],))
        assert anew["seconds"] < 4 * kept["seconds"]
        if anew["candidate_id"] == kept["candidate_id"]:
            assert after["seconds"] / slow["seconds"] == pytest.approx(anew["seconds"] / (8 * kept["seconds"]))
