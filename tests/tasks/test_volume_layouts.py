"""Convolutions of volumes run channels last within a model, and compute what PyTorch does."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax
from tvm.relax import op
from tvm.relax.frontend.torch import from_exported_program

from graphs import graph
from machines import machine_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import layouts, prepare

TARGET = resolve_target("auto")
AVX2 = resolve_target('{"kind":"llvm","mcpu":"haswell","num-cores":2}')  # whose vectors the filters fill


class Residual(nn.Module):
    """A block of a network for videos: its convolutions in space and in time one after the other."""

    def __init__(self, channels):
        super().__init__()
        self.space = nn.Conv3d(channels, 40, (1, 3, 3), padding=(0, 1, 1))
        self.time = nn.Conv3d(40, channels, (3, 1, 1), padding=(1, 0, 0))

    def forward(self, x):
        return torch.relu(x + self.time(torch.relu(self.space(x))))


class Mean(nn.Module):
    """Of all pixels of a channel."""

    def forward(self, x):
        return x.mean((2, 3, 4))


def norm(channels):
    made = nn.BatchNorm3d(channels)
    made.running_mean.normal_()
    made.running_var.uniform_(0.5, 2)
    return made


def layers_of(name):
    torch.manual_seed(4)
    return {
        "video": lambda: nn.Sequential(
            nn.Conv3d(3, 32, (3, 5, 5), stride=(1, 2, 2), padding=(1, 2, 2), bias=False),
            norm(32),
            nn.ReLU(),
            Residual(32),
            Residual(32),
            Mean(),
            nn.Linear(32, 5),
        ),
        "poolings": lambda: nn.Sequential(
            nn.Conv3d(3, 16, 3), nn.MaxPool3d(2), nn.Conv3d(16, 37, 2, dilation=(1, 2, 1)), nn.AvgPool3d((1, 2, 2))
        ),
        "groups": lambda: nn.Sequential(nn.Conv3d(3, 16, 3, padding=1), nn.Conv3d(16, 16, 3, groups=16), nn.SiLU()),
    }[name]().eval()


def prepared(name, without=(), target=TARGET):
    volume = torch.randn(2, 3, 6, 15, 13)
    program = torch.export.export(layers_of(name), (volume,))
    mod = from_exported_program(program, keep_params_as_input=False, unwrap_unit_return_tuple=True)
    return prepare(mod, target, without), volume


@pytest.mark.parametrize("name", ["video", "poolings", "groups"])
@pytest.mark.parametrize("without", [[], ["channels-last"]], ids=["last", "first"])
def test_models_of_volumes_compute_what_pytorch_does(name, without):
    mod, volume = prepared(name, without)
    with torch.no_grad():
        expected = layers_of(name)(volume).numpy()
    machine = machine_of(mod, TARGET)
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(volume.numpy())).numpy(), expected, 1e-4, 1e-5)


def test_their_kernels_are_those_of_the_register_tile():
    tasks = [task for task in extract_tasks(prepared("video", target=AVX2)[0], AVX2) if task.op == "conv3d"]
    assert sum(task.weight for task in tasks) == 5
    for task in tasks:
        assert task.args[1].shape[-1] == task.args[-1].shape[-1], "filters and results have their channels last"
        assert len(DesignSpace.generate(task, AVX2).sketches) in (2, 4)
    kept = extract_tasks(prepared("video", ["channels-last"], AVX2)[0], AVX2)
    assert all(task.args[-1].shape[-1] in (7, 13) for task in kept if task.op == "conv3d")


def test_a_transposed_convolution_stays_as_it_is_between_ones_that_are_channels_last():
    def function(x, first, up, last):
        wide = relax.BlockBuilder.current().emit(op.nn.conv3d(x, first, padding=1))
        spread = relax.BlockBuilder.current().emit(op.nn.conv3d_transpose(wide, up, strides=2))
        return op.nn.conv3d(spread, last)

    mod = graph(function, (1, 3, 4, 5, 6), constants=[(16, 3, 3, 3, 3), (16, 8, 2, 2, 2), (5, 8, 3, 3, 3)])
    made = layouts(mod, TARGET)
    assert made.channels_last is not None
    x = tvm.runtime.tensor(np.random.default_rng(0).standard_normal((1, 3, 4, 5, 6)).astype("f"))
    want = machine_of(mod)["main"](x).numpy()
    assert np.abs(machine_of(made.channels_last(), TARGET)["main"](x).numpy() - want).max() <= 1e-5 * np.abs(want).max()
