"""The larger and the lesser of two computed tensors is no number where either is none."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tvm
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import host_target
from pruner_engine.tasks.prepare import prepare

NAN = np.nan
X = np.array([[NAN, 1, NAN, 2, 3, -np.inf], [1, NAN, NAN, 4, -2, 0]])
Y = np.array([[1, NAN, NAN, 3, 2, np.inf], [NAN, 1, 2, NAN, -5, 1]])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize(
    "given",
    [(X, Y), (X, Y[:1]), (X[:, :1], Y[0]), (Y[0], X[:, 1:2]), (X, Y, Y + 1, X * 2, Y, X, Y)],
    ids=["as large", "a row", "a column and a vector", "a vector and a column", "many"],
)
def test_what_is_no_number_stays(given, name, dtype):
    with np.errstate(invalid="ignore"):
        given = [x.astype(dtype) for x in given]
    extreme = getattr(op, name)
    mod = graph(lambda *xs: functools.reduce(extreme, xs), *(x.shape for x in given), dtype=dtype)
    found = machine_of(prepare(mod, host_target()))["main"](*map(tvm.runtime.tensor, given)).numpy()
    np.testing.assert_array_equal(found, functools.reduce(getattr(np, name), given))
