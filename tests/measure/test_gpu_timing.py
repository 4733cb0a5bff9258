"""Timing on a GPU, without one: what is asked of TVM's evaluator, what is made of its answer, whose the cores are."""

import os
from types import SimpleNamespace

import pytest

from pruner_engine.measure import measurer
from pruner_engine.measure.gpu import time_on_gpu
from pruner_engine.targets.target import resolve_target


class Module:
    """Answers in the place of a compiled kernel, and keeps what it was asked for."""

    def __init__(self, seconds):
        self.seconds, self.asked = seconds, []

    def time_evaluator(self, name, device, **options):
        self.asked.append((name, options))
        results = [self.seconds(call) for call in range(options["repeat"])]
        return lambda *args: SimpleNamespace(results=results)


def device(cache):
    return SimpleNamespace(l2_cache_size_bytes=cache)


def test_a_call_that_was_held_up_does_not_count():
    module = Module(lambda call: 1e-3 if call == 3 else 1e-5)
    assert time_on_gpu(module, [], device(60 << 20))(10) == pytest.approx(10e-5)
    ((name, options),) = module.asked
    assert name == "main" and options == {"number": 1, "repeat": 10, "cache_flush_bytes": 120 << 20}


def test_a_short_kernel_is_not_called_a_thousand_times_and_the_answer_is_of_all():
    module = Module(lambda call: 1e-5)
    assert time_on_gpu(module, [], device(None))(1000) == pytest.approx(1000e-5)
    ((_, options),) = module.asked
    assert options["repeat"] == 100 and options["cache_flush_bytes"] == 128 << 20


@pytest.mark.parametrize(
    ("target", "cores", "building", "running"),
    [("h100", [0, 2, 3], [2, 3], [0]), ("h100", [5], [5], [5]), ("auto", [0, 1, 2], [2], [0, 1])],
)
def test_the_runner_of_a_gpu_has_a_core_that_no_builder_uses(monkeypatch, target, cores, building, running):
    setups = []

    def pipeline(setup, *args, **options):
        setups.append(setup)
        return SimpleNamespace(close=lambda: None)

    target = resolve_target(target)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(cores))
    monkeypatch.setattr(measurer, "Pipeline", pipeline)
    monkeypatch.setattr(measurer, "find_cuda_compiler", lambda: None)
    with measurer.Measurer(target, threads=2):
        pass
    (setup,) = setups
    assert (setup.builder_cores, setup.runner_cores, setup.workers) == (building, running, len(building))
