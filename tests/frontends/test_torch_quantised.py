"""Quantised PyTorch programs are computed on bytes, and agree with PyTorch to a step."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch
import tvm
from torch import nn

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.lowering.words.products import byte_products_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

importlib.import_module("torch.ao.quantization.fx._decomposed")
ops = torch.ops.quantized_decomposed


class Network(nn.Module):
    """A convolution and a product between quantised tensors, as quantisation for export writes them."""

    def __init__(self, dtype=torch.uint8, least=0, most=255):
        super().__init__()
        torch.manual_seed(0)
        self.bytes = (least, most, dtype)
        for name, shape in (("kernel", (16, 8, 3, 3)), ("matrix", (10, 16))):
            self.register_buffer(name, torch.randint(-127, 128, shape, dtype=torch.int8))
            self.register_buffer(f"{name}_scales", torch.rand(shape[0]) / 100)
            self.register_buffer(f"{name}_zeros", torch.zeros(shape[0], dtype=torch.int64))

    def weights(self, name):
        parameters = (getattr(self, f"{name}{part}") for part in ("", "_scales", "_zeros"))
        return ops.dequantize_per_channel(*parameters, 0, -127, 127, torch.int8)

    def quantised(self, x, scale, zero):
        q = ops.quantize_per_tensor(x, scale, zero, *self.bytes)
        return ops.dequantize_per_tensor(q, scale, zero, *self.bytes)

    def forward(self, x):
        x = nn.functional.conv2d(self.quantised(x, 0.02, 5), self.weights("kernel"), padding=1)
        x = self.quantised(torch.relu(x), 0.03, 0).mean((2, 3))
        return self.quantised(nn.functional.linear(self.quantised(x, 0.01, 3), self.weights("matrix")), 0.02, 7)


def saved(model, folder):
    path = folder / "quantised.pt2"
    torch.export.save(torch.export.export(model.eval(), (torch.randn(1, 8, 10, 10),)), path)
    return str(path)


@pytest.mark.parametrize(
    "bounds", [(torch.uint8, 0, 255), (torch.int8, -128, 127), (torch.uint8, 0, 127)], ids=lambda b: f"{b[1]} to {b[2]}"
)
def test_it_agrees_to_a_step(bounds, tmp_path):
    model = Network(*bounds)
    target = resolve_target("auto")
    prepared = prepare(load_model(saved(model, tmp_path)).mod, target)
    x = torch.randn(1, 8, 10, 10)
    machine = machine_of(prepared, target)
    got, want = machine["main"](tvm.runtime.tensor(x.numpy())).numpy(), model(x).numpy()
    assert np.abs(got - want).max() <= 0.02 * 1.001 and len(np.unique(want)) > 4
    if multiply := byte_products_of(target):
        texts = [f.script() for f in prepared.functions.values() if isinstance(f, tvm.tirx.PrimFunc)]
        assert sum(multiply.name in text for text in texts) == 2


def test_other_types_than_bytes_are_refused_with_a_sentence(tmp_path):
    with pytest.raises(UserError, match="int16"):
        load_model(saved(Network(torch.int16, -32768, 32767), tmp_path))
