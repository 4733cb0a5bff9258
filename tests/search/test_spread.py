"""Candidates that have little in common."""

from __future__ import annotations

import numpy as np
import pytest

from pruner_engine.search.strategies.spread import spread
from pruner_engine.space.design_space import DesignSpace
from schedules import CPU, task_of


@pytest.fixture(scope="module")
def space():
    return DesignSpace.generate(task_of("conv2d:1,16,16,16,32,3", CPU), CPU)


@pytest.fixture
def candidates(space):
    rng = np.random.default_rng(0)
    rows = [(sketch.index, row) for sketch in space.sketches for row in sketch.sample(rng, 12)]
    return [space.candidate(index, row) for index, row in rows]


def in_common(space, a, b):
    if a.sketch != b.sketch:
        return 0
    return sum(np.array_equal(a.row[c], b.row[c]) for c in space.sketches[a.sketch].columns)


def test_the_best_comes_first_and_none_is_lost_or_comes_twice(space, candidates):
    assert spread(space, candidates, 1) == candidates[:1]
    every = spread(space, candidates, 1000)
    assert len(every) == len(candidates)
    assert {c.hash for c in every} == {c.hash for c in candidates}


def test_variants_of_the_best_wait_for_what_differs(space, candidates):
    best, *others = candidates
    variants = []
    for columns in space.sketches[best.sketch].columns:
        row = best.row.copy()
        row[columns] = next(
            c.row[columns] for c in others if c.sketch == best.sketch and any(c.row[columns] != row[columns])
        )
        variants.append(space.candidate(best.sketch, row))
    chosen = spread(space, [best, *variants, *others], 4)
    assert chosen[0] is best
    assert not any(c.hash in {v.hash for v in variants} for c in chosen)
    pairs = [(a, b) for i, a in enumerate(chosen) for b in chosen[:i]]
    assert max(in_common(space, a, b) for a, b in pairs) <= 1
