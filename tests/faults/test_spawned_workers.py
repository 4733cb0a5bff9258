"""Where processes cannot be forked: workers started afresh do the same, and foul candidates cost themselves."""

from __future__ import annotations

import contextlib
import random
import threading
import time

import foul
import psutil
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.spawn import _Worker
from schedules import CPU, random_schedule, task_of
from seeds import seeded

FOUL = {
    "segfault": (foul.segfault, "run", "crash"),
    "hang": (foul.hang, "run", "timeout"),
    "fork": (foul.fork, "run", "error"),
    "allocate": (foul.allocate, "run", "memory"),
    "unknown": (foul.unknown, "load", "error"),
    "wrong": (foul.wrong, "check", "wrong"),
    "long_build": (foul.long_build, "build", "timeout or memory"),  # whichever limit it meets first
}


@seeded()
def test_only_the_foul_ones_fail_and_nothing_is_left_running(seed):
    task = task_of("matmul:32,32,32")
    good = random_schedule(task).mod
    results: dict[str, MeasureResult] = {}
    inputs = [MeasureInput("first", good)]
    for name in random.Random(seed).sample(list(FOUL), len(FOUL)):
        make, _, _ = FOUL[name]
        inputs += [MeasureInput(name, make()), MeasureInput(f"after {name}", good)]
    options = MeasureOptions(check="all", build_timeout_s=5, run_timeout_s=2, memory_bytes=1 << 30, build_workers=1)
    with Measurer(CPU, options, start="spawn") as measurer:
        supervisor = psutil.Process(measurer._pipeline.pid)
        measurer.measure(task, inputs, best_s=None, on_result=lambda result: results.update({result.key: result}))
        processes = [supervisor, *supervisor.children(recursive=True)]
        assert len(processes) > 2, "the builder and the runner serve on"
    assert set(results) == {item.key for item in inputs}
    for name, (_, stage, error) in FOUL.items():
        assert results[name].stage == stage, results[name]
        assert results[name].error in error.split(" or "), results[name]
        assert results[name].message
    good_ones = [result for key, result in results.items() if key not in FOUL]
    assert all(result.ok and result.checked for result in good_ones), good_ones
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert not alive


@contextlib.contextmanager
def killing_the_next_child(parent: psutil.Process):
    """Kill a process that `parent` starts from now on, as soon as it is there."""
    before = set(parent.children())

    def kill() -> None:
        while not (new := set(parent.children()) - before):
            time.sleep(0.001)
        new.pop().kill()

    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()


def test_a_worker_that_dies_while_it_is_told_its_setup_does_not_start(tmp_path):
    setup = wire.Setup(
        folder=str(tmp_path),
        workers=1,
        builder_cores=[0] * 100_000,  # more than a pipe holds
        threads=1,
        runner_cores=[0],
        build_timeout_s=5,
        memory_bytes=0,
        cuda=False,
    )
    worker = _Worker("build", setup)
    with killing_the_next_child(psutil.Process()), pytest.raises(EOFError, match="did not start"):
        worker.start()
    assert worker.end() == 0, "nothing is left of it"


def test_a_worker_that_dies_as_it_starts_costs_no_candidate():
    task = task_of("matmul:32,32,32")
    inputs = [MeasureInput(str(i), random_schedule(task).mod) for i in range(2)]
    results: list[MeasureResult] = []
    with Measurer(CPU, MeasureOptions(build_workers=1, check="none"), start="spawn") as measurer:
        measurer.wait_until_up()
        with killing_the_next_child(psutil.Process(measurer._pipeline.pid)):  # the runner follows with the first run
            measurer.measure(task, inputs, best_s=None, on_result=results.append)
    assert sorted(result.key for result in results) == ["0", "1"]
    assert all(result.ok for result in results), results
