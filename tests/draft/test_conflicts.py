"""Lines that compete for the same places of a cache, against counting them one by one."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from draft.spaces import CPU, analyzer_of, space_of
from pruner_engine.draft.nests.footprint import SETS, Touch, conflicts, lines, taken_sets
from pruner_engine.draft.nests.nest import Buffer

LINE, WAYS = 64, 8


def lines_of(shape, box, size=4):
    """Numbers of the lines of the box of a row-major tensor that starts at a page."""
    found = set()
    for index in itertools.product(*map(range, box)):
        flat = 0
        for at, extent in zip(index, shape, strict=True):
            flat = flat * extent + at
        found.add(flat * size // LINE)
    return found


def touch_of(shape):
    return Touch(Buffer("a", list(shape), "float32", argument=True), (), 1, read=True, written=False, guarded=False)


BOXES = pytest.mark.parametrize(
    ("shape", "box"),
    [
        ((512, 1024), (16, 16)),  # rows a page apart: one set
        ((512, 1024), (16, 64)),
        ((512, 512), (8, 16)),
        ((320, 1280), (48, 16)),
        ((320, 1280), (80, 1)),
        ((64, 16), (64, 16)),  # contiguous
        ((56, 56, 64), (4, 4, 64)),
        ((100, 100), (10, 100)),
        ((64, 1024), (16, 1)),  # few, and more than a set has places for
        ((64, 1024), (8, 1)),
    ],
)


@BOXES
def test_room_grows_by_what_the_sets_leave_unused(shape, box):
    found = lines_of(shape, box)
    sets = len({line % SETS for line in found})
    assert conflicts(touch_of(shape), list(box), LINE) == pytest.approx(min(len(found), SETS) / sets, rel=0.3)


@BOXES
def test_what_lies_in_few_sets_does_not_fit_though_it_is_little(shape, box):
    touch, per_set = touch_of(shape), Counter(line % SETS for line in lines_of(shape, box))
    fits = lines(touch, list(box), LINE) * LINE * SETS / taken_sets(touch, list(box), LINE) <= WAYS * SETS * LINE
    assert fits == (max(per_set.values()) <= WAYS)


def ratio_of_tiles(depth):
    """Predicted time of the best schedule with sixteen rows in its register tile, over that with eight."""
    space = space_of(f"matmul:64,256,{depth}", CPU)
    rows = space.sketches[0].sample(np.random.default_rng(0), 4096)
    scores = analyzer_of(space).score(0, rows)
    sixteen, eight = (scores[rows[:, 2] == tile].max() for tile in (16, 8))
    return 2 ** (eight - sixteen)


def test_more_rows_a_page_apart_than_a_set_has_places_for_are_no_register_tile():
    assert ratio_of_tiles(1024) > 1.1 * ratio_of_tiles(1040)


def test_a_packed_buffer_has_no_conflicts():
    touch = Touch(Buffer("w", [512, 1024], "float32", layout_free=True), (), 1, read=True, written=False, guarded=False)
    assert conflicts(touch, [64, 16], LINE) == 1
