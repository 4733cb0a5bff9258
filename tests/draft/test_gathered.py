"""A search keeps to compute locations that were read, and few new ones: there may be more than it has rows."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from draft.spaces import CPU, DEVICES, space_of
from pruner_engine.draft import Analyzer
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.decision import LocationDecision
from pruner_engine.space.design_space import DesignSpace

CONVOLUTION = "conv2d:1,16,14,14,32,3,pad=1"


@functools.cache
def windows() -> DesignSpace:
    """Of a softmax as TVM's rules alone make it: many stages, each of which may be computed in many places."""
    return DesignSpace.generate(space_of("softmax:64,49", CPU).task, CPU, without=["rows"])


def locations_of(sketch, rows):
    columns = [sketch.columns[i].start for i, d in enumerate(sketch.decisions) if isinstance(d, LocationDecision)]
    return rows[:, columns], np.delete(rows, columns, axis=1)


@pytest.mark.parametrize(
    ("made", "new", "places"),
    [(windows, 5, 100), (lambda: space_of(CONVOLUTION, CPU), 2, 4)],
    ids=["softmax", "convolution"],
)
def test_rows_are_moved_to_few_locations_and_change_nothing_else(made, new, places):
    space = made()
    sketch = max(space.sketches, key=lambda sketch: sum(isinstance(d, LocationDecision) for d in sketch.decisions))
    variants = Analyzer(space, DEVICES[CPU]).closed[sketch.index].variants
    rows = sketch.sample(np.random.default_rng(0), 400)
    before, others = locations_of(sketch, rows)
    gathered = variants.gathered(rows, new)
    after, same = locations_of(sketch, gathered)
    assert len(np.unique(before, axis=0)) > places
    assert len(variants) <= new + 1  # those, and the one that is read first
    assert len(np.unique(after, axis=0)) > 1 and (same == others).all()
    assert (variants.canonical(gathered) == gathered).all() and (variants.gathered(gathered, 0) == gathered).all()


def test_rows_whose_places_are_read_stay_where_tvm_puts_them():
    space = space_of(CONVOLUTION, CPU)
    for sketch in space.sketches:
        variants = Analyzer(space, DEVICES[CPU]).closed[sketch.index].variants
        rows = sketch.sample(np.random.default_rng(1), 200)
        assert (variants.gathered(rows, 1000) == variants.canonical(rows)).all()


def test_a_draft_of_many_stages_reads_few_variants():
    analyzer = Analyzer(windows(), DEVICES[CPU])
    drafted = Explorer(windows(), analyzer, SearchSettings()).draft(np.random.default_rng(0))
    assert len(drafted.candidates) > 16
    assert sum(len(closed.variants) for closed in analyzer.closed) < 400
