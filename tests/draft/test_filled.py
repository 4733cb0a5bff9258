"""On Arm processors the unit that multiplies bytes fills registers with numbers, unless they are lanes of one load."""

from __future__ import annotations

import numpy as np
import pytest

from draft.spaces import ARM, analyzer_of, space_of


def compute(workload, tile, unrolled):
    """Seconds that are told of a product with a tile of some rows and vectors, and some steps of the sum unrolled."""
    space = space_of(f"matmul:64,96,128{workload}", ARM)
    rows, vectors = tile
    depth = int(space.task.args[0].shape[-1])
    row = [64 // rows, 1, rows, 24 // vectors, 1, vectors, depth // unrolled, unrolled]
    return analyzer_of(space).explain(0, np.array(row, dtype=np.int32)).times["compute"]


@pytest.mark.parametrize(
    ("workload", "tile", "more"),
    [
        (",int8", (4, 4), 4),  # as many as there are rows, beside the products of a step
        (",int8", (4, 6), 4),
        (",int8", (8, 3), 0),  # 24 results and 16 numbers: no registers are left for these
        (",bfloat16", (4, 4), 0),  # whose instruction takes no lanes
        ("", (4, 4), 0),  # a real number is a lane already
    ],
)
def test_unrolled_steps_save_filling(workload, tile, more):
    rows, vectors = tile
    one, several = (compute(workload, tile, unrolled) for unrolled in (1, 4))
    share = more / (rows * vectors)
    assert 1 + share / 2 <= one / several <= 1 + share + 1e-9, "results are stored beside that"


def test_filling_takes_the_time_of_products():
    """Twice as many steps of halves as of bytes, each of 16 products and four numbers."""
    assert 2.1 < compute(",bfloat16", (4, 4), 4) / compute(",int8", (4, 4), 4) <= 2 * 20 / 16
