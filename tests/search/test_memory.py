"""What a model learns from stays bounded, and what it has not learned from stays so."""

from __future__ import annotations

import random

import numpy as np
import pytest

from measured import synthetic_group
from pruner_engine.measure.types import MeasureResult
from pruner_engine.search.strategies.memory import KEPT, MOST, Memory, remembered
from pruner_engine.search.task_state import Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import create_model
from pruner_engine.verify.model import HELD_EVERY, Features
from pruner_engine.verify.storage import in_one_piece

ROUND = 10


def trial(number: int, seconds: float, censored: bool = False) -> Trial:
    name = f"{random.Random(number).getrandbits(64):016x}"
    result = MeasureResult(name, "ok", repeats=(seconds,), censored=censored)
    return Trial(Candidate(0, np.array([number]), name, []), result)


def features_of(number: int) -> Features:
    return Features(statement=np.full((2, 3), number, np.float32), workload=np.ones(16, np.float32))


def take(memory: Memory, trials: list[Trial]) -> None:
    memory.take(trials, {t.candidate.hash: features_of(int(t.candidate.row[0])) for t in trials})


@pytest.fixture
def trials() -> list[Trial]:
    rng = np.random.default_rng(0)
    return [trial(i, float(s), i % 7 == 0) for i, s in enumerate(rng.uniform(1, 2, 5000))]


def taken(trials: list[Trial], count: int, at_once: int = ROUND) -> Memory:
    memory = Memory()
    for start in range(0, count, at_once):
        take(memory, trials[start : min(start + at_once, count)])
    return memory


def test_of_a_thousand_trials_nothing_is_left_out(trials):
    memory = taken(trials, 1000)
    assert memory.seen == trials[:1000]
    features, seconds, censored = memory.group()
    assert [f.statement[0, 0] for f in features] == list(range(1000))
    assert np.array_equal(seconds, [t.seconds for t in trials[:1000]]) and censored.sum() == 143


def test_of_more_the_newest_the_best_and_a_sample_are_kept(trials):
    memory = taken(trials, 5000)
    assert KEPT <= len(memory.seen) <= MOST
    assert len(memory.features) == len(memory.seen), "features of the others are gone"
    kept = {int(t.candidate.row[0]) for t in memory.seen}
    assert kept >= set(range(4900, 5000)), "the newest"
    finished = [i for i, t in enumerate(trials) if not t.result.censored]
    best = sorted(finished, key=lambda i: trials[i].seconds)[:150]
    assert len(kept.intersection(best)) > 145, "the best, but for those of which some others were held out"
    old = [i for i in kept if i < 2500]
    assert len(old) > 150 and min(old) < 100 and np.std([trials[i].seconds for i in old]) > 0.2, "some of all kinds"
    features, _, _ = memory.group()
    assert [int(f.statement[0, 0]) for f in features] == [int(t.candidate.row[0]) for t in memory.seen]


@pytest.mark.parametrize("count", [1000, 1300, 5000])
def test_what_of_them_is_kept_is_known_without_their_features(trials, count):
    assert remembered(trials[:count], 64) == taken(trials, count, 64).seen


def test_what_is_held_out_was_never_learned_from(trials):
    memory, learned, held = Memory(), set(), set()
    for start in range(0, 5000, ROUND):
        take(memory, trials[start : start + ROUND])
        for place, one in enumerate(memory.seen, 1):
            (learned if place % HELD_EVERY else held).add(one.candidate.hash)
    assert not learned & held
    assert 300 <= len(held) <= 5000 // HELD_EVERY, "the share stays"


def test_features_in_one_piece_are_the_same_numbers_and_all_the_memory_there_is():
    features, _, _ = synthetic_group(8)
    kept = in_one_piece(features)
    for before, after in zip(features, kept, strict=True):
        for part in ("statement", "dataflow", "primitives", "workload", "draft"):
            assert np.array_equal(getattr(before, part), getattr(after, part))
    bases = {id(f.statement.base) for f in kept} | {id(f.draft.base) for f in kept}
    assert len(bases) == 1
    assert kept[0].statement.base.size == sum(
        getattr(f, part).size for f in features for part in ("statement", "dataflow", "primitives", "workload", "draft")
    )
    model = create_model("pacm-draft", 0)
    assert np.array_equal(model.predict(features), model.predict(kept))
