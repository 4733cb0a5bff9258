"""Norms by the root of the mean square that a graph writes out become single kernels, and compute what they did."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.written_root_norms import with_root_norms

TARGET = resolve_target("auto")
EPSILON, ONE, TWO = (relax.const(number, "float32") for number in (1e-3, 1.0, 2.0))
SHAPE = (2, 5, 8)


def spread(x, axes=(-1,), square=lambda x: op.power(x, TWO)):
    return op.add(op.mean(square(x), list(axes), keepdims=True), EPSILON)


def normed(x):
    """As models of Transformers write it."""
    return op.multiply(x, op.rsqrt(spread(x)))


CASES = {
    "a scale behind it": lambda x, scale: op.multiply(scale, normed(x)),
    "a scale and a number": lambda x, scale: op.multiply(op.multiply(normed(x), TWO), scale),
    "a scale of more axes": lambda x, scale: op.multiply(normed(x), op.reshape(scale, (1, 1, 8))),
    "without a scale": lambda x, scale: normed(x),
    "by a product": lambda x, scale: op.multiply(op.rsqrt(spread(x, square=lambda x: op.multiply(x, x))), x),
    "by a quotient": lambda x, scale: op.divide(x, op.sqrt(spread(x, (2,), op.square))),
    "by an inverse root": lambda x, scale: op.multiply(scale, op.multiply(x, op.divide(ONE, op.sqrt(spread(x))))),
    "by the epsilon and the mean": lambda x, scale: op.divide(
        x, op.sqrt(op.add(EPSILON, op.mean(op.multiply(x, x), [-1], keepdims=True)))
    ),
}
ELSE = {
    "over another axis": lambda x, scale: op.divide(x, op.sqrt(spread(x, (1,)))),
    "over two axes": lambda x, scale: op.divide(x, op.sqrt(spread(x, (1, 2)))),
    "of another tensor": lambda x, scale: op.divide(x, op.sqrt(spread(op.exp(x)))),
    "of cubes": lambda x, scale: op.divide(x, op.sqrt(spread(x, square=lambda x: op.power(x, relax.const(4.0))))),
    "no root": lambda x, scale: op.divide(x, spread(x)),
}


def operators(mod: tvm.IRModule) -> list[str]:
    found: list[str] = []
    relax.analysis.post_order_visit(mod["main"], lambda node: found.append(operator_of(node)))
    return [name for name in found if name]


def both(function) -> tuple[tvm.IRModule, tvm.IRModule]:
    """A graph as it was and rewritten, which compute the same."""
    mod = graph(function, SHAPE, constants=[SHAPE[-1:]])
    mod = relax.transform.FoldConstant()(mod)
    made = with_root_norms(mod)
    x = 3 * np.random.default_rng(1).standard_normal(SHAPE).astype("float32")
    before, after = (machine_of(each)["main"](tvm.runtime.tensor(x)).numpy() for each in (mod, made))
    np.testing.assert_allclose(after, before, 1e-5, 1e-5)
    return mod, made


@pytest.mark.parametrize("case", CASES)
def test_a_norm_takes_up_its_scale(case):
    assert operators(both(CASES[case])[1]) == ["relax.nn.rms_norm"]


@pytest.mark.parametrize("case", ELSE)
def test_what_is_no_norm_is_left(case):
    mod, made = both(ELSE[case])
    assert operators(made) == operators(mod)


def test_a_scale_for_one_of_two_readers_stays_behind_the_norm():
    def function(x, scale):
        once = relax.BlockBuilder.current().emit(normed(x))
        return op.add(op.multiply(once, scale), op.exp(once))

    assert operators(both(function)[1]).count("relax.multiply") == 1


def test_a_scale_for_each_row_stays_behind_the_norm():
    rows = relax.const(np.arange(5, dtype="float32").reshape(5, 1))
    assert "relax.multiply" in operators(both(lambda x, scale: op.multiply(normed(x), rows))[1])


class Block(nn.Module):
    """A language model's norm and what follows, as it is written out there."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.first, self.second = nn.Parameter(torch.rand(64)), nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        even = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return x + self.second(self.scale * even)


def test_a_norm_of_a_language_model_is_one_kernel(tmp_path):
    path, x = tmp_path / "model.pt2", torch.randn(2, 9, 64)
    block = Block().eval()
    torch.export.save(torch.export.export(block, (x,)), path)
    prepared = prepare(load_model(str(path)).mod, TARGET)
    names = sorted(task.name.rpartition("_")[0] for task in extract_tasks(prepared, TARGET))
    assert names == ["matmul_add", "matmul_add_add", "rms_norm"]
    made = machine_of(prepared, TARGET)["main"](tvm.runtime.tensor(x.numpy())).numpy()
    np.testing.assert_allclose(made, block(x).detach().numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_norm_over_the_rows_of_an_image_moves_with_its_layout(dtype):
    def rows(x, weight, scale):
        weight, scale = (op.astype(constant, dtype) for constant in (weight, scale))
        return op.nn.rms_norm(op.nn.conv2d(x, weight, padding=1), scale, [-1], 1e-3)

    mod = relax.transform.FoldConstant()(graph(rows, (1, 3, 5, 8), constants=[(16, 3, 3, 3), (8,)], dtype=dtype))
    x = np.random.default_rng(1).standard_normal((1, 3, 5, 8)).astype(dtype)
    found = [
        machine_of(made, TARGET)["main"](tvm.runtime.tensor(x)).numpy()
        for made in (mod, *(prepare(mod, TARGET, layout=layout) for layout in ("own", "channels-last")))
    ]
    for made in found[1:]:
        np.testing.assert_allclose(made, found[0], 1e-2 if dtype == "float16" else 1e-5, 1e-2)


def test_a_norm_of_a_vector_is_compiled():
    mod = graph(lambda x: op.reshape(normed(op.reshape(x, (1, 8))), (8,)), (8,))
    x = np.arange(8, dtype="float32")
    found = [machine_of(made, TARGET)["main"](tvm.runtime.tensor(x)).numpy() for made in (mod, prepare(mod, TARGET))]
    np.testing.assert_allclose(found[1], found[0], 1e-5)
