"""Runs that start with what another project found best of the same kernels."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine.errors import UserError
from pruner_engine.store.queries.known import best_traces
from pruner_engine.store.reader import ProjectReader
from run_jobs import QUICK, resumed, started
from terminal import parsed

KERNEL = "matmul:32,32,48"


def tuned_into(project: Path, model: str, trials: int, **settings) -> list[msg.Event]:
    """What a run says whose rounds are of two candidates."""
    return started(project, model, trials=trials, settings={**QUICK, "round_trials": 2, **settings})


def notices(said: list[msg.Event]) -> list[str]:
    return [event.text for event in said if isinstance(event, msg.Notice)]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    """Six valid trials of a kernel, none abandoned."""
    project = tmp_path_factory.mktemp("known") / "tuned.pruner"
    tuned_into(project, KERNEL, 6)
    with connected(project) as db:
        assert db.execute("UPDATE measurements SET censored = 0 WHERE stage = 'ok'").rowcount == 6
    return project


def measured(project: Path, run_id: int = 1) -> list[dict]:
    """Candidates of a run in the order of their measurements."""
    with ProjectReader(project) as reader:
        return reader.rows(
            "SELECT c.hash, c.origin, x.seconds FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
            " WHERE x.run_id = ? ORDER BY x.id",
            (run_id,),
        )


def test_the_best_of_the_other_project_are_measured_first_and_the_search_goes_on(tuned, tmp_path):
    best = [row["hash"] for row in sorted(measured(tuned), key=lambda row: row["seconds"])[:3]]
    said = tuned_into(tmp_path / "own.pruner", KERNEL, 6, start_from=str(tuned))
    assert "Kernels that start with what tuned.pruner knows of them: 1 of 1." in notices(said)
    rows = measured(tmp_path / "own.pruner")
    assert [row["hash"] for row in rows[:3]] == best
    assert [row["origin"] for row in rows] == ["known"] * 3 + ["random"] * 3
    assert len({row["hash"] for row in rows}) == 6


def test_a_budget_is_not_exceeded_by_what_is_known(tuned, tmp_path):
    said = tuned_into(tmp_path / "own.pruner", KERNEL, 1, start_from=str(tuned))
    assert said[-1].trials == 1
    assert [row["origin"] for row in measured(tmp_path / "own.pruner")] == ["known"]


def test_a_run_may_start_from_its_own_project(tuned, tmp_path):
    project = Path(shutil.copy(tuned, tmp_path))
    tuned_into(project, KERNEL, 4, start_from=str(project))
    assert [row["origin"] for row in measured(project, 2)] == ["known"] * 3 + ["random"]


def test_what_it_knows_of_other_kernels_and_devices_of_other_kinds_is_left(tuned, tmp_path):
    said = tuned_into(tmp_path / "own.pruner", "matmul:32,32,16", 2, start_from=str(tuned))
    assert "tuned.pruner knows none of the model's kernels." in notices(said)
    with ProjectReader(tuned) as reader:
        kernel = reader.tasks(1)[0]["hash"]
    assert [len(traces) for traces in best_traces(tuned, [kernel], "llvm", 2).values()] == [2]
    assert best_traces(tuned, [kernel], "cuda", 2) == {}


def test_traces_that_do_not_fit_cost_nothing_but_themselves(tuned, tmp_path):
    broken = Path(shutil.copy(tuned, tmp_path / "broken.pruner"))
    with connected(broken) as db:
        texts = ("no trace", json.dumps([[["GetSBlock", [], ["nowhere", "main"], ["b0"]]], []]))
        ids = db.execute("SELECT candidate_id FROM measurements ORDER BY seconds LIMIT 2").fetchall()
        for text, (candidate,) in zip(texts, ids, strict=True):
            db.execute("UPDATE candidates SET trace = ? WHERE id = ?", (text, candidate))
    said = tuned_into(tmp_path / "own.pruner", KERNEL, 4, start_from=str(broken))
    assert said[-1].state == "finished" and said[-1].valid == 4
    assert [row["origin"] for row in measured(tmp_path / "own.pruner")] == ["known"] + ["random"] * 3


def test_a_file_that_is_no_project_is_refused_before_anything_is_loaded(tmp_path):
    (tmp_path / "none.pruner").write_bytes(b"not SQLite at all, but long enough to be looked at" * 9)
    for name in ("none.pruner", "missing.pruner"):
        with pytest.raises(UserError):
            tuned_into(tmp_path / "own.pruner", KERNEL, 2, start_from=str(tmp_path / name))
    assert not (tmp_path / "own.pruner").exists()


def test_a_run_goes_on_without_the_file_that_it_started_from(tuned, tmp_path):
    gone = Path(shutil.copy(tuned, tmp_path / "gone.pruner"))
    tuned_into(tmp_path / "own.pruner", KERNEL, 2, start_from=str(gone))
    gone.unlink()
    said = resumed(tmp_path / "own.pruner", trials=5)
    assert said[-1].state == "finished" and said[-1].trials == 5
    assert any("gone.pruner" in text for text in notices(said))


def test_the_line_of_such_a_run_names_the_project(tuned):
    from pruner_engine.jobs.lines import line_of

    plan = msg.Tune(project="own.pruner", model=KERNEL, settings={"start_from": str(tuned)})
    assert parsed(line_of(plan))["start_from"] == str(tuned)
