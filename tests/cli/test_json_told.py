"""What a terminal says of runs in words stands in its JSON too."""

from __future__ import annotations

import json
from pathlib import Path

from chosen_runs import add_run, make_project, project_of_two
from databases import connected
from pruner_engine.store.project import Project
from pruner_engine.store.queries.results import DISTURBED
from terminal import pruner_here

EVENTS = [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("end", 5.0)]


def test_libraries_timed_beside_others_and_tasks_given_up(tmp_path: Path) -> None:
    path = project_of_two(tmp_path, EVENTS)
    with Project(path) as opened:
        opened.work.add_baseline(1, 1, "float32", "onnxruntime", 0.2, threads=2, note="1.20")
        opened.work.add_baseline(1, 1, "float32", "torch", 0.3, threads=2, note=f"2.9, {DISTURBED}")
    with connected(path) as db:
        db.execute("UPDATE run_tasks SET quarantined = 'It gave no sign of life.' WHERE task_id = 2")
    said = pruner_here("status", path)
    assert f"ONNX Runtime 200 ms, PyTorch 300 ms ({DISTURBED})" in said and "1 of its tasks was given up" in said
    (run,) = json.loads(pruner_here("status", path, "--json"))["runs"]
    assert (run["disturbed"], run["given_up"]) == (["torch"], 1)


def test_how_busy_the_machine_was(tmp_path: Path) -> None:
    path = project_of_two(tmp_path, EVENTS)
    with connected(path) as db:
        db.execute("UPDATE runs SET host = '{\"load\": [0.5, 0.25, 0.1]}'")
    (run,) = json.loads(pruner_here("status", path, "--json"))["runs"]
    assert run["host"]["load"] == [0.5, 0.25, 0.1]


def test_latencies_that_do_not_compare(tmp_path: Path) -> None:
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    add_run(path, "pruner", EVENTS)
    assert json.loads(pruner_here("compare", path, "--json"))["caches_differ"] is False
    add_run(path, "pruner", EVENTS, settings={"caches": "warm"})
    assert "do not compare" in pruner_here("compare", path)
    assert json.loads(pruner_here("compare", path, "--json"))["caches_differ"] is True
