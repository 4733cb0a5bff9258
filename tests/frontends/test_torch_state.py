"""What a PyTorch program keeps from one call to the next, or changes in place, comes in and goes out."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch_functions import Function, numbers, saved

from machines import machine_of
from pruner_engine.export.baselines import time_reference
from pruner_engine.frontends import check_model, load_model

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


class Cache(nn.Module):
    """A sum over all rows so far; how many there are is counted, and so is how often it was called."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.register_buffer("filled", torch.zeros(1, dtype=torch.int64), persistent=False)
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("scale", torch.full((3,), 2.0))

    def forward(self, x):
        self.rows.index_copy_(0, self.filled, x)
        self.filled.add_(1)
        self.calls.add_(1)
        return (self.rows * self.scale).sum(0)


def run(model, *inputs):
    machine = machine_of(model.mod)
    return [made.numpy() for made in machine["main"](*map(tvm.runtime.tensor, inputs))]


def test_what_is_kept_is_an_input_and_an_output(tmp_path):
    model = load_model(saved(tmp_path, Cache(), (numbers(1, 3),)))
    assert [spec.shape for spec in model.inputs] == [(1, 3), (4, 3), (1,)]
    assert [spec.shape for spec in model.outputs] == [(3,), (4, 3), (1,)]
    assert [spec.name for spec in model.outputs] == ["output0", "rows", "filled"]
    rows, filled = np.zeros((4, 3), "float32"), np.zeros(1, "int64")
    module = Cache()
    for x in (numbers(1, 3), numbers(1, 3) + 1):
        total, rows, filled = run(model, x.numpy(), rows, filled)
        np.testing.assert_allclose(total, module(x).numpy(), rtol=1e-6)
    assert filled == 2
    np.testing.assert_allclose(rows, module.rows.numpy())


def test_pytorch_is_given_the_same_state(tmp_path):
    path = tmp_path / "model.pt2"  # a strict export has other names for the buffers than its core operators
    torch.export.save(torch.export.export(nn.Sequential(Cache()).eval(), (numbers(1, 3),), strict=True), path)
    model = load_model(str(path))
    x, rows, filled = numbers(1, 3).numpy(), numbers(4, 3).numpy(), np.array([2])
    timing = time_reference("torch", model, [x, rows, filled], 1, 2)
    assert timing.repeats, timing.note
    for ours, theirs in zip(run(model, x, rows, filled), timing.outputs, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


class Total(nn.Module):
    """A sum over all rows that ever came in, however many at a time."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x.sum(0) / x.shape[0])
        return x * self.total


def test_what_is_kept_comes_in_beside_open_shapes(tmp_path):
    path = saved(tmp_path, Function(Total()), (numbers(4, 3),), [{0: torch.export.Dim.AUTO}])
    x, kept = check_model(path).inputs
    assert isinstance(x.shape[0], str) and kept.shape == [3]
    rows, total = numbers(6, 3), numbers(3)
    model = load_model(path, {x.name: (6, 3), kept.name: (3,)})  # as a project gives them
    assert [spec.shape for spec in model.inputs] == [(6, 3), (3,)]
    made, after = run(model, rows.numpy(), total.numpy())
    np.testing.assert_allclose(after, (total + rows.mean(0)).numpy(), rtol=1e-5)
    np.testing.assert_allclose(made, (rows * (total + rows.mean(0))).numpy(), rtol=1e-5)


class InPlace(nn.Module):
    """Puts a row into a table that is given."""

    def forward(self, table, row):
        table[1] = row * 2
        return table.sum(0)


def test_inputs_that_are_changed_in_place_are_outputs(tmp_path):
    table, row = numbers(4, 3), numbers(3)
    model = load_model(saved(tmp_path, InPlace(), (table.clone(), row)))
    given = [table.numpy(), row.numpy()]
    total, changed = run(model, *given)
    np.testing.assert_allclose(total, InPlace()(table, row).numpy(), rtol=1e-6)
    np.testing.assert_allclose(changed, table.numpy())
