"""Batch norms compute what PyTorch's do, and vanish into the weights of what they follow."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax

from frontends.torch_functions import saved
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.batch_norms import fold_batch_norms
from pruner_engine.tasks.rewrites.constants import fold_constants

TARGET = resolve_target("auto")
IMAGE, SIGNAL, VOLUME, ROWS = (2, 6, 7, 5), (2, 6, 9), (1, 6, 4, 5, 3), (5, 6)
_NORMS = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}


def trained(shape, channels, **options):
    """A norm of tensors with as many axes, whose parameters are those of no other channel."""
    norm = _NORMS[len(shape)](channels, **options)
    for values in (norm.running_mean, norm.weight, norm.bias):
        if values is not None:
            values.data.normal_()
    norm.running_var.uniform_(0.3, 2)
    return norm


class Both(nn.Module):
    """A convolution that a norm and something else read."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = nn.Conv2d(6, 8, 3), trained(IMAGE, 8)

    def forward(self, x):
        made = self.layer(x)
        return self.norm(made) + made


def after(layer, shape):
    channels = getattr(layer, "out_channels", None) or layer.out_features
    return nn.Sequential(layer, trained(shape, channels), nn.ReLU())


TAKEN_UP = {  # their norms become weights
    "convolution": lambda: (after(nn.Conv2d(6, 8, 3, bias=False), IMAGE), IMAGE),
    "with bias": lambda: (after(nn.Conv2d(6, 8, 3), IMAGE), IMAGE),
    "in groups": lambda: (after(nn.Conv2d(6, 9, 3, groups=3), IMAGE), IMAGE),
    "depthwise": lambda: (after(nn.Conv2d(6, 12, 3, groups=6, bias=False), IMAGE), IMAGE),
    "transposed": lambda: (after(nn.ConvTranspose2d(6, 8, 3, 2), IMAGE), IMAGE),
    "transposed in groups": lambda: (after(nn.ConvTranspose2d(6, 4, 3, 2, groups=2), IMAGE), IMAGE),
    "of a signal": lambda: (after(nn.Conv1d(6, 8, 3), SIGNAL), SIGNAL),
    "of a volume": lambda: (after(nn.Conv3d(6, 8, 3), VOLUME), VOLUME),
    "linear": lambda: (after(nn.Linear(6, 8), ROWS), ROWS),
    "twice": lambda: (nn.Sequential(nn.Conv2d(6, 8, 3), trained(IMAGE, 8), trained(IMAGE, 8)), IMAGE),
}
SCALED = {  # nothing takes them up
    "first": lambda: (nn.Sequential(trained(IMAGE, 6), nn.ReLU(), nn.Conv2d(6, 8, 3)), IMAGE),
    "after an activation": lambda: (nn.Sequential(nn.Conv2d(6, 8, 3), nn.ReLU(), trained(IMAGE, 8)), IMAGE),
    "without parameters": lambda: (nn.Sequential(trained(IMAGE, 6, affine=False), nn.ReLU()), IMAGE),
    "of what else is read": lambda: (Both(), IMAGE),
}
CASES = {**TAKEN_UP, **SCALED}


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A case's module, an input, and what it makes of that in float64."""

    @functools.cache
    def of(name, dtype=torch.float32):
        torch.manual_seed(len(name))
        layers, shape = CASES[name]()
        layers, x = layers.to(dtype).eval(), torch.randn(shape).to(dtype)
        mod = load_model(saved(tmp_path_factory.mktemp("layers"), layers, (x,))).mod
        with torch.no_grad():
            exact = layers.double()(x.double())
        return mod, x, exact.numpy()

    return of


def operators(mod):
    found = []

    def visit(node):
        if isinstance(node, relax.Call) and isinstance(node.op, tvm.ir.Op):
            found.append(node.op.name.removeprefix("relax."))

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


def folded(mod):
    known = fold_constants(relax.transform.CanonicalizeBindings()(mod))
    return fold_batch_norms(relax.transform.CanonicalizeBindings()(known))


def placed(x):
    """A copy in memory of TVM's alignment."""
    made = tvm.runtime.empty(tuple(x.shape), str(x.dtype).removeprefix("torch."))
    torch.from_dlpack(made).copy_(x)
    return made


# every case in float32 and in one other type
OTHERS = itertools.cycle([torch.float64, torch.float16, torch.bfloat16])
TYPED = [(name, dtype) for name in CASES for dtype in (torch.float32, next(OTHERS))]


@pytest.mark.parametrize(("name", "dtype"), TYPED, ids=str)
def test_of_every_type_and_place(name, dtype, imported):
    mod, x, exact = imported(name, dtype)
    machine = machine_of(prepare(mod, TARGET), TARGET)
    found = torch.from_dlpack(machine["main"](placed(x)))
    assert found.dtype == dtype
    tolerance = {torch.bfloat16: 8e-2, torch.float16: 1e-2, torch.float32: 2e-5, torch.float64: 2e-5}[dtype]
    np.testing.assert_allclose(found.double().numpy(), exact, atol=tolerance, rtol=tolerance)


FOLDED = [*((name, torch.float32) for name in TAKEN_UP), *((name, torch.float16) for name in list(TAKEN_UP)[::3])]


@pytest.mark.parametrize(("name", "dtype"), FOLDED, ids=str)
def test_weights_take_up_scale_and_shift(name, dtype, imported):
    left = operators(folded(imported(name, dtype)[0]))
    assert left.count("add") == 1
    assert not {"multiply", "subtract", "divide", "sqrt", "nn.batch_norm"} & set(left)


@pytest.mark.parametrize("name", SCALED)
def test_others_are_a_product_and_a_sum(name, imported):
    left = operators(folded(imported(name)[0]))
    assert left.count("multiply") == 1
    assert not {"subtract", "divide", "sqrt", "nn.batch_norm"} & set(left)


def test_parameters_that_are_no_constants_stay(tmp_path):
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(IMAGE, "float32"))
    given = [relax.Var(name, relax.TensorType((6,), "float32")) for name in ("gamma", "beta", "mean", "variance")]
    with builder.function("main", [x, *given]):
        with builder.dataflow():
            parts = builder.emit(relax.op.nn.batch_norm(x, *given, axis=1, training=False))
            out = builder.emit_output(builder.emit(relax.TupleGetItem(parts, 0)))
        builder.emit_func_output(out)
    mod = builder.get()
    assert operators(folded(mod)) == ["nn.batch_norm"]
    norm = trained(IMAGE, 6).eval()
    inputs = [torch.randn(IMAGE), norm.weight, norm.bias, norm.running_mean, norm.running_var]
    machine = machine_of(prepare(mod, TARGET), TARGET)
    found = machine["main"](*(placed(value.detach()) for value in inputs)).numpy()
    np.testing.assert_allclose(found, norm(inputs[0]).detach().numpy(), rtol=1e-5, atol=1e-5)
