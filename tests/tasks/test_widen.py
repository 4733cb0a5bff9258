"""Convolutions with a whole number of vectors of output channels compute the same."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax

from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.widen import widen_channels

HOST = resolve_target("auto")


def convolution(filters: int) -> tvm.IRModule:
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 8, 6, 6), "float32"))
    with builder.function("main", [x]):
        weight = relax.const(rng.standard_normal((filters, 8, 3, 3)).astype("float32"))
        bias = relax.const(rng.standard_normal((1, filters, 1, 1)).astype("float32"))
        with builder.dataflow():
            y = builder.emit(relax.op.nn.conv2d(x, weight, padding=(1, 1)))
            out = builder.emit_output(relax.op.nn.relu(builder.emit(relax.op.add(y, bias))))
        builder.emit_func_output(out)
    return builder.get()


def run(mod: tvm.IRModule, x: np.ndarray) -> np.ndarray:
    machine = relax.VirtualMachine(tvm.compile(mod, target=HOST), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize(("filters", "wide"), [(100, 112), (1000, 1024), (96, 96), (7, 7)])
def test_filters_are_appended_only_where_vectors_are_partial(filters, wide):
    text = widen_channels(convolution(filters), 16)["main"].script()
    assert f"R.Tensor((1, {wide}, 6, 6)" in text
    assert ("strided_slice" in text) == (filters != wide)


@pytest.mark.parametrize("filters", [50, 100])
def test_the_result_is_the_same(filters):
    x = np.random.default_rng(2).standard_normal((1, 8, 6, 6)).astype("float32")
    mod = convolution(filters)
    np.testing.assert_allclose(run(prepare(mod, HOST), x), run(mod, x), rtol=1e-4, atol=1e-4)
