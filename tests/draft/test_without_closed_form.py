"""Sketches that the draft cannot read in closed form, as a rule of somebody else's may make them."""

from __future__ import annotations

import numpy as np
import pytest
from tvm.s_tir import Schedule
from tvm.s_tir.meta_schedule import TuneContext

from draft.spaces import CPU, DEVICES, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.lowered import READ_A_DRAFT
from pruner_engine.draft.nests.nest import UnreadableSketchError
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies.draft_verify import DraftVerify
from pruner_engine.search.strategy import Context
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.decision import LocationDecision
from pruner_engine.space.design_space import DesignSpace, space_generator
from pruner_engine.verify.drafted import LATENCY, draft_features
from schedules import task_of


@pytest.fixture(scope="module")
def space():
    """Of a convolution, with one sketch: its window is fused before its reduction is split in two."""
    task = task_of("conv2d:1,16,30,30,64,3,layout=NHWC", CPU)
    schedule = Schedule(task.mod)
    block = schedule.get_sblock("conv2d_nhwc")
    *_, row, column, filters, height, width, _ = schedule.get_loops(block)
    for loop in (row, column, filters):
        schedule.split(loop, schedule.sample_perfect_tile(loop, 4, 64))
    schedule.rfactor(schedule.fuse(height, width), 0)
    context = TuneContext(task.mod, target=CPU, space_generator=space_generator(CPU))
    return DesignSpace(task, CPU, context, [schedule.trace.simplified(remove_postproc=True)])


@pytest.fixture
def analyzer(space):
    made = Analyzer(space, DEVICES[CPU])
    assert not made.compiled(0)
    return made


def test_they_are_scored_by_what_is_counted_on_applied_schedules(space, analyzer):
    (sketch,) = space.sketches
    rows = sketch.sample(np.random.default_rng(0), 8)
    scores = analyzer.score(0, rows)
    assert np.isfinite(scores).all() and len(set(scores)) > 1
    told = analyzer.explain(0, rows[0])
    assert told.valid and -np.log2(told.latency_s) == pytest.approx(scores[0])
    assert analyzer.canonical(0, rows) is rows
    analyzer.prepare(0, rows[0])


def test_what_the_model_learns_of_them_does_not_change_as_the_run_calibrates(space):
    candidate = space.candidate(0, space.sketches[0].sample(np.random.default_rng(0), 1)[0])
    before = draft_features(space, [candidate])[0]
    assert before[LATENCY] > 0
    space.derived["analyzer"].factors = {"compute": 3.0, "overhead": 3.0, "L1": 3.0}
    assert np.array_equal(before, draft_features(space, [candidate])[0])


@pytest.mark.parametrize("generations", [0, 2])
def test_the_draft_reads_other_ones_with_each_seed_and_no_more_than_it_may(space, analyzer, generations):
    explorer = Explorer(space, analyzer, SearchSettings(population=256, generations=generations, draft_set=16))
    drafts = [explorer.draft(np.random.default_rng(seed)) for seed in (0, 1)]
    assert all(0 < draft.lowered == draft.explored <= READ_A_DRAFT for draft in drafts)
    first, second = ({c.hash for c in draft.candidates} for draft in drafts)
    assert first and not first & second


def test_a_round_counts_them_as_such(space):
    told = []
    context = Context(
        CPU, DEVICES[CPU], 0, SearchSettings(population=32, generations=0, draft_set=8, fresh_samples=0), 1,
        lambda *_: None, lambda *_: None, lambda *notice: told.append(notice),
    )  # fmt: skip
    proposal = DraftVerify(context).propose(TaskState(space.task, 1, space=space), 2)
    assert proposal.stats["lowered"] == proposal.explored > 0
    assert proposal.stats["lowered_sketches"] == 1
    assert [text for _, text, _ in told] == [f"{space.task.name}: sketches without a closed form: 1 of 1."]


def test_one_that_proves_so_with_a_block_moved_is_read_from_schedules_from_then_on(monkeypatch):
    """Whoever asks first: a resumed run featurises what it has measured before it drafts anything."""
    space = space_of("conv2d:1,16,14,14,32,3,pad=1", CPU)
    index = next(s.index for s in space.sketches if any(isinstance(d, LocationDecision) for d in s.decisions))
    made = analyzer_for(space, DEVICES[CPU])
    at = made.closed[index].variants.at

    def unreadable_when_moved(locations):
        if any(place != -1 for place in locations):
            raise UnreadableSketchError("a block at this place")
        return at(locations)

    monkeypatch.setattr(made.closed[index].variants, "at", unreadable_when_moved)
    rows = space.sketches[index].sample(np.random.default_rng(0), 64)
    assert made.compiled(index)
    features = draft_features(space, [space.candidate(index, row) for row in rows])
    assert not made.compiled(index)
    assert all(found[0] == 0 for found in features) and any(found[LATENCY] > 0 for found in features)
