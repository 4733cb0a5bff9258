"""Where processes cannot be forked: workers started afresh do the same, and foul candidates cost themselves."""

from __future__ import annotations

import random

import foul
import psutil

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
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
