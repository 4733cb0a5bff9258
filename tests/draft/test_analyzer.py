"""The analyzer as its users see it: scores, explanations, calibration, and the draft made from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from draft.spaces import CPU, GPU, analyzer_of, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.calibration import fit, fit_device
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target

CONV = "conv2d:1,16,14,14,32,3,pad=1"
FEW = SearchSettings(population=64, draft_set=24)


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
def test_an_explanation_adds_up_to_the_score(target):
    space = space_of(CONV, target)
    analyzer = analyzer_for(space, profile_for(target))
    for sketch in space.sketches:
        rows = sketch.sample(np.random.default_rng(0), 50)
        for row, score in zip(rows, analyzer.score(sketch.index, rows), strict=True):
            told = analyzer.explain(sketch.index, row)
            assert told.valid == np.isfinite(score)
            assert sum(told.times.values()) == pytest.approx(told.latency_s)
            if told.valid:
                assert -np.log2(told.latency_s) == pytest.approx(score)


def test_a_processor_that_is_neither_here_nor_among_the_presets_is_estimated():
    board = resolve_target('{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a72","num-cores":4}')
    space = space_of("matmul:64,64,64", board)
    analyzer = analyzer_for(space, profile_for(board))
    found = analyzer.explain(0, space.sketches[0].sample(np.random.default_rng(0), 1)[0])
    assert analyzer.profile.source == "estimated" and found.valid and sum(found.times.values()) > 0


def test_a_row_scores_the_same_alone_and_among_others():
    space = space_of("softmax:64,256", CPU)
    analyzer = analyzer_for(space, profile_for(CPU))
    sketch = space.sketches[-1]
    rows = sketch.sample(np.random.default_rng(0), 300)
    together = analyzer.score(sketch.index, rows)
    alone = [analyzer.score(sketch.index, row[None])[0] for row in rows]
    assert together == pytest.approx(alone)


@pytest.mark.parametrize("workload", ["avgpool:1,16,15,15,3,stride=2,pad=1", "softmax:64,256"])
def test_rows_are_grouped_by_where_each_alone_puts_its_blocks(workload):
    space = space_of(workload, CPU)
    analyzer = analyzer_of(space)
    for sketch in space.sketches:
        rows = sketch.sample(np.random.default_rng(0), 200)
        together = analyzer.canonical(sketch.index, rows)
        assert together.tolist() == [analyzer.canonical(sketch.index, row[None])[0].tolist() for row in rows]
        for row in rows[:40]:
            (alone,) = analyzer.figures(sketch.index, row[None])["compute"]
            assert analyzer.explain(sketch.index, row).times["compute"] == pytest.approx(alone)


def test_a_prepared_row_reads_no_sketch_when_a_slider_moves(monkeypatch):
    """Reading a sketch anew takes ten times as long as an answer may take that follows a slider."""
    space = space_of("avgpool:1,16,15,15,3,stride=2,pad=1", CPU)
    sketch = next(s for s in space.sketches if any(d.kind == "location" for d in s.decisions))
    row = sketch.sample(np.random.default_rng(0), 1)[0]
    moves = []
    for columns, decision in zip(sketch.columns, sketch.decisions, strict=True):
        for value in decision.values():
            moves.append(row.copy())
            moves[-1][columns] = value
    fresh, analyzer = analyzer_of(space), analyzer_of(space)
    expected = [fresh.explain(sketch.index, moved) for moved in moves]
    analyzer.prepare(sketch.index, row)

    def read_anew(*args):
        raise AssertionError("a sketch is read anew")

    monkeypatch.setattr("pruner_engine.draft.variant.Replay", read_anew)
    assert [analyzer.explain(sketch.index, moved) for moved in moves] == expected


def test_locations_that_tvm_replaces_are_one_candidate():
    space = space_of("avgpool:1,16,15,15,3,stride=2,pad=1", CPU)
    analyzer = analyzer_for(space, profile_for(CPU))
    rng = np.random.default_rng(0)
    for sketch in space.sketches:
        rows = analyzer.canonical(sketch.index, sketch.sample(rng, 40))
        for candidate in space.materialise([space.candidate(sketch.index, row) for row in rows]):
            assert space.from_trace(candidate.schedule.trace, "evolved").hash == candidate.hash


def test_calibration_finds_the_factors():
    rng = np.random.default_rng(0)
    times = rng.lognormal(size=(3, 200))
    seconds = np.array([1.0, 3.0, 0.5]) @ times * rng.lognormal(sigma=0.05, size=200)
    factors = fit(times, seconds, ["a", "b", "c"])
    assert factors is not None
    assert factors["b"] > 2 * factors["a"] > 2 * factors["c"]


def test_calibration_on_noise_changes_nothing():
    rng = np.random.default_rng(0)
    times = rng.lognormal(size=(3, 200))
    seconds = times.sum(axis=0)
    assert fit(times, seconds, ["a", "b", "c"]) is None
    assert fit(times[:, :8], seconds[:8], ["a", "b", "c"]) is None


def test_a_device_s_calibration_holds_for_tasks_it_was_not_fitted_on():
    rng = np.random.default_rng(0)
    names = ["a", "b", "c"]

    def measured(factors, noise):
        tasks = []
        for unit in (1e-3, 1e-5, 1e-4, 1e-3, 1e-6):
            times = unit * rng.lognormal(size=(3, 60))
            tasks.append((times, np.array(factors) @ times * rng.lognormal(sigma=noise, size=60)))
        return tasks

    tasks = measured([1.0, 3.0, 0.4], 0.1)
    factors = fit_device(tasks, names)
    assert factors is not None
    assert factors["b"] > 1.5 * factors["a"] > 1.5 * factors["c"]
    assert fit_device(tasks[:3], names) is None  # too few to tell
    assert fit_device(measured([1.0, 1.0, 1.0], 0.0), names) is None  # nothing to gain


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


# ------------------------------------------------------------ the explorer


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_draft_is_distinct_sorted_and_better_than_chance(target):
    space = space_of(CONV, target)
    analyzer = analyzer_for(space, profile_for(target))
    explorer = Explorer(space, analyzer, FEW)
    drafted = explorer.draft(np.random.default_rng(0))
    scores = [c.draft_score for c in drafted.candidates]
    assert len({c.hash for c in drafted.candidates}) == len(drafted.candidates) == FEW.draft_set
    assert scores == sorted(scores, reverse=True)
    chance = np.concatenate([analyzer.score(s.index, s.sample(np.random.default_rng(1), 200)) for s in space.sketches])
    assert np.median(scores) > np.quantile(chance[np.isfinite(chance)], 0.9)
    assert sum(drafted.histogram["drafted"]) == FEW.draft_set
    assert drafted.explored >= FEW.draft_set


def test_a_candidate_keeps_nothing_of_the_thousands_that_it_was_chosen_from():
    """A run keeps every candidate that it measured: with the rows of its draft each would take half a megabyte."""
    space = space_of("matmul:128,96,64", CPU)
    explorer = Explorer(space, analyzer_for(space, profile_for(CPU)), FEW)
    for candidate in explorer.draft(np.random.default_rng(0)).candidates:
        assert candidate.row.base is None and candidate.row.size == space.sketches[candidate.sketch].width


def test_a_draft_leaves_out_what_is_excluded():
    space = space_of("matmul:128,96,64", CPU)
    explorer = Explorer(space, analyzer_for(space, profile_for(CPU)), FEW)
    first = explorer.draft(np.random.default_rng(0)).candidates
    elites = [(c.sketch, c.row) for c in first[:4]]
    second = explorer.draft(np.random.default_rng(0), elites, {c.hash for c in first}).candidates
    assert not {c.hash for c in first} & {c.hash for c in second}


def test_a_small_space_is_spent():
    space = space_of("sum:64,512", CPU)
    settings = SearchSettings(draft_set=10_000)
    explorer = Explorer(space, analyzer_for(space, profile_for(CPU)), settings)
    drafted = explorer.draft(np.random.default_rng(0)).candidates
    again = explorer.draft(np.random.default_rng(1), (), {c.hash for c in drafted})
    assert drafted
    assert not again.candidates
