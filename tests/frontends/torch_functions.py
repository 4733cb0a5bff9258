"""Functions of tensors as exported PyTorch programs."""

import numpy as np
import torch
import tvm
from torch import nn

from machines import machine_of
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare


class Function(nn.Module):
    """A function of the inputs and, before them where there is one, of a table that belongs to the model."""

    def __init__(self, function, table=None):
        super().__init__()
        self.function = function
        self.table = None if table is None else nn.Parameter(table)

    def forward(self, *inputs):
        return self.function(*(inputs if self.table is None else (self.table, *inputs)))


def numbers(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape))).to(dtype)


def whole(least, most, *shape):
    return torch.randint(least, most, shape, generator=torch.Generator().manual_seed(most))


def saved(folder, module, inputs, dynamic=None):
    """Path of the exported module; `dynamic` tells which axes of the inputs are open."""
    path = folder / "model.pt2"
    shapes = None if dynamic is None else {"inputs": tuple(dynamic)}
    torch.export.save(torch.export.export(module.eval(), inputs, dynamic_shapes=shapes), path)
    return str(path)


def agree(folder, module, inputs, rtol=1e-5, atol=1e-5, scaled=False):
    """Prepared and compiled like an export, a module computes what PyTorch does.

    Args:
        scaled: `atol` is for outputs of up to 1, and grows with the largest.
    """
    with torch.no_grad():
        expected = module(*inputs)
    target = resolve_target("auto")
    prepared = prepare(load_model(saved(folder, module, inputs)).mod, target)
    machine = machine_of(prepared, target, compile_model)
    found = machine["main"](*(tvm.runtime.tensor(x.numpy()) for x in inputs)).numpy()
    assert found.dtype == expected.numpy().dtype and found.shape == expected.shape
    if scaled:
        atol *= max(1, float(expected.abs().max()))
    np.testing.assert_allclose(found, expected.numpy(), rtol=rtol, atol=atol)
