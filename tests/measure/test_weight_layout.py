"""Rewritten weights hold the values that the index map of TVM says."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tvm.tirx import IndexMap

from pruner_engine.measure.running.weight_layout import rewrite


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda i, j: [j, i], (6, 8)),
        (lambda i, j: [j // 4, i // 3, j % 4, i % 3], (6, 8)),
        (lambda i, j: [i * 8 + j], (6, 8)),
        (lambda h, w, c, o: [o // 8, c, h, w, o % 8], (3, 3, 4, 16)),
        (lambda i: [i // 4, i % 4], (10,)),  # padded
    ],
)
def test_every_element_moves_where_tvm_moves_it(function, shape):
    index_map = IndexMap.from_func(function)
    array = np.random.default_rng(0).random(shape).astype(np.float32)
    to_shape = tuple(int(n) for n in index_map.map_shape(list(shape)))
    moved = rewrite(array, index_map, to_shape)
    expected = np.zeros(to_shape, np.float32)
    for at in itertools.product(*map(range, shape)):
        expected[tuple(int(i) for i in index_map.map_indices(list(at)))] = array[at]
    np.testing.assert_array_equal(moved, expected)
