"""What Pruner's step keeps of its drafts from round to round."""

from __future__ import annotations

import gc
import weakref

import pytest

from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.draft_verify import DraftVerify
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategy import Context
from pruner_engine.search.task_state import Pending, TaskState, Trial
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from schedules import CPU, task_of


@pytest.fixture
def state():
    task = task_of("matmul:64,64,64")
    return TaskState(task, 1, space=DesignSpace.generate(task, CPU))


def strategy_with(**settings):
    nothing = lambda *_: None  # noqa: E731
    chosen = SearchSettings(population=64, **settings)
    return DraftVerify(Context(CPU, profile_for(CPU), 0, chosen, 2, nothing, nothing, nothing))


def measured(state, candidates):
    """As if they had been measured, each a little slower than the one before."""
    for candidate in candidates:
        seconds = 1e-4 * (1 + len(state.trials) / 100)
        state.add(Trial(candidate, MeasureResult(candidate.hash, "ok", repeats=(seconds,))))
    state.end_round()
    return state.trials[-len(candidates) :]


def test_only_what_is_measured_next_keeps_its_schedule(state):
    strategy = strategy_with(draft_set=32, fresh_samples=4)
    for _ in range(2):
        proposal = strategy.propose(state, 6)
        assert all(candidate.schedule is not None for candidate in proposal.candidates)
        assert sum(candidate.schedule is not None for candidate in proposal.drafted) == len(proposal.candidates) == 6
        strategy.take(state, measured(state, proposal.candidates))


def test_a_draft_set_that_is_used_up_is_followed_by_another_whatever_the_refresh(state):
    strategy = strategy_with(draft_set=12, fresh_samples=0, refresh=100)
    sizes = []
    for _ in range(4):
        proposal = strategy.propose(state, 8)
        sizes.append(len(proposal.candidates))
        strategy.take(state, measured(state, proposal.candidates))
    assert sizes == [8, 8, 8, 8]
    assert len(state.measured) == 32


def test_a_draft_set_serves_so_many_rounds_also_where_the_next_is_begun_before_one_has_ended(state):
    strategy, explored = strategy_with(draft_set=96, fresh_samples=0, refresh=2), []
    for number in range(4):
        if number > 1:
            measured(state, [pending.candidate for pending in [*state.under_way.values()][:4]])
        proposal = strategy.propose(state, 4)
        explored.append(proposal.explored > 0)
        state.begin_round(Pending(candidate, 0, number, pinned=False) for candidate in proposal.candidates)
    assert explored == [True, False, True, False]


def test_no_candidate_is_drafted_twice():
    """In a small space a random sample often is a member of the draft set that waits for the next round."""
    task = task_of("matmul:8,8,8")
    state = TaskState(task, 1, space=DesignSpace.generate(task, CPU))
    strategy = strategy_with()
    for _ in range(3):
        proposal = strategy.propose(state, 10)
        hashes = [candidate.hash for candidate in proposal.drafted]
        assert len(set(hashes)) == len(hashes)
        strategy.take(state, measured(state, proposal.candidates))


def test_an_analyzer_lives_as_long_as_its_space(state):
    strategy = strategy_with(draft_set=8)
    strategy.propose(state, 2)
    space, analyzer = weakref.ref(state.space), weakref.ref(state.space.derived["analyzer"])
    state.space = None
    assert analyzer() is not None
    del strategy
    gc.collect()
    assert space() is None and analyzer() is None
