"""Quotients by a constant 0 are computed, not refused by the compiler."""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import host_target
from pruner_engine.tasks.prepare import prepare

NUMBERS = np.array([-2, 0, 3, np.inf, -np.inf, np.nan], "float32")


def test_quotients_by_zero():
    for zero in (0.0, -0.0):
        mod = graph(lambda x, zero=zero: op.divide(x, relax.const(zero, "float32")), NUMBERS.shape)
        machine = machine_of(prepare(mod, host_target()))
        with np.errstate(all="ignore"):
            expected = NUMBERS / np.float32(zero)
        np.testing.assert_array_equal(machine["main"](tvm.runtime.tensor(NUMBERS)).numpy(), expected)
