"""A candidate that misbehaves costs itself only, wherever in a batch it stands."""

from __future__ import annotations

import random

import foul
import psutil
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from schedules import CPU, random_schedule, task_of
from seeds import seeded

FOUL = {
    "segfault": (foul.segfault, "run", "crash"),
    "abort": (foul.abort, "run", "crash"),
    "leave": (foul.leave, "run", "crash"),
    "hang": (foul.hang, "run", "timeout"),
    "fork": (foul.fork, "run", "error"),
    "unknown": (foul.unknown, "load", "error"),
    "allocate": (foul.allocate, "run", "memory"),
    "wrong": (foul.wrong, "check", "wrong"),
    "lazy": (foul.lazy, "check", "wrong"),
    "hides_nan": (foul.hides_nan, "check", "wrong"),
    "long_build": (foul.long_build, "build", "timeout or memory"),  # whichever limit it meets first
}


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:32,32,32")


@pytest.fixture(scope="module")
def good(task):
    return random_schedule(task).mod


@pytest.fixture(scope="module")
def measurer():
    options = MeasureOptions(check="all", build_timeout_s=5, run_timeout_s=3, memory_bytes=1 << 30)
    with Measurer(CPU, options) as measurer:
        yield measurer


def measured(measurer: Measurer, task, mods: dict) -> dict[str, MeasureResult]:
    results: dict[str, MeasureResult] = {}
    measurer.measure(
        task,
        [MeasureInput(key, mod) for key, mod in mods.items()],
        best_s=None,
        on_result=lambda result: results.update({result.key: result}),
    )
    return results


@pytest.mark.parametrize("name", FOUL)
def test_only_the_foul_one_fails(name, measurer, task, good):
    make, stage, error = FOUL[name]
    results = measured(measurer, task, {"before": good, "foul": make(), "after": good})
    assert results["foul"].stage == stage, results["foul"]
    assert results["foul"].error in error.split(" or "), results["foul"]
    assert results["foul"].message
    assert results["foul"].seconds is None
    assert [results[key].stage for key in ("before", "after")] == ["ok", "ok"], results


@seeded(3)
def test_many_foul_ones_in_any_order(seed, measurer, task, good):
    rng = random.Random(seed)
    mods = {name: make() for name, (make, _, _) in FOUL.items() if name not in ("hang", "long_build")}
    for name in ("segfault", "abort", "leave", "fork"):  # at the first call, or at one while it is timed
        once_in = round(10 ** rng.uniform(0, 3))
        mods[name] = FOUL[name][0](once_in)
    mods |= {f"good{i}": good for i in range(4)}
    names = rng.sample(list(mods), len(mods))
    results = measured(measurer, task, {name: mods[name] for name in names})
    assert {name for name, result in results.items() if result.ok} == {f"good{i}" for i in range(4)}, results
    assert set(results) == set(names)


def test_nothing_is_left_running(task, good):
    with Measurer(CPU, MeasureOptions(check="none", run_timeout_s=1)) as measurer:
        measured(measurer, task, {"fork": foul.fork(), "hang": foul.hang(), "good": good})
        zygote = psutil.Process(measurer._pipeline.pid)
        children = [zygote, *zygote.children(recursive=True)]
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive


def test_stderr_of_the_worker_is_kept(measurer, task):
    results = measured(measurer, task, {"foul": foul.segfault()})
    assert "Segfault" in results["foul"].log
