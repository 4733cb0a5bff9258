"""Mixtures of experts as the Transformers library exports them, with an operator of its own, compute what it does."""

import subprocess
import sys

import numpy as np
import pytest
import torch
import tvm

from machines import machine_of
from pruner_engine.export.baselines import time_reference
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
EXPORT = """
import sys, torch
file, groups = sys.argv[1], int(sys.argv[2])

@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def product(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError

product.register_fake(lambda input, weight, offs: input.new_empty(input.size(0), weight.size(2)))

class Experts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(groups * 3 * 4.0).sin().reshape(groups, 4, 3))

    def forward(self, x, ends):
        return torch.ops.transformers.grouped_mm_fallback(x, self.weight.transpose(-2, -1), ends)

x = torch.zeros(6, 3), torch.zeros(groups, dtype=torch.int32)
torch.export.save(torch.export.export(Experts(), x), file)
"""


# few experts for the rows, where all of them are multiplied, and many, where those of each row are
@pytest.mark.parametrize("groups", [3, 12])
def test_products_with_the_experts_of_rows(groups, tmp_path):
    file = tmp_path / "experts.pt2"
    subprocess.run([sys.executable, "-c", EXPORT, str(file), str(groups)], check=True)
    weight = torch.arange(groups * 3 * 4.0).sin().reshape(groups, 4, 3).mT
    x = torch.arange(18.0).cos().reshape(6, 3)
    ends = torch.tensor([1, 1, *[5] * (groups - 2)]).int()
    expected = torch.cat([x[:1] @ weight[0], x[1:5] @ weight[2], torch.zeros(1, 4)]).numpy()

    model, target = load_model(str(file)), resolve_target("auto")
    machine = machine_of(prepare(model.mod, target), target, compile_model)
    got = machine["main"](*(tvm.runtime.tensor(given.numpy()) for given in (x, ends))).numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)

    told = time_reference("torch", model, [x.numpy(), ends.numpy()], threads=1, repeats=1)
    assert told.outputs is not None, told.note
    np.testing.assert_allclose(told.outputs[0], expected, rtol=1e-5, atol=1e-6)
