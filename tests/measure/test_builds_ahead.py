"""Where builds and runs share cores, what was begun is built while this process computes, but beside no run."""

import time
from pathlib import Path

import psutil
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.measure.workers import process, wire
from schedules import CPU, random_schedule, task_of

AHEAD, BEHIND = "matmul:32,32,32", "matmul:48,48,48"


def inputs_of(task, count=3):
    return [MeasureInput(f"{task.name} {seed}", random_schedule(task, seed=seed).mod) for seed in range(count)]


def test_what_is_begun_next_is_built_when_the_runs_ahead_are_over():
    ahead, behind = task_of(AHEAD), task_of(BEHIND)
    results, beside = [], []
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        measurer.begin(ahead, inputs_of(ahead))
        measurer.begin(behind, inputs_of(behind))
        begun = measurer._batches[behind.hash]

        def take(result):
            results.append(result)
            beside.append(len(begun.building))

        assert measurer.gather(ahead, best_s=None, on_result=take) == []
        assert beside == [0, 0, 0]
        until = time.monotonic() + 60  # nobody listens meanwhile
        libraries = [Path(measurer._folder, f"{job}.so") for job in begun.building]
        while time.monotonic() < until and not all(library.exists() for library in libraries):
            time.sleep(0.01)
        assert len(libraries) == 3 and all(library.exists() for library in libraries)
        assert measurer.gather(behind, best_s=None, on_result=results.append) == []
        ranks = {worker.nice() for worker in psutil.Process(measurer._pipeline.pid).children()}
        own = psutil.Process().nice()
        assert ranks == {own, min(own + process._NICE, 19)}, "of the runner, and of builders"
    assert len({result.key for result in results if result.ok}) == 6


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_stop_waits_for_the_builds_that_were_started_alone(start, monkeypatch):
    task, answered = task_of(AHEAD), []
    with Measurer(CPU, MeasureOptions(build_workers=1, check="none"), start=start) as measurer:
        measurer.wait_until_up()
        take = measurer._pipeline._take_built
        monkeypatch.setattr(
            measurer._pipeline, "_take_built", lambda built: (answered.append(built.error), take(built))
        )
        results = []
        measurer.begin(task, inputs_of(task, 8))
        assert measurer.gather(task, best_s=None, on_result=results.append, should_stop=lambda: True) == []
        assert len(answered) == 8 and answered.count(wire.LEFT_OUT) >= 5 and results == []
        measurer.measure(task, inputs_of(task, 2), best_s=None, on_result=results.append)
    assert [result.ok for result in results] == [True, True]
