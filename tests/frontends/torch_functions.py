"""Functions of tensors as exported PyTorch programs."""

import torch
from torch import nn


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
