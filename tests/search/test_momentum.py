"""What MoA-Pruner's models are ranked on: what none of them has learned from, whatever the memory has let go of."""

import numpy as np
import pytest

from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies import make_strategy, memory
from pruner_engine.search.strategy import Context
from pruner_engine.search.task_state import Pending, TaskState, Trial
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from schedules import CPU, task_of


@pytest.fixture
def state():
    task = task_of("matmul:64,64,64")
    return TaskState(task, 1, space=DesignSpace.generate(task, CPU))


@pytest.fixture
def ranked():
    """By models, the samples that each adaptation ranked."""
    return {"adapted": [], "siamese": [], "scratch": []}


@pytest.fixture
def strategy(ranked):
    def adapted(told):
        ranked[told["model"]].append(told["samples"])

    nothing = lambda *_: None  # noqa: E731
    settings = SearchSettings(adapt_every=1)
    context = Context(CPU, profile_for(CPU), 0, settings, 2, nothing, adapted, nothing)
    return lambda: make_strategy("moa-pruner", context)


def measured(strategy, state, count):
    """As many trials of candidates that none was made of before."""
    known = {trial.candidate.hash for trial in state.trials}
    trials = []
    while len(trials) < count:
        for candidate in state.space.materialise(strategy.random_candidates(state, count - len(trials), known), 2):
            seconds = 1e-4 * (1 + int(candidate.hash, 16) / (1 << 64))
            trials.append(Trial(candidate, MeasureResult(candidate.hash, "ok", repeats=(seconds,))))
    state.begin_round(Pending(trial.candidate, 0, state.rounds, pinned=False) for trial in trials)
    for trial in trials:
        state.add(trial)
    state.end_round()
    return trials


def test_an_adaptation_ranks_what_is_new_though_the_memory_was_cut(state, strategy, ranked, monkeypatch):
    monkeypatch.setattr(memory, "KEPT", 64)
    monkeypatch.setattr(memory, "MOST", 72)
    one = strategy()
    for count in (66, 10, 6):  # 76 are too many: 64 of them stay, the newest among them
        one.learn(state, measured(one, state, count))
    assert len(one.memory(state).seen) == 70
    assert ranked == {"adapted": [66, 10, 6], "siamese": [66, 10, 6], "scratch": [10, 6]}


def test_after_a_restart_what_was_learned_is_not_taken_for_new(state, strategy, ranked):
    one = strategy()
    one.learn(state, measured(one, state, 12))
    kept = {role: data for role, (_, data, _) in one.checkpoints().items()}
    other = strategy()
    other.restore([state], kept)
    other.learn(state, measured(other, state, 7))
    assert ranked == {"adapted": [12, 7], "siamese": [12, 7], "scratch": [7]}


def test_after_a_restart_the_target_verifies_as_before(state, strategy):
    one = strategy()
    one.learn(state, measured(one, state, 40))
    kept = {role: data for role, (_, data, _) in one.checkpoints().items()}
    other = strategy()
    other.restore([state], kept)
    features = [other.memory(state).features[trial.candidate.hash] for trial in state.trials]
    before, after, siamese, kept_siamese = (
        model.predict(features)
        for model in (one.adapter.model, other.adapter.model, other.adapter.siamese, one.adapter.siamese)
    )
    assert np.array_equal(siamese, kept_siamese)
    assert np.abs(after - before).max() < 0.1 * np.abs(siamese - before).max()
