"""Convolutions by Winograd's minimal filtering compute what plain ones do, where they are chosen."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax

from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks import winograd
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

HOST = resolve_target("auto")
TARGET = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')
LAYOUT = {"data_layout": "NHWC", "kernel_layout": "HWIO"}


def network(shape, filters):
    """Two convolutions, the second with a residual, that nothing but their activation separates."""
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(shape, "float32"))

    def convolution(data, channels):
        weight = rng.standard_normal((3, 3, channels, filters)) / np.sqrt(9 * channels)
        bias = relax.const(rng.standard_normal(filters).astype("float32"))
        made = relax.op.nn.conv2d(data, relax.const(weight.astype("float32")), padding=1, **LAYOUT)
        return builder.emit(relax.op.add(builder.emit(made), bias))

    with builder.function("main", [x]):
        with builder.dataflow():
            first = builder.emit(relax.op.nn.relu(convolution(x, shape[3])))
            out = builder.emit_output(builder.emit(relax.op.add(convolution(first, filters), first)))
        builder.emit_func_output(out)
    return builder.get()


def run(mod, x):
    machine = machine_of(mod, HOST)
    return machine["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize("tile", [2, 4])
@pytest.mark.parametrize(("height", "width"), [(8, 12), (9, 7), (14, 5)])
def test_the_result_is_the_same(monkeypatch, tile, height, width):
    monkeypatch.setattr(winograd, "tile_of", lambda *_: tile)
    shape = (2, height, width, 32)
    x = np.random.default_rng(2).standard_normal(shape).astype("float32")
    mod = network(shape, 32)
    prepared = prepare(mod, HOST)
    assert any("winograd_output" in variable.name_hint for variable in prepared.get_global_vars())
    np.testing.assert_allclose(run(prepared, x), run(mod, x), rtol=1e-4, atol=1e-4)


def test_bias_residual_and_activation_fuse_with_the_last_transform():
    tasks = extract_tasks(prepare(network((1, 28, 28, 64), 64), TARGET), TARGET)
    kinds = sorted(task.name.rpartition("_")[0] for task in tasks)
    assert kinds == ["matmul", "winograd_input", "winograd_output_add_add", "winograd_output_add_relu"]


@pytest.mark.parametrize(
    ("pixels", "channels", "filters", "tile"),
    [((1, 56, 56), 64, 64, 4), ((1, 14, 14), 256, 256, 2), ((1, 7, 7), 512, 512, 0), ((1, 7, 7), 128, 32, 0)],
)
def test_large_images_have_large_tiles_and_few_pixels_none(pixels, channels, filters, tile):
    assert winograd.tile_of(pixels, channels, filters) == tile


@pytest.mark.parametrize(("filters", "strides"), [(20, 1), (64, 2)])
def test_partial_vectors_and_strides_stay_as_they_are(filters, strides):
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 28, 28, 64), "float32"))
    with builder.function("main", [x]):
        weight = relax.const(np.ones((3, 3, 64, filters), "float32"))
        with builder.dataflow():
            out = builder.emit_output(relax.op.nn.conv2d(x, weight, strides=strides, padding=1, **LAYOUT))
        builder.emit_func_output(out)
    names = [variable.name_hint for variable in prepare(builder.get(), TARGET).get_global_vars()]
    assert not any("winograd" in name for name in names)
