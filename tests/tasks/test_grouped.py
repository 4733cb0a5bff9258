"""Grouped convolutions in whole vectors, and the shuffles of channels around them, compute what they did."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax

from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.fold import fold_movement
from pruner_engine.tasks.grouped import widen_groups
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.simplify import simplify

HOST = resolve_target("auto")
TARGET = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')


def shuffle_unit(channels, groups, axes=(0, 2, 1, 3, 4)):
    """ShuffleNet's unit in NCHW: grouped, shuffled, depthwise, grouped, residual."""
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    shape = (1, channels, 6, 5)
    x = relax.Var("x", relax.TensorType(shape, "float32"))

    def convolution(data, inner, kernel, parts):
        weight = relax.const(rng.standard_normal((channels, inner, kernel, kernel)).astype("float32"))
        bias = relax.const(rng.standard_normal((1, channels, 1, 1)).astype("float32"))
        made = builder.emit(relax.op.nn.conv2d(data, weight, padding=kernel // 2, groups=parts))
        return builder.emit(relax.op.add(made, bias))

    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.relu(convolution(x, channels // groups, 1, groups)))
            y = builder.emit(relax.op.reshape(y, (1, groups, channels // groups, 6, 5)))
            y = builder.emit(relax.op.permute_dims(y, axes))
            y = builder.emit(relax.op.reshape(y, shape))
            y = convolution(convolution(y, 1, 3, channels), channels // groups, 3, groups)
            out = builder.emit_output(relax.op.nn.relu(builder.emit(relax.op.add(y, x))))
        builder.emit_func_output(out)
    return builder.get()


def channels_last(mod):
    moved = relax.transform.ConvertLayout({"relax.nn.conv2d": ["NHWC", "HWIO"]})(mod)
    return relax.transform.CanonicalizeBindings()(fold_movement(moved))


def run(mod, x):
    machine = relax.VirtualMachine(tvm.compile(mod, target=HOST), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize(("channels", "groups"), [(24, 4), (28, 4), (48, 3), (40, 4)])
def test_a_unit_computes_the_same_and_shuffles_nothing(channels, groups):
    mod = shuffle_unit(channels, groups)
    rewritten = simplify(widen_groups(channels_last(mod), 16))
    text = rewritten["main"].script()
    assert "R.permute_dims" in text  # of the input and the result
    assert "axes=[0, 2, 1, 3, 4]" not in text and "axes=[0, 1, 2, 4, 3]" not in text
    x = np.random.default_rng(2).standard_normal((1, channels, 6, 5)).astype("float32")
    np.testing.assert_allclose(run(rewritten, x), run(mod, x), rtol=1e-4, atol=1e-4)


def test_what_only_looks_like_a_shuffle_stays():
    """Groups of rows are exchanged with channels, which mixes pixels."""
    mod = shuffle_unit(24, 4, axes=(0, 1, 2, 4, 3))
    rewritten = simplify(widen_groups(channels_last(mod), 16))
    x = np.random.default_rng(2).standard_normal((1, 24, 6, 5)).astype("float32")
    np.testing.assert_allclose(run(rewritten, x), run(mod, x), rtol=1e-4, atol=1e-4)


def test_bias_residual_and_activation_fuse_with_a_grouped_convolution():
    tasks = extract_tasks(prepare(channels_last(shuffle_unit(272, 4)), TARGET), TARGET)
    names = [task.name for task in tasks if task.op == "group_conv2d"]
    assert [name.rpartition("_")[0] for name in names] == [
        "group_conv2d_strided_slice_add_add_relu",
        "group_conv2d_strided_slice_add_relu",
    ]


def test_a_grouped_convolution_that_reads_shuffled_channels_has_a_closed_form():
    task = extract_tasks(prepare(channels_last(shuffle_unit(272, 4)), TARGET), TARGET)[0]
    space = DesignSpace.generate(task, TARGET)
    analyzer = Analyzer(space, load_presets()["sapphire-rapids"].profile)
    assert space.sketches
    assert all(analyzer.compiled(sketch.index) for sketch in space.sketches)
