"""What Pruner's step keeps of its drafts from round to round."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections import Counter

import numpy as np
import pytest

from pruner_engine.draft import analyzer_for
from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies.draft_verify import DraftVerify, places
from pruner_engine.search.strategies.momentum import MomentumDraftVerify
from pruner_engine.search.strategy import Context
from pruner_engine.search.task_state import Pending, TaskState, Trial
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from schedules import CPU, GPU, task_of


def state_of(workload, target=CPU):
    task = task_of(workload, target)
    return TaskState(task, 1, space=DesignSpace.generate(task, target))


@pytest.fixture
def state():
    return state_of("matmul:64,64,64")


def strategy_with(target=CPU, kind=DraftVerify, **settings):
    nothing = lambda *_: None  # noqa: E731
    chosen = SearchSettings(population=64, **settings)
    return kind(Context(target, profile_for(target), 0, chosen, 2, nothing, nothing, nothing))


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


def test_what_an_earlier_draft_held_is_applied_again_only_where_it_is_chosen(state, monkeypatch):
    applied, apply = Counter(), DesignSpace.apply
    monkeypatch.setattr(DesignSpace, "apply", lambda space, one: applied.update([one.hash]) or apply(space, one))
    strategy, drafted, chosen = strategy_with(draft_set=48, fresh_samples=0, refresh=1), Counter(), set()
    for number in range(4):
        proposal = strategy.propose(state, 6)
        assert proposal.explored and all(candidate.schedule is not None for candidate in proposal.candidates)
        drafted.update(candidate.hash for candidate in proposal.drafted)
        chosen |= {candidate.hash for candidate in proposal.candidates}
        state.begin_round(Pending(candidate, 0, number, pinned=False) for candidate in proposal.candidates)
        strategy.take(state, measured(state, proposal.candidates))
    kept = {key for key, times in drafted.items() if times > 1} - chosen
    assert len(kept) > 12 and all(applied[key] == 1 for key in kept)


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


def test_what_is_verified_together_was_scored_with_the_same_factors(state):
    """A model that is weighed against the draft's order would else take all random samples for better, or for worse."""
    strategy = strategy_with(draft_set=96, fresh_samples=8, model="xgb")
    analyzer = analyzer_for(state.space, strategy.context.profile)
    ((favoured, _),) = Counter(c.sketch for c in strategy.propose(state, 8).drafted).most_common(1)
    rows = state.space.sketches[favoured].sample(np.random.default_rng(0), 48)
    names, times, _ = analyzer.components_of([(favoured, row, 1.0) for row in rows])
    weights = np.array([4.0 if name == "overhead" else 0.25 for name in names])
    for row, seconds in zip(rows, (weights @ times).tolist(), strict=True):
        candidate = state.space.candidate(favoured, row)
        state.add(Trial(candidate, MeasureResult(candidate.hash, "ok", repeats=(seconds,))))
    state.end_round()
    strategy.learn(state, state.trials)
    second = strategy.propose(state, 8)
    assert not second.explored and {c.origin for c in second.drafted} == {"draft", "random"}
    for candidate in second.drafted:
        (score,) = analyzer.score(candidate.sketch, candidate.row[None])
        assert candidate.draft_score == pytest.approx(score)
    strategy._explore(state, strategy._draft_of(state))
    assert analyzer.factors["overhead"] > 2 * analyzer.factors["compute"], "the next draft knows what was measured"


def test_places_tell_equals_apart_from_the_rest_and_what_is_no_number_from_all():
    assert places([5.0, 2.0, None, 2.0, float("nan")]).tolist() == [1.0, 0.5, 0.0, 0.5, 0.0]
    assert places([3.0]).tolist() == [0.0] and places([]).tolist() == []


def test_as_long_as_nothing_is_measured_candidates_stand_as_the_draft_has_them(state):
    drafted = strategy_with().propose(state, 8).drafted
    assert [c.verified_score for c in drafted] == places([c.draft_score for c in drafted]).tolist()


@pytest.mark.parametrize("kind", [DraftVerify, MomentumDraftVerify])
def test_the_more_a_run_has_measured_the_more_what_it_has_learned_decides(state, kind):
    strategy = strategy_with(kind=kind, eps_greedy=0.0)
    for of_task in (0, 12):
        proposal = strategy.propose(state, 12)
        features = [strategy.memory(state).features[c.hash] for c in proposal.drafted]
        known, learned = strategy.known(proposal.drafted, features), places(strategy.learner.predict(features))
        trust = of_task / (of_task + 1) * of_task / (of_task + 20)
        assert [c.verified_score for c in proposal.drafted] == pytest.approx((1 - trust) * known + trust * learned)
        strategy.learn(state, measured(state, proposal.candidates))
    assert not np.allclose(known, learned)


def test_before_a_run_has_measured_anything_draft_and_pretrained_model_have_equal_say(state):
    strategy = strategy_with(kind=MomentumDraftVerify)
    drafted = strategy.propose(state, 8).drafted
    features = strategy.memory(state).features
    pretrained = places(strategy.adapter.siamese.predict([features[c.hash] for c in drafted]))
    of_draft = places([c.draft_score for c in drafted])
    assert [c.verified_score for c in drafted] == pytest.approx((of_draft + pretrained) / 2)


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


def test_a_kernel_of_one_candidate_teaches_nothing(state):
    strategy = strategy_with(draft_set=8, fresh_samples=0)
    first, *others = strategy.propose(state, 4).candidates
    assert strategy.learn(state, measured(state, [first])) == {}
    assert strategy.learn(state, measured(state, others))["samples"] == 4


def test_an_analyzer_lives_as_long_as_its_space(state):
    strategy = strategy_with(draft_set=8)
    strategy.propose(state, 2)
    space, analyzer = weakref.ref(state.space), weakref.ref(state.space.derived["analyzer"])
    state.space = None
    assert analyzer() is not None
    del strategy
    gc.collect()
    assert space() is None and analyzer() is None


# for each the draft set is, for the most part, of one sketch; another one's best is to take less than twice as long
ONE_SIDED = {"cpu": (CPU, "matmul:128,512,2048"), "gpu": (GPU, "matmul:96,512,1024")}


@pytest.fixture(params=ONE_SIDED)
def one_sided(request):
    """A state, and a strategy that picks nothing by chance."""
    target, workload = ONE_SIDED[request.param]
    return state_of(workload, target), strategy_with(target, eps_greedy=0.0, draft_set=16, fresh_samples=0)


def by_sketch(candidates):
    """The candidates of the sketch that most of them are of, and the others."""
    (main, _), *_ = Counter(candidate.sketch for candidate in candidates).most_common()
    return [c for c in candidates if c.sketch == main], [c for c in candidates if c.sketch != main]


def test_a_first_round_measures_sketches_that_may_be_as_good_whatever_else_is_drafted(one_sided):
    state, strategy = one_sided
    proposal = strategy.propose(state, 8)
    main, others = by_sketch(proposal.candidates)
    assert others
    best = max(candidate.draft_score for candidate in main)
    assert max(candidate.draft_score for candidate in others) > best - 1


def test_a_later_round_measures_the_best_of_a_sketch_that_was_not_tried(one_sided):
    state, strategy = one_sided
    main, others = by_sketch(strategy.propose(state, 8).candidates)
    strategy.take(state, measured(state, main))
    proposal = strategy.propose(state, 8)
    again = [candidate for candidate in proposal.candidates if candidate.sketch == others[0].sketch]
    alike = [c.draft_score for c in proposal.drafted if c.sketch == others[0].sketch]
    assert max(candidate.draft_score for candidate in again) == max(alike)


def test_a_first_round_verifies_drafts_of_which_no_two_are_variants_and_random_samples(state):
    proposal = strategy_with(eps_greedy=0.0).propose(state, 3)
    drafted = [candidate for candidate in proposal.drafted if candidate.origin == "draft"]
    assert len(drafted) == 12 and 0 < len(proposal.drafted) - len(drafted) <= 6
    for one, other in itertools.combinations(drafted, 2):
        columns = state.space.sketches[one.sketch].columns
        assert one.sketch != other.sketch or sum(any(one.row[c] != other.row[c]) for c in columns) > 1


def test_of_the_sketch_that_measured_best_more_is_drafted(one_sided):
    state, strategy = one_sided
    main, others = by_sketch(strategy.propose(state, 8).candidates)
    strategy.take(state, measured(state, [*others, *main]))
    drafted = strategy.propose(state, 8).drafted
    favoured = [candidate for candidate in drafted if candidate.sketch == others[0].sketch]
    assert len(favoured) >= len(drafted) // 2


def test_the_sketch_that_measured_best_is_favoured_also_where_no_elite_is_mutated(one_sided):
    state, strategy = one_sided
    main, others = by_sketch(strategy.propose(state, 8).candidates)
    measured(state, [*others, *main])
    without = strategy_with(state.space.target, eps_greedy=0.0, draft_set=16, fresh_samples=0, elite_share=0.0)
    assert [without.propose(state, 8).explored > 0 for _ in range(2)] == [True, False]
