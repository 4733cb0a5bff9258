"""Sentences about why a candidate is slow: the right cause is named, with its figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from draft.spaces import CPU, GPU, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.reasons import reasons
from pruner_engine.targets.presets import load_presets

ZEN, A100 = (load_presets()[name].profile for name in ("zen4", "a100-40g"))
CPU_CALM = Explanation(
    1e-3,
    True,
    {"flops": 8e6, "parallel": 64, "vector": 16, "accumulators": 12, "loads_per_step": 6, "unroll": 64, "steps": 1e4,
     "L1_bytes": 1e6, "L2_bytes": 1e6, "L3_bytes": 0.0},
    {"lanes": 1.0, "parallel": 1.0, "registers": 1.0},
    {"compute": 0.96e-3, "overhead": 0.02e-3, "L1": 0.01e-3, "L2": 0.01e-3, "L3": 0.0},
)  # fmt: skip
GPU_CALM = Explanation(
    1e-3,
    True,
    {"flops": 8e9, "flops_thread": 1e5, "registers_thread": 64, "memory_operations_thread": 100, "dram_bytes": 1e8,
     "shared_bytes": 1e4, "blocks": 108, "threads": 256, "vthreads": 1},
    {"warp": 1.0, "wave": 1.0, "registers": 1.0, "reuse": 1.001, "memory": 1.0},
    {"compute": 0.97e-3, "memory": 0.02e-3, "launch": 0.01e-3},
)  # fmt: skip


def changed(calm, *, symbols=None, penalties=None, times=None):
    times = {**calm.times, **(times or {})}
    return dataclasses.replace(
        calm,
        latency_s=sum(times.values()),
        symbols={**calm.symbols, **(symbols or {})},
        penalties={**calm.penalties, **(penalties or {})},
        times=times,
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"symbols": {"parallel": 1}, "penalties": {"parallel": 1 / 16}}, ["Nothing runs in parallel", "one of"]),
        ({"symbols": {"parallel": 97}, "penalties": {"parallel": 0.53}}, ["53 % busy", "97 parallel iterations"]),
        ({"symbols": {"vector": 1}, "penalties": {"lanes": 1 / 16}}, ["not vectorised", "one of 16 lanes"]),
        ({"symbols": {"vector": 10}, "penalties": {"lanes": 0.625}}, ["62 % full", "10 elements"]),
        ({"symbols": {"accumulators": 60}, "penalties": {"registers": 1.94}}, ["60 accumulators", "1.94×", "spilled"]),
        ({"symbols": {"loads_per_step": 24}}, ["loads 24 times for 12", "larger register tile"]),
        (
            {"times": {"overhead": 2e-3}, "symbols": {"unroll": 0}},
            ["goes into loops", "no others than the schedule writes out are unrolled"],
        ),
        ({"times": {"L1": 3e-3}, "symbols": {"L1_bytes": 4 << 20}}, ["waits for L2", "4.00 MB come into L1"]),
        ({"times": {"L2": 3e-3}, "symbols": {"L2_bytes": 0}}, ["waits for L3", "none of it where most is computed"]),
        ({"times": {"L3": 3e-3}, "symbols": {"L3_bytes": 4 << 20}}, ["waits for DRAM", "come into L3"]),
    ],
)
def test_the_cause_of_a_slow_cpu_schedule_comes_first(change, told):
    first = reasons(changed(CPU_CALM, **change), ZEN)[0]
    assert all(part in first for part in told), first


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"symbols": {"threads": 40}, "penalties": {"warp": 0.625}}, ["62 % full", "threads in a block: 40"]),
        (
            {"symbols": {"blocks": 120}, "penalties": {"wave": 0.556}},
            ["56 % busy", "120 × 256 threads", "108 multiprocessors"],
        ),
        ({"symbols": {"registers_thread": 400}, "penalties": {"registers": 1.57}}, ["400 values", "spilled"]),
        ({"symbols": {"memory_operations_thread": 1e5}, "penalties": {"reuse": 1.5}}, ["1 operations", "1.50×"]),
        ({"times": {"memory": 9e-3}}, ["moves 95.4 MB"]),
        ({"times": {"memory": 9e-3}, "penalties": {"memory": 0.125}}, ["moves 95.4 MB"]),
        ({"times": {"lines": 9e-3}}, ["moves lines of 128 bytes", "far apart"]),
        ({"times": {"trips": 9e-3}}, ["waits for memory, round after round"]),
        ({"times": {"launch": 9e-3}}, ["starts kernels"]),
    ],
)
def test_the_cause_of_a_slow_gpu_schedule_is_told(change, told):
    sentences = reasons(changed(GPU_CALM, **change), A100)
    assert any(all(part in sentence for part in told) for sentence in sentences[:2]), sentences


def test_a_schedule_at_the_peak_has_arithmetic_only():
    for calm, profile in ((CPU_CALM, ZEN), (GPU_CALM, A100)):
        calming, arithmetic = reasons(calm, profile)
        assert calming == "Nothing stands out." and "is arithmetic" in arithmetic


def test_what_tensor_cores_compute_is_not_held_against_the_peak_of_the_others():
    assert reasons(changed(GPU_CALM, symbols={"flops": 8e10}), A100) == ["Nothing stands out."]


def test_a_measurement_far_from_the_prediction_is_told():
    assert "2.00× the prediction" in reasons(CPU_CALM, ZEN, 2 * CPU_CALM.latency_s)[-1]
    assert len(reasons(CPU_CALM, ZEN, 1.1 * CPU_CALM.latency_s)) == 2


def test_what_rules_a_gpu_candidate_out_is_named():
    found = dataclasses.replace(changed(GPU_CALM, symbols={"threads": 2048}), valid=False)
    assert "threads in a block, 1\u2009024 are allowed" in reasons(found, A100)[0]


@pytest.mark.parametrize(("target", "profile"), [(CPU, ZEN), (GPU, A100)])
@pytest.mark.parametrize("workload", ["matmul:128,96,64", "softmax:64,256", "maxpool:1,16,16,16,2"])
def test_every_row_of_every_sketch_gets_sentences(workload, target, profile):
    space = space_of(workload, target)
    analyzer = analyzer_for(space, profile)
    for sketch in space.sketches:
        for row in sketch.sample(np.random.default_rng(0), 8):
            found = analyzer.explain(sketch.index, row)
            told = reasons(found, profile, 1e-3)
            assert told and all(text.endswith(".") for text in told)


@pytest.mark.parametrize(
    ("measured_s", "told"),
    [
        (2e-3, "Measured 2.00 ms, 2.00× the prediction"),
        (5e-4, "Measured 500 µs, 2.00× as fast as predicted"),
        (9e-4, ""),
    ],
)
def test_a_measurement_far_from_the_prediction_is_told_either_way(measured_s, told):
    (*_, last) = reasons(CPU_CALM, ZEN, measured_s)
    assert last.startswith(told) if told else "Measured" not in last
