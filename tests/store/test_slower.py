"""Whether a tuned model is known to be slower than something else, from numbers chosen."""

from __future__ import annotations

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.store.figures.slower import expected, exported
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

ESTIMATE = 0.5  # of every run that `add_run` makes
TRIALS = [("trial", 1, 0.1, 1.0), ("trial", 2, 0.3, 2.0), ("end", 2.0)]


@pytest.fixture
def path(tmp_path):
    """A project whose run is estimated at 0.5 s, beside libraries that take 0.6 s and 0.9 s."""
    made = tmp_path / "p.pruner"
    make_project(made, {"small": (1, 1.0), "large": (1, 1.0)})
    add_run(made, "random", TRIALS)
    measured(made, onnxruntime=0.6, torch=0.9)
    return made


def measured(path, **seconds):
    with Project(path) as project:
        for name, value in seconds.items():
            project.work.add_baseline(1, 1, "float32", name, value, threads=1)


def export(path, run_id, seconds, **more):
    """An export that was just made, and timed on the run's own device unless `more` says otherwise."""
    summary = {"latency": {"tuned": {"seconds": seconds}}, "coverage": {"functions": []}, "on_device": True, **more}
    with Project(path) as project:
        project.runs.add_export(run_id, "out", True, summary)


def tune_on(path, run_id):
    with Project(path) as project:
        project.runs.add_round(run_id, 1)


def known(path, run_id=1, *, all_runs=False):
    with ProjectReader(path) as reader:
        return expected(reader, run_id, all_runs=all_runs)


def test_an_estimate_below_all_libraries_asks_nothing(path):
    measured(path, tuned=0.1)  # an earlier build of its own is nothing that it replaces
    assert known(path) is None


def test_an_estimate_above_a_library_is_known_before_the_export(path):
    measured(path, onnxruntime=0.4, torch=0.3, untuned=None)
    found = known(path)
    assert (found.seconds, found.measured) == (ESTIMATE, False)
    assert list(found.than.items()) == [("torch", 0.3), ("onnxruntime", 0.4)]
    assert found.tasks == ("large", "small")


def test_what_tasks_without_trials_take_untuned_is_not_held_against_a_library(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"small": (1, 1.0), "large": (1, 1.0), "untried": (2, 0.15)})
    add_run(path, "random", TRIALS)
    measured(path, onnxruntime=0.4)
    assert known(path) is None
    measured(path, torch=0.1)
    assert (known(path).seconds, known(path).than) == (ESTIMATE, {"torch": 0.1})


def test_what_the_last_export_measured_counts_until_something_is_tuned(path):
    export(path, 1, 0.7)
    found = known(path)
    assert (found.seconds, found.measured, found.than) == (0.7, True, {"onnxruntime": 0.6})
    tune_on(path, 1)
    assert known(path) is None


def test_of_all_runs_the_fastest_counts(path):
    export(path, 1, 0.7)
    add_run(path, "pruner", TRIALS)
    assert known(path, 1) is not None and known(path, 2) is None
    assert known(path, 1, all_runs=True) is None and known(path, None) is None


def test_what_cold_caches_measured_is_not_exported_with_warm_ones(path):
    export(path, 1, 0.7)
    add_run(path, "pruner", TRIALS, settings={"caches": "cold"})
    assert known(path, 1, all_runs=True).seconds == 0.7


def test_a_task_that_was_given_up_is_not_named(path):
    measured(path, onnxruntime=0.4)
    with Project(path) as project:
        project.runs.update_task(1, 2, quarantined="it hung")
    assert known(path).tasks == ("small",)


def test_nothing_is_known_before_anything_was_measured(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    add_run(path, "random", [("begin", 1.0)], state="tuning")
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE progress SET latency_s = NULL")
    measured(path, onnxruntime=0.1)
    assert known(path) is None


@pytest.mark.parametrize(
    ("more", "tuned", "told"),
    [
        ({"on_device": False}, None, None),  # of a board, run elsewhere
        ({"on_device": True}, None, 0.7),
        ({}, 0.7, 0.7),  # written before exports told it: a baseline of the same measurement does
        ({}, 0.8, None),
    ],
)
def test_only_what_ran_on_the_runs_own_device_is_its_latency(path, more, tuned, told):
    summary = {"latency": {"tuned": {"seconds": 0.7}}, **more}
    with Project(path) as project:
        project.runs.add_export(1, "out", True, summary)
    measured(path, tuned=tuned)
    with ProjectReader(path) as reader:
        found = reader.exported(1)
    assert (found and found["seconds"]) == told


def test_the_newest_export_of_the_run_itself_counts(path):
    add_run(path, "pruner", TRIALS)
    for seconds in (0.9, 0.8):
        export(path, 1, seconds)
    with ProjectReader(path) as reader:
        assert (reader.exported(1)["seconds"], reader.exported(2)) == (0.8, None)


@pytest.mark.parametrize("moved", [-1e6, 1e6], ids=["put back after the export", "put back before it"])
def test_what_was_tuned_since_an_export_does_not_depend_on_clocks(path, moved):
    export(path, 1, 0.7)
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE rounds SET started = started + ?", [moved])
    with ProjectReader(path) as reader:
        assert not reader.exported(1)["tuned_since"]
    tune_on(path, 1)  # before or after the export, by the clock
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE rounds SET started = started + ?", [moved])
    with ProjectReader(path) as reader:
        assert reader.exported(1)["tuned_since"]


def test_an_export_of_an_earlier_version_is_placed_by_the_time_of_day(path):
    export(path, 1, 0.7)
    with Project(path) as project, project.transaction() as db:
        db.execute("UPDATE exports SET summary = json_remove(summary, '$.last_round')")
        db.execute("UPDATE rounds SET started = 0.0")
    with ProjectReader(path) as reader:
        assert not reader.exported(1)["tuned_since"]
        tune_on(path, 1)
        assert reader.exported(1)["tuned_since"]


def test_an_export_tells_what_is_faster_and_which_tasks_take_the_time():
    times = {"tuned": 3.0, "untuned": 9.0, "onnxruntime": 2.0, "torch": None, "torch.compile": 1.5}
    functions = [("conv", 0.4), ("dense", 0.7), ("conv", 0.5), ("", 5.0), ("softmax", 0.1), ("pool", 0.2)]
    summary = {
        "latency": {name: {"seconds": seconds} for name, seconds in times.items()},
        "coverage": {"functions": [{"task": task, "seconds": seconds} for task, seconds in functions]},
    }
    found = exported(summary)
    assert found.measured and found.seconds == 3.0
    assert list(found.than.items()) == [("torch.compile", 1.5), ("onnxruntime", 2.0)]
    assert found.tasks == ("conv", "dense", "pool")
    assert exported({**summary, "latency": {"tuned": {"seconds": 3.0}, "untuned": {"seconds": 9.0}}}) is None
