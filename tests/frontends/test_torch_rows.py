"""A layer of rows that do not lie one after another takes its weights as they are."""

import pytest
import torch
from torch import nn
from torch_functions import Function, agree, numbers, saved
from tvm.ir.expr import GenericConst

from pruner_engine.frontends import load_model
from pruner_engine.tasks.graph import nodes_of
from pruner_engine.tasks.prepare import with_constants


class OfWindows(nn.Module):
    """A layer of windows of an image, as windowed attention has them, whose axes are put the other way round."""

    def __init__(self, bias):
        super().__init__()
        self.layer = nn.Linear(6, 5, bias=bias)

    def forward(self, x):
        return self.layer(x.unflatten(2, (3, 4)).transpose(1, 2))


@pytest.mark.parametrize("bias", [True, False])
def test_weights_are_not_repeated(tmp_path, bias):
    torch.manual_seed(0)
    module, x = OfWindows(bias), numbers(2, 8, 12, 6)
    mod = with_constants(load_model(saved(tmp_path, module, (x,))).mod)
    sizes = [node.value.numpy().size for node in nodes_of(mod["main"]) if isinstance(node, GenericConst)]
    assert max(sizes) == 30
    agree(tmp_path, module, (x,))


@pytest.mark.parametrize("shape", [(6,), (4, 6), (3, 4, 6), (2, 3, 4, 6)])
def test_layers_of_any_rank(tmp_path, shape):
    agree(
        tmp_path,
        Function(lambda x, w, b: nn.functional.linear(x, w, b) + nn.functional.linear(x, w)),
        (numbers(*shape), numbers(5, 6), numbers(5)),
    )
