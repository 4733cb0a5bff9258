"""A task that is asked about again and again: the project stays open, and what is measured meanwhile counts."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pruner_engine.jobs.workbench import Workbench, workbench
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


def measure_overhead(path: str, bench: Workbench) -> None:
    """Put measurements in that follow the loop overhead far more than the draft takes for right."""
    carry_out(path, "INSERT INTO measurements SELECT * FROM kept WHERE stage = 'ok' AND censored = 0")
    with ProjectReader(path) as reader:
        rows = reader.rows(
            "SELECT x.id, c.sketch_id, c.decisions FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
            " WHERE x.task_id = ? ORDER BY x.id",
            (bench.key[1],),
        )
    sketches = [bench.sketch(row["sketch_id"]) for row in rows]
    measured = [(s.index, s.from_json(row["decisions"]), 1.0) for s, row in zip(sketches, rows, strict=True)]
    names, times, _ = bench.analyzer.components_of(measured)
    taken = 10.0 * times[names.index("overhead")] + 0.1 * times.sum(axis=0)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        told = [(seconds, f"[{seconds}]", row["id"]) for row, seconds in zip(rows, taken.tolist(), strict=True)]
        db.executemany("UPDATE measurements SET seconds = ?, repeats = ? WHERE id = ?", told)


def test_what_was_told_anew_since_the_last_question_counts(project):
    """No measurement has come meanwhile: the times of those that there were are others."""
    row = best_of_first_task()
    bench = workbench(project, row["task_id"])
    measure_overhead(project, bench)

    def predicted() -> float:
        asked = workbench(project, row["task_id"])
        return asked.explained(asked.sketch(row["sketch_id"]), row["decisions"], kept=True).latency_s

    before = predicted()
    with Project(project) as writer:
        writer.trials.rescale(row["task_id"], 0.25, caches="network")
    assert predicted() == pytest.approx(before / 4)


def test_a_writer_that_comes_after_a_question_leaves_one_whole_file(project):
    bench = workbench(project, best_of_first_task()["task_id"])
    for suffix in ("-wal", "-shm"):  # what a reader alone leaves
        assert Path(project + suffix).exists()
    bench.let_go()
    with Project(project) as writer, writer.transaction() as db:
        db.execute("DELETE FROM kept")
    assert not Path(f"{project}-wal").exists()
    bench.refresh()
