"""Models of signals compute what PyTorch does, as images one row high."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program

from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

TARGET = resolve_target("auto")


def imported(layers, signal):
    program = torch.export.export(layers, (signal,))
    return from_exported_program(program, keep_params_as_input=False, unwrap_unit_return_tuple=True)


def normalised(channels):
    norm = nn.BatchNorm1d(channels)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    return norm


def layers_of(name):
    torch.manual_seed(3)
    return {
        "chain": lambda: nn.Sequential(
            nn.Conv1d(4, 16, 5, 2, 2), nn.ReLU(), nn.Conv1d(16, 16, 3, dilation=2), nn.GELU(), nn.Conv1d(16, 6, 1)
        ),
        "norms": lambda: nn.Sequential(nn.Conv1d(4, 16, 3, bias=False), normalised(16), nn.SiLU(), normalised(16)),
        "norms of groups": lambda: nn.Sequential(
            nn.Conv1d(4, 16, 3), nn.GroupNorm(4, 16), nn.ReLU(), nn.Conv1d(16, 8, 1), nn.GroupNorm(1, 8)
        ),
        "groups": lambda: nn.Sequential(nn.Conv1d(4, 8, 4, groups=2), nn.Conv1d(8, 8, 3, padding=1, groups=8)),
        "poolings": lambda: nn.Sequential(
            nn.MaxPool1d(3, 2, 1, ceil_mode=True), nn.Conv1d(4, 8, 3), nn.AvgPool1d(2), nn.AvgPool1d(3, 1, 1)
        ),
        "transposed": lambda: nn.Sequential(
            nn.Conv1d(4, 8, 3), nn.Tanh(), nn.ConvTranspose1d(8, 3, 4, 2, 1, 1), nn.ConvTranspose1d(3, 3, 3, groups=3)
        ),
        "weight norm": lambda: nn.Sequential(
            weight_norm(nn.Conv1d(4, 16, 3, dilation=2)), nn.ReLU(), weight_norm(nn.ConvTranspose1d(16, 6, 4, 2))
        ),
        "attention": lambda: nn.Sequential(nn.Conv1d(4, 16, 3), nn.Softmax(-1), nn.Linear(29, 8)),
    }[name]().eval()


def test_doubles_stay_doubles():
    rng = np.random.default_rng(5)
    signal, weight = rng.standard_normal((2, 4, 31)), rng.standard_normal((8, 4, 3))
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(signal.shape, "float64"))
    with builder.function("main", [x]):
        with builder.dataflow():
            made = relax.op.nn.conv1d(x, relax.const(weight, "float64"), padding=1, out_dtype="float64")
            out = builder.emit_output(builder.emit(made))
        builder.emit_func_output(out)
    machine = machine_of(prepare(builder.get(), TARGET), TARGET)
    told = machine["main"](tvm.runtime.tensor(signal)).numpy()
    expected = nn.functional.conv1d(torch.from_numpy(signal), torch.from_numpy(weight), padding=1).numpy()
    np.testing.assert_allclose(told, expected, 1e-12, 1e-12)


@pytest.mark.parametrize(
    "name", ["chain", "norms", "norms of groups", "groups", "poolings", "transposed", "weight norm", "attention"]
)
@pytest.mark.parametrize("without", [[], ["signals"]])
def test_models_of_signals_compute_what_pytorch_does(name, without):
    layers, signal = layers_of(name), torch.randn(2, 4, 31)
    with torch.no_grad():
        expected = layers(signal).numpy()
    prepared = prepare(imported(layers, signal), TARGET, without)
    machine = machine_of(prepared, TARGET)
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(signal.numpy())).numpy(), expected, 1e-4, 1e-5)


def test_a_chain_becomes_convolutions_channels_last_and_little_else():
    tasks = extract_tasks(prepare(imported(layers_of("chain"), torch.randn(2, 4, 31)), TARGET), TARGET)
    products = [task for task in tasks if task.op in ("conv2d", "matmul")]
    assert sum(task.weight for task in products) == 3
    assert all(task.args[-1].shape[-1] in (6, 16) for task in products if task.op == "conv2d")
    assert sum(task.weight for task in tasks) - 3 <= 2, "into channels last, and out of it"


def test_batch_norms_are_folded_into_the_filters():
    ops = [t.op for t in extract_tasks(prepare(imported(layers_of("norms"), torch.randn(2, 4, 31)), TARGET), TARGET)]
    assert "normalization" not in ops and ops.count("conv2d") == 1


def test_convolutions_of_normed_weights_are_those_of_images():
    tasks = extract_tasks(prepare(imported(layers_of("weight norm"), torch.randn(2, 4, 31)), TARGET), TARGET)
    assert {task.op for task in tasks} <= {"conv2d", "data movement", "elementwise"}
