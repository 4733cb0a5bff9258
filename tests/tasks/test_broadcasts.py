"""Broadcasts stand behind what is computed element by element, and vanish where arithmetic spreads by itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch.nn import functional
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.graph import operator_of, shape_of
from pruner_engine.tasks.prepare import layouts
from pruner_engine.tasks.rewrites.broadcasts import without_broadcasts

SHAPE = (2, 6, 4, 5)
HALF = relax.const(0.5)


def emit(value: relax.Expr) -> relax.Expr:
    return relax.BlockBuilder.current().emit(value)


def spread(x: relax.Expr, *shape: int) -> relax.Expr:
    return emit(op.broadcast_to(x, shape or SHAPE))


# what a graph computes of an image and of a row of numbers, one for each channel
VANISHES = {
    "of a factor": lambda x, row: op.multiply(x, spread(row)),
    "on the left": lambda x, row: op.subtract(spread(row), x),
    "of what is computed": lambda x, row: op.divide(x, emit(op.maximum(emit(op.exp(spread(row))), HALF))),
    "of more axes": lambda x, row: op.add(x, spread(emit(op.reshape(row, (6, 1, 1))))),
    "of all in a choice": lambda x, row: op.where(emit(op.greater(x, spread(row))), x, spread(HALF)),
    "through a transposition": lambda x, row: op.add(
        emit(op.permute_dims(x, [0, 2, 3, 1])), emit(op.permute_dims(spread(row), [0, 2, 3, 1]))
    ),
    "through a reshape": lambda x, row: op.add(
        emit(op.reshape(x, (2, 6, 20))), emit(op.reshape(spread(row), (2, 6, 20)))
    ),
    "of a filled tensor": lambda x, row: op.maximum(
        emit(op.maximum(x, op.zeros(SHAPE, "float32"))), op.full_like(x, HALF)
    ),
}
STAYS = {
    "of the result": lambda x, row: spread(emit(op.exp(row))),
    "before a reduction": lambda x, row: op.sum(spread(row), [1]),
    "of channels in groups": lambda x, row: op.add(
        x, emit(op.reshape(spread(emit(op.reshape(row, (1, 3, 2, 1, 1))), 2, 3, 2, 4, 5), SHAPE))
    ),
    "of some axes that become one": lambda x, row: op.add(
        emit(op.reshape(x, (2, 120))), emit(op.reshape(spread(row), (2, 120)))
    ),
    "of one side of two": lambda x, row: op.add(spread(row, 2, 6, 4, 1), spread(HALF, 2, 6, 4, 5)),
}


def broadcasts(mod: tvm.IRModule) -> list[list[int]]:
    """Shapes to which "main" spreads tensors, or that it fills."""
    found = []

    def visit(node: relax.Expr) -> None:
        if operator_of(node) in ("relax.broadcast_to", "relax.zeros", "relax.full_like"):
            found.append(shape_of(node))

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


def built(function) -> tuple[tvm.IRModule, tvm.IRModule]:
    """A graph, and the same without broadcasts, which computes the same."""
    mod = graph(function, SHAPE, (1, 6, 1, 1))
    made = without_broadcasts(mod)
    rng = np.random.default_rng(0)
    inputs = [tvm.runtime.tensor(rng.standard_normal(shape).astype("float32")) for shape in (SHAPE, (1, 6, 1, 1))]
    before, after = (machine_of(each)["main"](*inputs).numpy() for each in (mod, made))
    np.testing.assert_allclose(after, before, 1e-6, 1e-6)
    return mod, made


@pytest.mark.parametrize("name", VANISHES)
def test_vanishes_where_arithmetic_spreads_by_itself(name):
    mod, made = built(VANISHES[name])
    assert broadcasts(mod)
    assert not broadcasts(made)


@pytest.mark.parametrize("name", STAYS)
def test_computes_the_same_where_it_stays(name):
    _, made = built(STAYS[name])
    assert len(broadcasts(made)) <= 2


def test_what_is_spread_along_a_part_of_the_axes_of_a_reshape_is_spread_there_only():
    _, made = built(
        lambda x, row: op.multiply(
            x, emit(op.reshape(spread(emit(op.reshape(emit(op.sum(x, [1])), (2, 1, 1, 4, 5))), 2, 3, 2, 4, 5), SHAPE))
        )
    )
    assert not broadcasts(made)


def test_a_constant_is_not_made_large():
    def scaled(x: relax.Expr, *_: relax.Expr) -> relax.Expr:
        return op.multiply(x, spread(relax.const(np.arange(6, dtype="float32").reshape(1, 6, 1, 1))))

    (kernel,) = [
        f
        for f in layouts(graph(scaled, SHAPE), resolve_target("auto")).own.functions.values()
        if isinstance(f, tvm.tirx.PrimFunc)
    ]
    assert sorted(tuple(map(int, param.shape)) for param in kernel.params)[0] == (1, 6, 1, 1)


class Normalised(nn.Module):
    """Convolutions, between them channels of length 1 as `normalize` expands their norm."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(16, 32, 3, padding=1), nn.Conv2d(32, 32, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(functional.normalize(self.first(x), dim=1))


def test_normalised_channels_stay_last(tmp_path):
    path, x = tmp_path / "model.pt2", torch.randn(1, 16, 20, 20)
    torch.export.save(torch.export.export(Normalised().eval(), (x,)), path)
    moved = layouts(load_model(str(path)).mod, resolve_target("auto")).prepared("channels-last")
    names = [variable.name_hint for variable in moved.functions]
    assert sum("transpose" in name for name in names) <= 2  # of the input and of the result
    assert not any("abs" in name or "broadcast" in name for name in names)
