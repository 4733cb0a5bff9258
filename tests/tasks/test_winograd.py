"""Convolutions by Winograd's minimal filtering compute what plain ones do, where they are chosen."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tvm
from tvm import relax

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites import winograd
from seeds import seeded

HOST = resolve_target("auto")
TARGET = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')
LAYOUT = {"data_layout": "NHWC", "kernel_layout": "HWIO"}


def network(shape, filters, dilation=1):
    """Two convolutions, the second with a residual, that nothing but their activation separates."""
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(shape, "float32"))

    def convolution(data, channels):
        weight = relax.const((rng.standard_normal((3, 3, channels, filters)) / np.sqrt(9 * channels)).astype("float32"))
        bias = relax.const(rng.standard_normal(filters).astype("float32"))
        made = relax.op.nn.conv2d(data, weight, padding=dilation, dilation=dilation, **LAYOUT)
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


def assert_the_same(mod, shape):
    x = np.random.default_rng(2).standard_normal(shape).astype("float32")
    prepared = prepare(mod, HOST)
    assert any("winograd_output" in variable.name_hint for variable in prepared.get_global_vars())
    np.testing.assert_allclose(run(prepared, x), run(mod, x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tile", [2, 4])
@pytest.mark.parametrize(("height", "width", "dilation"), [(8, 12, 1), (9, 7, 1), (14, 5, 1), (16, 8, 2), (7, 11, 3)])
def test_the_result_is_the_same(monkeypatch, tile, height, width, dilation):
    monkeypatch.setattr(winograd, "tile_of", lambda *_: tile)
    shape = (2, height, width, 32)
    assert_the_same(network(shape, 32, dilation), shape)


@seeded(3)
def test_dilated_convolutions_of_any_padding_are_the_same(monkeypatch, seed):
    rng = random.Random(seed)
    dilation, padding = rng.randint(2, 5), [rng.randint(0, 6) for _ in range(4)]
    tile = rng.choice((2, 4))
    monkeypatch.setattr(winograd, "tile_of", lambda *_: tile)
    shape = (rng.randint(1, 3), *(2 * dilation + rng.randint(1, 12) for _ in range(2)), 32)
    weight = relax.const(np.random.default_rng(seed).standard_normal((3, 3, 32, 16)).astype("float32") / 17)
    options = {"padding": padding, "dilation": dilation, **LAYOUT}
    assert_the_same(graph(lambda x: relax.op.nn.conv2d(x, weight, **options), shape), shape)


@pytest.mark.parametrize("dilation", [1, 2])
def test_bias_residual_and_activation_fuse_with_the_last_transform(dilation):
    tasks = extract_tasks(prepare(network((1, 28, 28, 64), 64, dilation), TARGET), TARGET)
    kinds = sorted(task.name.rpartition("_")[0] for task in tasks)
    assert kinds == ["matmul", "winograd_input", "winograd_output_add_add", "winograd_output_add_relu"]


@pytest.mark.parametrize(
    ("pixels", "channels", "filters", "tile"),
    [((1, 56, 56), 64, 64, 4), ((1, 14, 14), 256, 256, 2), ((1, 7, 7), 512, 512, 0), ((1, 7, 7), 128, 32, 0)],
)
def test_large_images_have_large_tiles_and_few_pixels_none(pixels, channels, filters, tile):
    assert winograd.tile_of(pixels, channels, filters) == tile


def test_pixels_so_far_apart_that_most_tiles_hold_one_of_the_image_are_left():
    assert winograd.tile_of((1, 16, 16), 512, 512, 2) == winograd.tile_of((1, 16, 16), 512, 512)
    assert not winograd.tile_of((1, 16, 16), 512, 512, 12)


@pytest.mark.parametrize(("filters", "options"), [(20, {}), (64, {"strides": 2}), (64, {"dilation": (1, 2)})])
def test_partial_vectors_strides_and_uneven_dilations_stay_as_they_are(filters, options):
    weight = relax.const(np.ones((3, 3, 64, filters), "float32"))
    mod = graph(lambda x: relax.op.nn.conv2d(x, weight, padding=1, **options, **LAYOUT), (1, 28, 28, 64))
    names = [variable.name_hint for variable in prepare(mod, TARGET).get_global_vars()]
    assert not any("winograd" in name for name in names)
