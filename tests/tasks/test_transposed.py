"""Transposed convolutions compute what PyTorch does, in every form that they may have."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program

from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

TARGET = resolve_target("auto")
CASES = [
    # kernel, stride, padding, output padding, groups, dilation
    ((2, 2), (2, 2), 0, 0, 1, 1),
    ((3, 3), (2, 2), 1, 1, 1, 1),
    ((4, 4), (2, 2), 1, 0, 1, 1),
    ((4, 4), (1, 1), 0, 0, 1, 1),
    ((5, 3), (3, 2), (2, 1), (1, 0), 1, 1),
    ((7, 4), (2, 4), (6, 3), 0, 1, 1),
    ((1, 3), (2, 3), 0, (1, 2), 1, 1),
    ((4, 4), (2, 2), 1, 0, 2, 1),
    ((3, 3), (2, 2), 1, 0, 1, 2),
]


def decoder(kernel, stride, padding, output_padding, groups, dilation):
    """A model that ends in a transposed convolution with a bias and an activation; its input and PyTorch's result."""
    torch.manual_seed(2)
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.ConvTranspose2d(8, 6, kernel, stride, padding, output_padding, groups, dilation=dilation),
        torch.nn.ReLU(),
    ).eval()
    image = torch.randn(2, 3, 9, 7)
    program = torch.export.export(layers, (image,))
    with torch.no_grad():
        expected = layers(image).numpy()
    return (
        from_exported_program(program, keep_params_as_input=False, unwrap_unit_return_tuple=True),
        image.numpy(),
        expected,
    )


@pytest.mark.parametrize(
    ("case", "without"),
    [
        *((case, []) for case in CASES),
        *((case, ["transposed"]) for case in CASES[::2]),
        *((case, ["channels-last"]) for case in CASES[1::2]),
    ],
)
def test_a_decoder_computes_what_pytorch_does(case, without):
    mod, image, expected = decoder(*case)
    prepared = prepare(mod, TARGET, without)
    machine = machine_of(prepared, TARGET)
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(image)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_it_becomes_a_convolution_without_inserted_zeros():
    mod, *_ = decoder((4, 4), (2, 2), 1, 0, 1, 1)
    tasks = extract_tasks(prepare(mod, TARGET), TARGET)
    assert sorted(task.op for task in tasks if "conv" in task.op) == ["conv2d", "conv2d"]
    # 2 batches of 10 x 8 positions, 2 x 2 neighbours of 8 channels, 4 results of 6 filters, a multiplication and a sum
    assert max(task.flops for task in tasks) == pytest.approx(2 * 2 * 10 * 8 * 4 * 8 * 24, rel=0.01)
