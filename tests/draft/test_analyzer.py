"""The analyzer as its users see it: scores, explanations, calibration, and the draft made from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from draft.spaces import CPU, DEVICES, GPU, analyzer_of, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target

CONV = "conv2d:1,16,14,14,32,3,pad=1"
BY_CHANNELS = "conv2d:1,16,14,14,32,3,layout=NHWC"
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


def test_on_a_core_that_works_in_order_few_chains_of_additions_are_waited_for():
    board = resolve_target('{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a53","num-cores":4}')
    space, small = space_of("matmul:64,64,64", board), profile_for(board)
    in_order, wide = (analyzer_for(space, replace(small, in_order=told)) for told in (True, False))
    assert small.in_order
    for sketch in space.sketches:
        rows = sketch.sample(np.random.default_rng(0), 100)
        slower = np.array([in_order.explain(sketch.index, row).times["overhead"] for row in rows])
        faster = np.array([wide.explain(sketch.index, row).times["overhead"] for row in rows])
        assert (slower >= faster).all() and (slower > 2 * faster).any()


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


def read_anew(*args):
    raise AssertionError("a sketch is read anew")


def test_a_prepared_sketch_is_read_before_the_first_question(monkeypatch):
    space = space_of("matmul:128,96,64", CPU)
    analyzer = analyzer_of(space)
    rows = [sketch.sample(np.random.default_rng(0), 1)[0] for sketch in space.sketches]
    expected = [analyzer_of(space).explain(index, row) for index, row in enumerate(rows)]
    for sketch in space.sketches:
        analyzer.prepare(sketch.index)
    monkeypatch.setattr("pruner_engine.draft.variant.Replay", read_anew)
    monkeypatch.setattr("pruner_engine.draft.variant.Evaluation", read_anew)
    assert [analyzer.explain(index, row) for index, row in enumerate(rows)] == expected


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
    monkeypatch.setattr("pruner_engine.draft.variant.Replay", read_anew)
    monkeypatch.setattr("pruner_engine.draft.variant.Evaluation", read_anew)
    assert [analyzer.explain(sketch.index, moved) for moved in moves] == expected


def test_locations_that_tvm_replaces_are_one_candidate():
    space = space_of("avgpool:1,16,15,15,3,stride=2,pad=1", CPU)
    analyzer = analyzer_for(space, profile_for(CPU))
    rng = np.random.default_rng(0)
    for sketch in space.sketches:
        rows = analyzer.canonical(sketch.index, sketch.sample(rng, 40))
        for candidate in space.materialise([space.candidate(sketch.index, row) for row in rows]):
            assert space.from_trace(candidate.schedule.trace, "evolved").hash == candidate.hash


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


class Listening(Analyzer):
    """An analyzer that keeps the scores that it tells."""

    def score(self, sketch, rows):
        scores = super().score(sketch, rows)
        self.told = np.concatenate([self.told, scores])
        return scores


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_histogram_tells_the_scores_of_what_was_explored_and_of_what_was_drafted(target):
    space = space_of(CONV, target)
    analyzer = Listening(space, DEVICES[target])
    explorer = Explorer(space, analyzer, FEW)
    known: set[str] = set()
    for _ in range(2):
        analyzer.told = np.zeros(0)
        drafted = explorer.draft(np.random.default_rng(0), (), known)
        assert not known & {c.hash for c in drafted.candidates}
        known = {c.hash for c in drafted.candidates[:4]}
        valid = analyzer.told[np.isfinite(analyzer.told)]
        edges, scores = drafted.histogram["edges"], [c.draft_score for c in drafted.candidates]
        assert drafted.explored == len(analyzer.told)
        assert drafted.histogram["explored"] == np.histogram(valid, edges)[0].tolist()
        assert drafted.histogram["drafted"] == np.histogram(scores, edges)[0].tolist()
        assert (edges[0], edges[-1]) == (valid.min(), valid.max()) and sum(drafted.histogram["explored"]) == len(valid)
        assert sum(drafted.histogram["drafted"]) == len(scores)
        assert all(a >= b for a, b in zip(*(drafted.histogram[n] for n in ("explored", "drafted")), strict=True))


class Even(Analyzer):
    """An analyzer to which all valid rows are alike, but for the last bit of their scores."""

    def score(self, sketch, rows):
        alike = np.where(np.arange(len(rows)) % 2, 10.0, np.nextafter(10.0, 11.0))
        return np.where(np.isfinite(super().score(sketch, rows)), alike, -np.inf)


def test_scores_that_differ_in_a_rounding_only_have_a_histogram():
    space = space_of(CONV, CPU)
    drafted = Explorer(space, Even(space, DEVICES[CPU]), FEW).draft(np.random.default_rng(0))
    edges = drafted.histogram["edges"]
    assert edges[0] < 10.0 < edges[-1] and len(edges) == len(drafted.histogram["explored"]) + 1
    assert sum(drafted.histogram["drafted"]) == len(drafted.candidates) == FEW.draft_set


class Recording(Analyzer):
    """An analyzer that keeps what it scores: score, sketch and row."""

    def score(self, sketch, rows):
        scores = super().score(sketch, rows)
        self.seen |= {(s, sketch, tuple(r)) for s, r in zip(scores.tolist(), rows.tolist(), strict=True) if s > -np.inf}
        return scores


def close_to_a_better_one(space, ranked):
    """How many of (sketch, row), the best first, differ from one before them in a single decision."""
    told = [(index, space.sketches[index].to_json(np.array(row))) for index, row in ranked]

    def close(one, other):
        return one[0] == other[0] and sum(a != b for a, b in zip(one[1], other[1], strict=True)) == 1

    return sum(any(close(one, other) for other in told[:at]) for at, one in enumerate(told))


@pytest.mark.parametrize(("target", "workload"), [(CPU, BY_CHANNELS), (GPU, "matmul:512,512,512")], ids=["cpu", "gpu"])
def test_a_draft_is_diverse(target, workload):
    """Half of it at least differs from all better ones in more than one decision; of the best scores alone, less."""
    space = space_of(workload, target)
    analyzer = Recording(space, DEVICES[target])
    analyzer.seen = set()
    drafted = Explorer(space, analyzer, FEW).draft(np.random.default_rng(0)).candidates
    best = sorted(analyzer.seen, reverse=True)[: FEW.draft_set]
    half = FEW.draft_set // 2
    assert close_to_a_better_one(space, [(c.sketch, c.row) for c in drafted]) <= half
    assert close_to_a_better_one(space, [(index, row) for _, index, row in best]) > half


@pytest.mark.parametrize("workload", [CONV, "matmul:128,96,64", "softmax:64,256"])
def test_a_draft_takes_from_every_sketch_that_is_good_enough(workload):
    space = space_of(workload, CPU)
    analyzer = Recording(space, DEVICES[CPU])
    analyzer.seen = set()
    drafted = Explorer(space, analyzer, FEW).draft(np.random.default_rng(0)).candidates
    worst = drafted[-1].draft_score
    good = {index for score, index, _ in analyzer.seen if score >= worst}
    assert {c.sketch for c in drafted} == good
    assert len(good) > 1 or workload != "matmul:128,96,64", "there are several"


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
