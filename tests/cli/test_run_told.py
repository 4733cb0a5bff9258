"""What a terminal says at the end of a run, and of it later."""

from __future__ import annotations

import re

from pruner_engine.cli.output import console
from pruner_engine.cli.progress import _view
from pruner_engine.cli.tune import _outcome
from pruner_engine.protocol import Progress, RunFinished
from pruner_engine.resources import resource_dir
from pruner_engine.store.queries.results import is_disturbed
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, pruner_here


def test_latencies_stand_beside_those_of_libraries(tmp_path, warm):
    project = tmp_path / "p.pruner"
    plan = ("--project", project, "--strategy", "random", "--trials", 2, "--set", "check=none", *SMALL)
    said = pruner_here("tune", resource_dir() / "models" / "small-cnn.onnx", *plan)
    outcome, libraries = (line for line in said.splitlines() if line.startswith(("finished", "Libraries")))
    assert re.search(r"finished: 2 trials, \d failed, latency .+ untuned → .+ \(estimated, .+\)", outcome)
    with ProjectReader(project) as reader:
        (row,) = (row for row in reader.libraries(1) if row["seconds"])
    beside = " (timed beside other programs)" if is_disturbed(row) else ""
    assert re.fullmatch(r"Libraries: ONNX Runtime [\d.]+ [nµm]?s" + re.escape(beside), libraries), (
        "PyTorch runs no ONNX file"
    )
    (untried,) = (line for line in said.splitlines() if line.startswith("Untried"))
    with ProjectReader(project) as reader:
        trials = [task["trials"] for task in reader.tasks(1)]
    assert untried.startswith(f"Untried: {trials.count(0)} of {len(trials)} tasks, ")
    assert untried.endswith("an export drafts those that take long")
    assert f"run 1, untried: {trials.count(0)} of" in pruner_here("status", project)
    assert re.search(r"run 1, libraries: ONNX Runtime [\d.]+ [nµm]?s", pruner_here("status", project))


def test_a_run_that_ended_before_anything_was_measured_has_no_latency_to_tell():
    ended = RunFinished(run_id=1, state="stopped", trials=0, valid=0, latency_s=None, untuned_s=2e-3)
    assert _outcome(ended) == "stopped: 0 trials, 0 failed"


def test_a_log_tells_of_a_run_without_a_budget_too(capsys):
    """It goes on until nothing gains any more: nobody knows how long it will take."""
    known = {"run_id": 1, "round_id": 1, "budget_trials": None, "failed": 0, "elapsed_s": 1.0, "left_s": None}
    with _view(console(err=True), quiet=False) as view:
        for trials in range(21):
            view.show(Progress(trials=trials, valid=trials, latency_s=1e-3, untuned_s=2e-3, **known))
    told = capsys.readouterr().err.splitlines()
    assert [line.split(" · ")[:2] for line in told] == [[f"{n} trials", "best 1.00 ms"] for n in (10, 20)]
