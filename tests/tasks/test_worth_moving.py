"""A long program with next to no convolutions keeps their layout, which it would take long to move."""

from __future__ import annotations

import numpy as np
import pytest
from tvm import relax
from tvm.relax import op

from graphs import emitted
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks import worth_moving
from pruner_engine.tasks.prepare import layouts

HOST = resolve_target("auto")


def const(*shape: int) -> relax.Expr:
    return relax.const(np.ones(shape, "float32") / 8)


def model(steps: int, width: int):
    """A convolution of three channels, and as many products behind it."""

    def function(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
        y = b.emit(op.nn.conv2d(x, const(8, 3, 3, 3), padding=1))
        y = b.emit(op.matmul(b.emit(op.reshape(y, (8, 64))), const(64, width)))
        weight = const(width, width)
        for _ in range(steps):
            y = b.emit(op.tanh(b.emit(op.matmul(y, weight))))
        return y

    return emitted((1, 3, 8, 8), function)


@pytest.mark.parametrize(("steps", "width", "moves"), [(2, 64, True), (6, 64, False), (6, 8, True)])
def test_convolutions_move_unless_a_long_model_is_of_other_products(steps, width, moves, monkeypatch):
    monkeypatch.setattr(worth_moving, "_LONG", 12)
    assert (layouts(model(steps, width), HOST).channels_last is not None) == moves
