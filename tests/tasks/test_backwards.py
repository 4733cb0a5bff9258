"""Axes that are read from their end, beside others that split or join them."""

import numpy as np
import pytest
import tvm
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.tasks.prepare import prepare
from schedules import CPU

TURNED = {
    "flip": lambda x: op.flip(x, 1),
    "slice": lambda x: op.strided_slice(x, [1], [15], [-17], [-1]),
}


@pytest.mark.parametrize("name", TURNED)
@pytest.mark.parametrize("layout", ["own", "channels-last"])
def test_channels_of_a_batch_are_turned_around(name, layout):
    """In channels last TVM would read each from a place before its image, or before the tensor."""

    def network(x, kernel):
        parts = op.nn.conv2d(op.reshape(x, (8, 1, 16, 14)), kernel, padding=1)
        return TURNED[name](op.reshape(parts, (1, 16, 16, 14)))

    def plain(x, kernel):
        return op.reshape(op.nn.conv2d(op.reshape(x, (8, 1, 16, 14)), kernel, padding=1), (1, 16, 16, 14))

    x = np.random.default_rng(0).standard_normal((1, 8, 16, 14)).astype("float32")
    found, wanted = (
        machine_of(prepare(mod, CPU, layout=layout))["main"](tvm.runtime.tensor(x)).numpy()
        for mod in (graph(f, x.shape, constants=[(2, 1, 3, 3)]) for f in (network, plain))
    )
    np.testing.assert_allclose(found, wanted[:, ::-1], rtol=1e-5, atol=1e-5)
