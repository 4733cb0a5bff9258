"""Places of the largest and of the least lie within the tensor, whatever its numbers are."""

import numpy as np
import pytest
import tvm
from tvm import relax

from graphs import graph
from machines import machine_of
from pruner_engine.tasks.prepare import prepare
from schedules import CPU

LARGEST = {  # rows that are all what nothing is larger than, and some that are not
    "uint8": [[0, 0, 0], [0, 7, 7]],
    "int8": [[-128, -128, -128], [3, -128, 5]],
    "float32": [[-np.inf, -np.inf, -np.inf], [-np.inf, 1, 0]],
}


@pytest.mark.parametrize("dtype", LARGEST)
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_they_are_those_of_numpy(name, keep, dtype):
    x = np.array(LARGEST[dtype], dtype)
    if name == "argmin":
        x = -x if dtype == "float32" else ~x
    operator = getattr(relax.op, name)
    made = prepare(graph(lambda x: operator(x, 1, keep), x.shape, dtype=dtype), CPU)
    found = machine_of(made, CPU)["main"](tvm.runtime.tensor(x)).numpy()
    assert np.array_equal(found, getattr(np, name)(x, 1, keepdims=keep))
