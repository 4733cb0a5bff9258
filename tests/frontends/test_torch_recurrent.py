"""Recurrent layers of PyTorch programs compute what PyTorch computes, and are few tasks however long they are."""

import numpy as np
import pytest
import torch
import tvm

from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore")  # of PyTorch's own modules, while it exports
INPUTS, HIDDEN = 4, 6
LAYERS = {
    "LSTM": [{"bidirectional": True, "batch_first": True}, {"proj_size": 3, "bias": False}, {"proj_size": 3}],
    "GRU": [{"bidirectional": True}, {"bias": False}],
    "RNN": [{"nonlinearity": "relu"}, {"bidirectional": True}],
}


class Layers(torch.nn.Module):
    def __init__(self, kind, **form):
        super().__init__()
        self.inner = getattr(torch.nn, kind)(INPUTS, HIDDEN, num_layers=2, **form)

    def forward(self, x):
        y, state = self.inner(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


def saved(folder, module, x):
    path = folder / "model.pt2"
    torch.export.save(torch.export.export(module.eval(), (x,)), path)
    return str(path)


@pytest.mark.parametrize(("kind", "form"), [(kind, form) for kind, forms in LAYERS.items() for form in forms])
def test_layers_compute_what_pytorch_computes(tmp_path, kind, form):
    module, x = Layers(kind, **form), torch.randn(3, 2, INPUTS)
    machine = machine_of(load_model(saved(tmp_path, module, x)).mod)
    found, expected = machine["main"](tvm.runtime.tensor(x.numpy())), module(x)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), 1e-5, 1e-6)


def test_longer_sequences_have_no_more_tasks(tmp_path):
    target, many = resolve_target("llvm"), []
    for steps in (4, 7):
        path = saved(tmp_path, Layers("GRU", bidirectional=True), torch.randn(steps, 1, INPUTS))
        many.append(len(extract_tasks(prepare(load_model(path).mod, target), target)))
    assert many[0] == many[1]


def test_both_directions_take_their_steps_in_the_same_kernels(tmp_path):
    target, calls = resolve_target("llvm"), []
    for form in ({}, {"bidirectional": True}):
        path = saved(tmp_path, Layers("LSTM", **form), torch.randn(20, 2, INPUTS))
        tasks = extract_tasks(prepare(load_model(path).mod, target), target)
        calls.append(sum(task.weight for task in tasks))
        assert max(len(task.args) for task in tasks) < 20
    assert calls[1] < 1.2 * calls[0]
