"""Candidates are built, timed and checked; what comes out is what a tuner can trust."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import psutil
import pytest
import tvm
from tvm.target import Target

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.running.timing import FINER
from pruner_engine.measure.running.weight_layout import rewrites_of
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import wire
from pruner_engine.measure.yardsticks import CALM, Settled, Yardsticks
from pruner_engine.space.design_space import DesignSpace
from schedules import CPU, task_of

WORKLOADS = [
    "matmul:48,64,32",
    "matmul:32,32,32,float16",
    "conv2d:1,14,14,8,16,3",
    "depthwise:1,16,14,14,3",
    "softmax:16,64",
]


@pytest.fixture(scope="module")
def measurer():
    with Measurer(CPU, MeasureOptions(check="all")) as measurer:
        yield measurer


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:64,64,64")


@pytest.fixture(scope="module")
def packed_task(task):
    """A product whose second operand is a weight, which schedules may want in another layout."""
    func = task.mod["main"].with_attr("layout_free_buffers", [1])
    return dataclasses.replace(task, mod=tvm.IRModule({"main": func}), hash="packed")


def candidates(task, count: int = 6, seed: int = 0) -> list[MeasureInput]:
    space = DesignSpace.generate(task, CPU)
    rng = np.random.default_rng(seed)
    drawn = [space.candidate(s.index, row) for s in space.sketches for row in s.sample(rng, count)]
    unique = list({c.hash: c for c in drawn}.values())
    return [MeasureInput(c.hash, c.schedule.mod) for c in space.materialise(unique)][: count * len(space.sketches)]


def measured(measurer, task, inputs, best_s=None, **options) -> list[MeasureResult]:
    results: list[MeasureResult] = []
    measurer.measure(task, inputs, best_s=best_s, on_result=results.append, **options)
    return results


@pytest.mark.parametrize("workload", WORKLOADS)
def test_valid_candidates_of_every_kind_of_kernel_pass_the_check(measurer, workload):
    task = task_of(workload)
    inputs = candidates(task, count=1)
    results = measured(measurer, task, inputs)
    assert [r.key for r in results] == [i.key for i in inputs], "in the order given"
    assert all(r.ok and r.checked and r.seconds > 0 for r in results), [r for r in results if not r.ok]
    assert all(r.build_s > 0 and r.run_s > 0 for r in results)


def test_no_kernel_takes_turns_with_one_that_would_use_up_its_limit(task):
    with Measurer(CPU, MeasureOptions(check="none", run_timeout_s=10.0)) as measurer:
        first, second, third = candidates(task, count=3)[:3]
        assert measured(measurer, task, [first])[0].pace == 0.0
        assert measured(measurer, task, [second])[0].pace > 0.0
        measurer.settle(task, 2.0)
        (alone,) = measured(measurer, task, [third])
        assert alone.ok and alone.pace == 0.0 and alone.seconds < 1.0


def test_libraries_go_when_their_candidates_are_measured(measurer, task):
    inputs = candidates(task, count=4)
    assert all(result.ok for result in measured(measurer, task, inputs))
    zygote = psutil.Process(measurer._pipeline.pid)
    mapped = [
        {line.split(maxsplit=5)[-1] for line in maps if "/pruner-measure-" in line and ".so" in line}
        for process in zygote.children()
        if (maps := Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8").splitlines())
    ]
    assert any(mapped), "the runner has the last one, at least"
    assert max(map(len, mapped)) <= 2 < len(inputs), "that, and the one that it is measured by"


def test_weights_reach_the_check_in_the_layout_that_the_candidate_wants(measurer, packed_task):
    inputs = candidates(packed_task)
    rewritten = {i.key for i in inputs if rewrites_of(i.mod)}
    assert rewritten
    results = {r.key: r for r in measured(measurer, packed_task, inputs)}
    assert all(results[key].ok and results[key].checked for key in rewritten)


def test_the_untuned_kernel_is_timed_once(measurer, task):
    first = measurer.untuned(task)
    assert first.ok
    assert first.seconds > 0
    assert measurer.untuned(task) is first


def test_what_is_clearly_slower_than_the_best_is_censored(measurer, task):
    results = measured(measurer, task, candidates(task, 2), best_s=1e-9)
    assert all(r.ok and r.censored and len(r.repeats) == 1 for r in results)


def test_the_yardstick_stays_for_the_next_round_until_one_is_far_better(task):
    with Measurer(CPU) as measurer:
        assert measurer.yardstick(task) is None
        results = measured(measurer, task, candidates(task))
        times = {r.key: r.seconds for r in results if r.ok and not r.censored and r.pace <= CALM}
        settled = measurer.yardstick(task)
        key, seconds = settled.key, settled.seconds
        assert times[key] == seconds < FINER * min(times.values())
        libraries = list(measurer._folder.glob("*.so"))
        assert len(libraries) == 1, "the others are removed"
        again = measured(measurer, task, candidates(task, 2), best_s=min(times.values()))
        assert all(r.ok for r in again)
        far_better = [r for r in again if not r.censored and r.pace <= CALM and r.seconds * FINER <= seconds]
        assert len(list(measurer._folder.glob("*.so"))) == 1
        assert libraries[0].exists() == (measurer.yardstick(task) == settled) == (not far_better)


@pytest.mark.parametrize("pace", [1.2, 60.0])
def test_nothing_is_measured_by_a_kernel_that_was_timed_while_its_yardstick_was_held_up(tmp_path, pace):
    yardsticks = Yardsticks()
    for key, seconds, beside in (("first", 6e-6, 0.0), ("faster", 2e-6, pace)):
        library = tmp_path / key
        library.touch()
        yardsticks.offer(
            "task", Settled(key, seconds), wire.Built(id=1, kernel=wire.Kernel(str(library), [], {})), beside
        )
    kept = yardsticks.settled("task").key
    assert kept == ("faster" if pace < CALM else "first")
    assert [path.name for path in tmp_path.iterdir()] == [kept]


@pytest.mark.parametrize("by_a_yardstick", [True, False])  # False: as on a GPU, or on boards
def test_candidates_in_turns_are_built_once_and_run_in_every_turn(task, monkeypatch, by_a_yardstick):
    monkeypatch.setattr(RunRequests, "take_turns", by_a_yardstick)
    inputs = candidates(task, 2)
    with Measurer(CPU) as measurer:
        times = measurer.in_turns(task, inputs, turns=3)
        assert {key: len(seconds) for key, seconds in times.items()} == {i.key: 3 for i in inputs}
        assert not list(measurer._folder.glob("*.so"))


def test_stop_leaves_the_rest_unmeasured(measurer, task):
    results: list[MeasureResult] = []
    inputs = candidates(task, 2)
    measurer.measure(task, inputs, best_s=None, on_result=results.append, should_stop=lambda: len(results) >= 2)
    assert [r.key for r in results] == [i.key for i in inputs[:2]]
    assert len(measured(measurer, task, inputs)) == len(inputs), "and it can go on"


def test_only_bests_are_checked_by_default(task):
    with Measurer(CPU) as measurer:
        results = measured(measurer, task, candidates(task))
    best = float("inf")
    for result in results:
        if not result.censored and result.seconds < best:
            assert result.checked
            best = result.seconds
        else:
            assert not result.checked


def test_every_candidate_is_measured_where_builds_go_on_beside_runs(task):
    of_one_core = Target({**CPU.export(), "num-cores": 1})
    with Measurer(of_one_core) as measurer:
        inputs = candidates(task, 3)
        assert {r.key for r in measured(measurer, task, inputs) if r.ok} == {i.key for i in inputs}


def test_cold_caches(task):
    with Measurer(CPU, MeasureOptions(caches="cold", check="none")) as measurer:
        assert all(r.ok for r in measured(measurer, task, candidates(task, 1)))


def test_noise_is_the_time_of_a_fixed_kernel(measurer):
    told = measurer.noise()
    assert told and all(0 < seconds < math.inf for seconds in told)


def test_libraries_do_not_pile_up(task):
    with Measurer(CPU) as measurer:
        measurer.noise()
        for seed in range(3):
            measured(measurer, task, candidates(task, 1, seed))
        assert len(list(measurer._folder.glob("*.so"))) == 2, "that of the noise probe and the best one's"
        assert not list(measurer._folder.glob("*.o"))
