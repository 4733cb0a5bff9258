"""A search keeps to compute locations that were read, and few new ones: there may be more than it has rows."""

from __future__ import annotations

import numpy as np

from draft.spaces import CPU, DEVICES, space_of
from pruner_engine.draft import Analyzer
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.decision import LocationDecision
from pruner_engine.space.design_space import DesignSpace

WINDOWS = DesignSpace.generate(space_of("softmax:64,49", CPU).task, CPU, without=["rows"])


def locations_of(sketch, rows):
    columns = [sketch.columns[i].start for i, d in enumerate(sketch.decisions) if isinstance(d, LocationDecision)]
    return rows[:, columns], np.delete(rows, columns, axis=1)


def test_rows_are_moved_to_few_locations_and_change_nothing_else():
    analyzer, sketch = Analyzer(WINDOWS, DEVICES[CPU]), WINDOWS.sketches[0]
    rows = sketch.sample(np.random.default_rng(0), 400)
    before, others = locations_of(sketch, rows)
    gathered = analyzer.gathered(0, rows, 5)
    after, same = locations_of(sketch, gathered)
    assert len(np.unique(before, axis=0)) > 100
    assert len(np.unique(after, axis=0)) == 5 and (same == others).all()
    assert (analyzer.gathered(0, gathered, 5) == gathered).all()


def test_a_draft_of_many_stages_reads_few_variants():
    analyzer = Analyzer(WINDOWS, DEVICES[CPU])
    drafted = Explorer(WINDOWS, analyzer, SearchSettings()).draft(np.random.default_rng(0))
    assert len(drafted.candidates) > 16
    assert sum(len(closed.variants) for closed in analyzer._closed) < 400
