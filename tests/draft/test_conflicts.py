"""Lines that compete for the same places of a cache, against counting them one by one."""

from __future__ import annotations

import itertools

import pytest

from pruner_engine.draft.nests.footprint import Touch, conflicts
from pruner_engine.draft.nests.nest import Buffer

LINE, SETS = 64, 64


def counted(shape, box, size=4):
    """(lines of the box, sets they fall into) of a row-major tensor that starts at a page."""
    lines = set()
    for index in itertools.product(*map(range, box)):
        flat = 0
        for at, extent in zip(index, shape, strict=True):
            flat = flat * extent + at
        lines.add(flat * size // LINE)
    return len(lines), len({line % SETS for line in lines})


@pytest.mark.parametrize(
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
    ],
)
def test_room_grows_by_what_the_sets_leave_unused(shape, box):
    touch = Touch(Buffer("a", list(shape), "float32", argument=True), (), 1, read=True, written=False, guarded=False)
    lines, sets = counted(shape, box)
    assert conflicts(touch, list(box), LINE) == pytest.approx(min(lines, SETS) / sets, rel=0.3)


def test_a_packed_buffer_has_no_conflicts():
    touch = Touch(Buffer("w", [512, 1024], "float32", layout_free=True), (), 1, read=True, written=False, guarded=False)
    assert conflicts(touch, [64, 16], LINE) == 1
