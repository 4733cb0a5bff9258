"""Functions of tensors as exported PyTorch programs."""

import itertools

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
    _compare(folder, module, inputs, [""], rtol, atol, scaled)


def agree_in_each(folder, cases, rtol=1e-5, atol=1e-5, scaled=False):
    """As `agree`, for functions and their inputs by name, in one program: to decompose another takes far longer."""
    functions = [function for function, _ in cases.values()]
    ends = list(itertools.accumulate(len(inputs) for _, inputs in cases.values()))

    def together(*given):
        parts = (given[end - len(inputs) : end] for end, (_, inputs) in zip(ends, cases.values(), strict=True))
        return tuple(_plain(function(*part)) for function, part in zip(functions, parts, strict=True))

    inputs = tuple(array for _, own in cases.values() for array in own)
    _compare(folder, Function(together), inputs, list(cases), rtol, atol, scaled)


def _plain(made):
    """Of what PyTorch gives a type of its own, such as the values and places of a sort, a tuple."""
    return made if isinstance(made, torch.Tensor) else tuple(made)


def _compare(folder, module, inputs, names, rtol, atol, scaled):
    with torch.no_grad():
        made = module(*inputs)
    expected = _named(made if len(names) > 1 else [made], names)
    target = resolve_target("auto")
    prepared = prepare(load_model(saved(folder, module, inputs)).mod, target)
    found = machine_of(prepared, target, compile_model)["main"](*(tvm.runtime.tensor(x.numpy()) for x in inputs))
    found = [found] if hasattr(found, "numpy") else list(found)
    for one, (name, meant) in zip(found, expected, strict=True):
        array = torch.from_dlpack(one)
        assert (array.dtype, array.shape) == (meant.dtype, meant.shape), name
        bound = atol * max(1, float(meant.abs().max())) if scaled else atol
        np.testing.assert_allclose(array.double().numpy(), meant.double().numpy(), rtol, bound, err_msg=name)


def _named(made, names):
    """Each output with the name of its function."""
    parts = ([part] if isinstance(part, torch.Tensor) else part for part in made)
    return [(name, tensor) for name, part in zip(names, parts, strict=True) for tensor in part]
