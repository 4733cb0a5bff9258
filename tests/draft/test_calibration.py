"""Self-calibration: factors that are kept only where they rank what they were not fitted on better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from draft.spaces import CPU, DEVICES, analyzer_of, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.calibration import fit, fit_device
from pruner_engine.targets.profiling import profile_for

CONV = "conv2d:1,16,14,14,32,3,pad=1"
NAMES = ["a", "b", "c"]


def tasks_of(factors, noise, rng, units=(1e-3, 1e-5, 1e-4, 1e-3, 1e-6), count=60):
    """Predicted components and measured seconds of tasks on a device whose components have these factors."""
    tasks = []
    for unit in units:
        times = unit * rng.lognormal(size=(3, count))
        tasks.append((times, np.array(factors) @ times * rng.lognormal(sigma=noise, size=count)))
    return tasks


def rank(factors, times, seconds):
    told = np.array([(factors or {}).get(name, 1.0) for name in NAMES])
    return spearmanr(told @ times, seconds)[0]


def test_calibration_finds_the_factors():
    rng = np.random.default_rng(0)
    times = rng.lognormal(size=(3, 200))
    seconds = np.array([1.0, 3.0, 0.5]) @ times * rng.lognormal(sigma=0.05, size=200)
    factors = fit(times, seconds, NAMES)
    assert factors is not None
    assert factors["b"] > 2 * factors["a"] > 2 * factors["c"]


def test_calibration_on_noise_changes_nothing():
    rng = np.random.default_rng(0)
    times = rng.lognormal(size=(3, 200))
    seconds = times.sum(axis=0)
    assert fit(times, seconds, NAMES) is None
    assert fit(times[:, :8], seconds[:8], NAMES) is None


def test_a_calibration_is_not_worse_on_measurements_it_has_not_seen():
    """Of random devices, some of which need no factors or are too noisy to tell, measured best candidates last."""
    accepted = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        factors, noise = rng.lognormal(sigma=rng.choice([0.0, 0.5, 1.0]), size=3), rng.choice([0.05, 0.3, 1.0])
        ((times, seconds),) = tasks_of(factors, noise, rng, [1e-3], count=400)
        order = np.argsort(-seconds * rng.lognormal(size=400))
        times, seconds, seen = times[:, order], seconds[order], rng.choice([24, 48, 96, 200])
        found = fit(times[:, :seen], seconds[:seen], NAMES)
        if found is not None:
            accepted += 1
            assert rank(found, times[:, seen:], seconds[seen:]) >= rank(None, times[:, seen:], seconds[seen:]), seed
    assert accepted > 10


def test_a_device_s_calibration_holds_for_tasks_it_was_not_fitted_on():
    rng = np.random.default_rng(0)
    tasks = tasks_of([1.0, 3.0, 0.4], 0.1, rng)
    factors = fit_device(tasks, NAMES)
    assert factors is not None
    assert factors["b"] > 1.5 * factors["a"] > 1.5 * factors["c"]
    for times, seconds in tasks_of([1.0, 3.0, 0.4], 0.1, rng):
        assert rank(factors, times, seconds) > rank(None, times, seconds)
    assert fit_device(tasks[:3], NAMES) is None  # too few to tell


def test_a_device_that_needs_no_calibration_has_none():
    rng = np.random.default_rng(0)
    assert fit_device(tasks_of([1.0, 1.0, 1.0], 0.0, rng), NAMES) == {}
    assert fit_device(tasks_of([2.0, 2.0, 2.0], 0.0, rng), NAMES) == {}, "factors that are all equal change no rank"


def test_a_device_s_earlier_calibration_is_kept_as_long_as_new_measurements_confirm_it():
    rng = np.random.default_rng(0)
    true = dict(zip(NAMES, (1.0, 3.0, 0.4), strict=True))
    tasks = tasks_of(list(true.values()), 0.0, rng)
    assert fit_device(tasks, NAMES, true) == true
    mended = fit_device(tasks, NAMES, {"a": 1.0, "b": 0.3, "c": 4.0})
    assert mended and mended["b"] > 1.5 * mended["a"] > 1.5 * mended["c"]
    assert fit_device(tasks_of([1.0, 1.0, 1.0], 0.0, rng), NAMES, true) == {}


def test_a_device_s_calibration_is_left_out_of_a_task_that_it_ranks_worse():
    space = space_of(CONV, CPU)
    distorted = Analyzer(space, replace(DEVICES[CPU], calibration={"compute": 0.01, "overhead": 50.0}))
    plain = analyzer_of(space)
    rows = space.sketches[0].sample(np.random.default_rng(0), 60)
    assert spearmanr(plain.score(0, rows), distorted.score(0, rows))[0] < 0.99
    measured = [(0, row, 2.0 ** -float(score)) for row, score in zip(rows, plain.score(0, rows), strict=True)]
    distorted.calibrate(measured[:20])
    assert distorted.factors == distorted.profile.calibration, "too few to tell"
    distorted.calibrate(measured)
    assert distorted.factors == {}


def test_measurements_keep_their_order_among_the_components():
    space = space_of(CONV, CPU)
    analyzer = analyzer_of(space)
    rng = np.random.default_rng(0)
    picked = [rng.integers(len(space.sketches)) for _ in range(12)]
    measured = [(int(s), space.sketches[s].sample(rng, 1)[0], float(at)) for at, s in enumerate(picked)]
    names, times, seconds = analyzer.components_of(measured)
    assert seconds.tolist() == list(range(12))
    for column, (sketch, row, _) in zip(times.T, measured, strict=True):
        told = analyzer.explain(sketch, row).times
        assert column.tolist() == pytest.approx([told[name] for name in names], rel=0.1)


def test_an_analyzer_starts_from_the_device_s_calibration():
    space = space_of(CONV, CPU)
    profile = profile_for(CPU)
    row = space.sketches[0].sample(np.random.default_rng(0), 1)[0]
    plain = analyzer_for(space, profile).explain(0, row).times
    calibrated = analyzer_for(space, replace(profile, calibration={"compute": 2.0})).explain(0, row).times
    assert calibrated == {**plain, "compute": pytest.approx(2 * plain["compute"])}


def test_a_calibrated_analyzer_follows_the_measurements():
    space = space_of(CONV, CPU)
    analyzer = analyzer_of(space)
    sketch = space.sketches[0]
    rows = sketch.sample(np.random.default_rng(0), 200)
    told = [analyzer.explain(0, row).times for row in rows]
    # a device on which all traffic is for free
    seconds = np.array([t["compute"] for t in told])
    before = spearmanr(-analyzer.score(0, rows[100:]), seconds[100:])[0]
    analyzer.calibrate([(0, row, float(s)) for row, s in zip(rows[:100], seconds[:100], strict=True)])
    after = spearmanr(-analyzer.score(0, rows[100:]), seconds[100:])[0]
    assert after > before


def test_a_correction_that_more_measurements_do_not_confirm_is_given_up():
    space = space_of(CONV, CPU)
    analyzer = analyzer_of(space)
    rows = space.sketches[0].sample(np.random.default_rng(0), 400)
    told = [analyzer.explain(0, row).times for row in rows]
    compute, chance = np.array([t["compute"] for t in told]), np.random.default_rng(1).permutation(len(rows))
    analyzer.calibrate([(0, row, float(s)) for row, s in zip(rows[:60], compute[:60], strict=True)])
    assert analyzer.factors != analyzer.profile.calibration
    shuffled = [(0, row, float(s)) for row, s in zip(rows, compute[chance], strict=True)]
    analyzer.calibrate(shuffled)
    assert analyzer.factors == analyzer.profile.calibration
