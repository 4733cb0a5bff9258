"""A task that is asked about again and again: the project stays open, and what is measured meanwhile counts."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from pruner_engine.jobs.workbench import workbench
from pruner_engine.resources import resource_dir
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


@pytest.fixture
def project(tmp_path: Path) -> str:
    """The sample, what was measured of it put aside."""
    path = str(shutil.copy(SAMPLE, tmp_path / "asked.pruner"))
    carry_out(
        path, "PRAGMA journal_mode=WAL", "CREATE TABLE kept AS SELECT * FROM measurements", "DELETE FROM measurements"
    )
    return path


def carry_out(path: str, *statements: str) -> None:
    """As another process does."""
    db = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()


def best_of_first_task() -> dict:
    with ProjectReader(SAMPLE) as reader:
        return reader.candidate(reader.tasks(reader.run()["id"])[0]["best_candidate_id"])


def test_what_was_measured_since_the_last_question_counts(project):
    row = best_of_first_task()
    bench = workbench(project, row["task_id"])
    sketch = bench.sketch(row["sketch_id"])
    before = bench.explained(sketch, row["decisions"], kept=True)
    assert workbench(project, row["task_id"]).explained(sketch, row["decisions"], kept=True) is before
    carry_out(project, "INSERT INTO measurements SELECT * FROM kept")
    assert workbench(project, row["task_id"]) is bench
    after = bench.explained(sketch, row["decisions"], kept=True)
    assert after is not before, "it is told by the new calibration"
    assert after == bench.analyzer.explain(sketch.index, sketch.from_json(row["decisions"]))


def test_a_writer_that_comes_after_a_question_leaves_one_whole_file(project):
    bench = workbench(project, best_of_first_task()["task_id"])
    for suffix in ("-wal", "-shm"):  # what a reader alone leaves
        assert Path(project + suffix).exists()
    bench.let_go()
    with Project(project) as writer, writer.transaction() as db:
        db.execute("DELETE FROM kept")
    assert not Path(f"{project}-wal").exists()
    bench.refresh()
