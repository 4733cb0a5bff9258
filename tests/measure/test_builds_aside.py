"""Builds for a GPU go on whatever else is done meanwhile, and each has its result in the end."""

import os
import signal

import numpy as np
import pytest

from cuda_compiler import needs_cuda_compiler
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from schedules import built, task_of
from stand_in import held_builder, stand_in  # noqa: F401  a fixture

HOPPER = resolve_target("h100")
SLOW, *OTHERS = "slow", "second", "third"


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:64,64,64", HOPPER)


@pytest.fixture(scope="module")
def inputs(task):
    space = DesignSpace.generate(task, HOPPER)
    rows = space.sketches[0].sample(np.random.default_rng(0), 256)
    chosen = built(space, 0, rows)
    return [MeasureInput(key, schedule.mod) for key, schedule in zip((SLOW, *OTHERS), chosen, strict=False)]


@needs_cuda_compiler
@pytest.mark.parametrize("end", ["done", "killed", "begun again"])
def test_nothing_waits_for_a_slow_build_and_what_comes_of_it_is_told_once(stand_in, task, inputs, end):  # noqa: F811
    results = []
    with Measurer(HOPPER, MeasureOptions(build_workers=2, check="none", build_timeout_s=600)) as measurer:
        builder = held_builder(measurer, inputs[1])
        measurer.begin(task, inputs)
        assert measurer.gather(task, best_s=None, on_result=results.append, left=1) == [SLOW]
        assert sorted(result.key for result in results) == OTHERS
        if end == "done":
            builder.resume()
        elif end == "killed":
            builder.kill()
        else:
            os.kill(measurer._pipeline.pid, signal.SIGKILL)
        assert measurer.gather(task, best_s=None, on_result=results.append) == []
    *_, slow = results
    assert (len(results), slow.key) == (3, SLOW)
    assert (slow.stage, slow.error) == (("build", "crash") if end == "killed" else ("ok", ""))


@needs_cuda_compiler
def test_what_is_built_while_another_task_is_measured_waits_for_its_own(stand_in, task, inputs):  # noqa: F811
    results = []
    with Measurer(HOPPER, MeasureOptions(build_workers=1, check="none", build_timeout_s=600)) as measurer:
        measurer.begin(task, inputs[:1])
        assert measurer.untuned(task_of("matmul:96,96,96", HOPPER)).ok, "built after the other"
        assert measurer.gather(task, best_s=None, on_result=results.append, left=1) == []
    assert [(result.key, result.stage) for result in results] == [(SLOW, "ok")]


@needs_cuda_compiler
def test_a_stop_waits_for_no_build_and_leaves_nothing_behind(stand_in, task, inputs):  # noqa: F811
    results = []
    with Measurer(HOPPER, MeasureOptions(build_workers=1, check="none", build_timeout_s=600)) as measurer:
        builder = held_builder(measurer, inputs[1])
        measurer.begin(task, inputs[:1])
        going_on = measurer.gather(task, best_s=None, on_result=results.append, should_stop=lambda: True)
        assert (going_on, results) == ([], [])
        builder.resume()
        measurer.measure(task, inputs[1:], best_s=None, on_result=results.append)  # built after what was given up
        assert sorted(result.key for result in results) == OTHERS
        assert not list(measurer._folder.glob("*.so"))
