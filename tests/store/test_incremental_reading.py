"""A reader that stays open sees what a fresh one sees, however the rows came in between."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from databases import connected

sys.path.insert(0, str(Path(__file__).parents[1] / "studio"))

from project_factory import make_project

from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "growing.pruner", runs=2, rounds=6, state="stopped")


def everything(reader: ProjectReader) -> list[object]:
    scored, complete = reader.scored(2)
    while not complete:
        scored, complete = reader.scored(2)
    found = [reader.runs(), reader.tasks(2), reader.gains(2), reader.progress(2), reader.failures(2), scored]
    return [*found, reader.tasks(1), reader.rounds(2), reader.rounds(2, 1), reader.worked(2)]


def grow(project: Path, step: int) -> None:
    """What an engine does in a round: its row first, trials with the time, then the row's figures."""
    db = sqlite3.connect(project, isolation_level=None)
    round_id = db.execute(
        "INSERT INTO rounds (run_id, task_id, idx, started) VALUES (2, 1, ?, 0.0)", (100 + step,)
    ).lastrowid
    for trial in range(5):
        candidate = db.execute(
            "INSERT INTO candidates (run_id, task_id, round_id, hash, decisions, origin, draft_score)"
            " VALUES (2, 1, ?, ?, '[]', 'draft', 1.5)",
            (round_id, f"{step}-{trial}"),
        ).lastrowid
        stage, error, seconds = ("run", "crash", None) if trial == 3 else ("ok", "", 1e-3 / (step + trial + 1))
        db.execute(
            "INSERT INTO measurements (candidate_id, run_id, task_id, stage, error, seconds, censored, at, elapsed_s)"
            " VALUES (?, 2, 1, ?, ?, ?, ?, 0, 0)",
            (candidate, stage, error, seconds, int(trial == 2)),
        )
    db.execute(
        "INSERT INTO progress (run_id, elapsed_s, trials, valid, failed, latency_s) VALUES (2, ?, 1, 1, 0, 0.1)",
        (step,),
    )
    db.execute("UPDATE rounds SET explored = 7, draft_s = 2.5 WHERE id = ?", (round_id,))
    db.close()


def test_an_open_reader_follows_what_is_written(project: Path) -> None:
    with ProjectReader(project) as staying:
        for step in range(4):
            with ProjectReader(project) as fresh:
                assert everything(staying) == everything(fresh)
            grow(project, step)
            staying.rounds(2)  # looked at while the round is at work
        with ProjectReader(project) as fresh:
            assert everything(staying) == everything(fresh)


def test_a_run_that_is_looked_at_later_has_all_its_trials(project: Path) -> None:
    with ProjectReader(project) as staying:
        staying.tasks(1)
        grow(project, 1)
        staying.tasks(1)
        with ProjectReader(project) as fresh:
            assert everything(staying) == everything(fresh)


def test_an_open_reader_follows_what_is_told_anew(project: Path) -> None:
    """Of a task whose yardstick was measured in a slow minute, and of rounds that builds come to after others began."""
    with ProjectReader(project) as staying:
        before = everything(staying)
        with Project(project) as writing:
            writing.trials.rescale(1, 0.5, caches="warm")
            first, *_, last = writing.runs.rounds(2)
            writing.runs.update_round(first["id"], learn_s=first["learn_s"] + 1.0, stats='{"late": 1}')
            writing.runs.update_round(last["id"], explored=last["explored"] + 1)
        with ProjectReader(project) as fresh:
            assert everything(staying) == everything(fresh) != before


def test_abandoned_and_failed_trials_are_never_the_best(project: Path) -> None:
    with ProjectReader(project) as reader:
        grow(project, 1_000)
        task = next(row for row in reader.tasks(2) if row["id"] == 1)
        assert task["best_s"] == 1e-3 / 1005
        assert [seconds for _, seconds in reader.gains(2)[1]] == sorted(
            (seconds for _, seconds in reader.gains(2)[1]), reverse=True
        )


def test_the_bests_of_a_task_are_those_of_its_runs(project: Path) -> None:
    """Of trials that are equally fast the first counts, and one that was abandoned or failed never does."""
    grow(project, 1_000)
    with connected(project) as db:
        db.execute("UPDATE measurements SET seconds = 1e-9 WHERE run_id = 1 AND task_id = 1 AND stage = 'ok'")
        db.execute("UPDATE measurements SET seconds = 1e-12 WHERE run_id = 2 AND (censored OR stage <> 'ok')")
    db.close()
    with ProjectReader(project) as reader:
        for task in reader.tasks(1):
            expected = [
                {"id": own["best_candidate_id"], "run_id": run["id"], "task_id": own["id"], "seconds": own["best_s"]}
                for run in reader.runs()
                for own in reader.tasks(run["id"])
                if own["id"] == task["id"] and own["best_s"] is not None
            ]
            assert reader.bests(task["id"]) == expected
        assert [best["run_id"] for best in reader.bests(1)] == [1, 2]
