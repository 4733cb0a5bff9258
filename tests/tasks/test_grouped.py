"""Grouped convolutions in whole vectors, and the shuffles of channels around them, compute what they did."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax

from frontends.torch_functions import numbers, saved
from machines import machine_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.frontends import load_model
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.constants import fold_constants
from pruner_engine.tasks.rewrites.grouped import widen_groups
from pruner_engine.tasks.rewrites.simplify import simplify

HOST = resolve_target("auto")
TARGET = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')


def shuffle_unit(channels, groups, axes=(0, 2, 1, 3, 4), bias=None):
    """ShuffleNet's unit in NCHW: grouped, shuffled, depthwise, grouped, residual.

    Args:
        bias: shape of the depthwise convolution's; None: a number for each channel.
    """
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    shape = (1, channels, 6, 5)
    x = relax.Var("x", relax.TensorType(shape, "float32"))

    def convolution(data, inner, kernel, parts, bias=(1, channels, 1, 1)):
        weight = relax.const(rng.standard_normal((channels, inner, kernel, kernel)).astype("float32"))
        bias = relax.const(np.asarray(rng.standard_normal(bias), "float32"))
        made = builder.emit(relax.op.nn.conv2d(data, weight, padding=kernel // 2, groups=parts))
        return builder.emit(relax.op.add(made, bias))

    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.relu(convolution(x, channels // groups, 1, groups)))
            y = builder.emit(relax.op.reshape(y, (1, groups, channels // groups, 6, 5)))
            y = builder.emit(relax.op.permute_dims(y, axes))
            y = builder.emit(relax.op.reshape(y, shape))
            y = convolution(y, 1, 3, channels, (1, channels, 1, 1) if bias is None else bias)
            y = convolution(y, channels // groups, 3, groups)
            out = builder.emit_output(relax.op.nn.relu(builder.emit(relax.op.add(y, x))))
        builder.emit_func_output(out)
    return builder.get()


def channels_last(mod):
    moved = relax.transform.ConvertLayout({"relax.nn.conv2d": ["NHWC", "HWIO"]})(mod)
    return relax.transform.CanonicalizeBindings()(fold_constants(moved))


def run(mod, x):
    machine = machine_of(mod, HOST)
    return machine["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize("bias", [(1, 24, 1, 1), (1, 1, 1, 1), ()], ids=["channels", "one", "number"])
def test_a_bias_moves_before_the_shuffle_in_the_shape_that_it_has(bias):
    """A number without axes is what hard swish adds."""
    check_unit(24, 4, bias)


@pytest.mark.parametrize(("channels", "groups"), [(28, 4), (48, 3), (40, 4)])
def test_a_unit_computes_the_same_and_shuffles_nothing(channels, groups):
    check_unit(channels, groups, (1, channels, 1, 1))


def check_unit(channels, groups, bias):
    mod = shuffle_unit(channels, groups, bias=bias)
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


TURNED = {
    "images": ((2, 16, 6, 6), nn.Conv2d),  # as high as wide, so that shapes do not tell that they are turned
    "volumes": ((1, 16, 5, 5, 5), nn.Conv3d),
}


@pytest.mark.parametrize("kind", TURNED)
def test_a_shuffle_of_what_is_turned_turns_it_still(tmp_path, kind):
    shape, convolution = TURNED[kind]
    torch.manual_seed(0)

    class Turned(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.after = convolution(16, 64, 1), convolution(64, 32, 3, groups=4)

        def forward(self, x):
            x = self.before(x).transpose(-1, -2)
            return self.after(x.reshape(x.shape[0], 4, 16, *x.shape[2:]).transpose(1, 2).reshape(x.shape))

    module, x = Turned(), numbers(*shape)
    prepared = prepare(load_model(saved(tmp_path, module, (x,))).mod, HOST, layout="channels-last")
    with torch.no_grad():
        np.testing.assert_allclose(run(prepared, x.numpy()), module(x), rtol=1e-4, atol=1e-4)


def test_channels_that_are_crossed_into_another_shape_are_no_shuffle():
    """As a transformer on patches does it: pixels in a row, the last axis crossed, then places added."""
    rng, shape = np.random.default_rng(4), (1, 4, 3, 48)
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            weight = relax.const(rng.standard_normal((3, 3, 12, 48)).astype("float32"))
            y = relax.op.nn.conv2d(x, weight, padding=1, groups=4, data_layout="NHWC", kernel_layout="HWIO")
            y = builder.emit(relax.op.reshape(builder.emit(y), (1, 4, 3, 4, 12)))
            y = builder.emit(relax.op.permute_dims(y, [0, 1, 2, 4, 3]))
            y = builder.emit(relax.op.reshape(y, (1, 12, 48)))
            places = relax.const(rng.standard_normal((1, 12, 48)).astype("float32"))
            out = builder.emit_output(builder.emit(relax.op.add(y, places)))
        builder.emit_func_output(out)
    mod = builder.get()
    x = rng.standard_normal(shape).astype("float32")
    np.testing.assert_allclose(run(widen_groups(mod, 16), x), run(mod, x), rtol=1e-4, atol=1e-4)


def test_bias_residual_and_activation_fuse_with_a_grouped_convolution():
    tasks = extract_tasks(prepare(channels_last(shuffle_unit(272, 4)), TARGET), TARGET)
    names = [task.name for task in tasks if task.op == "group_conv2d"]
    assert [name.rpartition("_")[0] for name in names] == [
        "group_conv2d_strided_slice_add_add_relu",
        "group_conv2d_strided_slice_add_relu",
    ]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("groups", [4, 8, 16])
def test_groups_that_make_a_vector_together_stay_together(groups, dtype):
    """A ResNeXt's convolution: the result is its output, of which nothing is cut, in the rule's closed form."""
    rng, shape = np.random.default_rng(5), (1, 6, 5, 64)
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(shape, dtype))
    form = {"padding": 1, "groups": groups, "data_layout": "NHWC", "kernel_layout": "HWIO", "out_dtype": "float32"}
    with builder.function("main", [x]):
        with builder.dataflow():
            weight = relax.const(rng.standard_normal((3, 3, 64 // groups, 64)).astype(dtype))
            made = builder.emit(relax.op.nn.conv2d(x, weight, **form))
            out = builder.emit_output(builder.emit(relax.op.nn.relu(made)))
        builder.emit_func_output(out)
    (task,) = extract_tasks(prepare(builder.get(), TARGET), TARGET)
    assert task.name.rpartition("_")[0] == "group_conv2d_relu"
    space = DesignSpace.generate(task, TARGET)
    analyzer = Analyzer(space, load_presets()["sapphire-rapids"].profile)
    assert len(space.sketches) == 4  # with blocks of the sum and without, padded for each tile and before all else
    assert all(analyzer.compiled(sketch.index) for sketch in space.sketches)
    x = rng.standard_normal(shape).astype(dtype)
    np.testing.assert_allclose(run(prepare(builder.get(), HOST), x), run(builder.get(), x), rtol=1e-4, atol=1e-4)


def test_a_grouped_convolution_that_reads_shuffled_channels_has_a_closed_form():
    task = extract_tasks(prepare(channels_last(shuffle_unit(272, 4)), TARGET), TARGET)[0]
    space = DesignSpace.generate(task, TARGET)
    analyzer = Analyzer(space, load_presets()["sapphire-rapids"].profile)
    assert space.sketches
    assert all(analyzer.compiled(sketch.index) for sketch in space.sketches)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_smaller_floats_are_summed_in_the_type_of_the_result(dtype):
    """A ResNeXt's convolution and its float32 bias; four groups of 50 channels."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1, 200, 4, 3)).astype("float32")
    filters = rng.standard_normal((28, 50, 3, 3)).astype("float32")
    builder = relax.BlockBuilder()
    image = relax.Var("x", relax.TensorType(x.shape, "float32"))
    with builder.function("main", [image]):
        with builder.dataflow():
            operands = [builder.emit(relax.op.astype(value, dtype)) for value in (image, relax.const(filters))]
            made = builder.emit(relax.op.nn.conv2d(*operands, padding=1, groups=4, out_dtype="float32"))
            out = builder.emit_output(builder.emit(relax.op.add(made, relax.const(np.ones((1, 28, 1, 1), "float32")))))
        builder.emit_func_output(out)
    prepared = prepare(builder.get(), HOST)
    assert "group_conv2d_nhwc" in prepared.script()
    x, filters = (torch.from_numpy(array).to(getattr(torch, dtype)).float() for array in (x, filters))
    want = torch.nn.functional.conv2d(x, filters, torch.ones(28), padding=1, groups=4)
    np.testing.assert_allclose(run(prepared, x.numpy()), want, rtol=1e-4, atol=1e-3)
