"""Outputs that are shares of a whole are told from others, however they were moved."""

from __future__ import annotations

import pytest
from tvm import relax
from tvm.relax import op

from graphs import emitted
from pruner_engine.frontends.shares import shares_of


def several(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    scaled = b.emit(op.multiply(b.emit(op.sigmoid(x)), relax.const(2.0)))
    return relax.Tuple([b.emit(op.nn.softmax(x)), scaled, x, b.emit(op.concat([b.emit(op.sigmoid(x)), x]))])


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda _b, x: op.sigmoid(x), (True,)),
        (lambda _b, x: op.tanh(x), (False,)),
        (several, (True, False, False, False)),
    ],
)
def test_shares_are_known(function, found):
    assert shares_of(emitted((4, 6), function)) == found


def test_moved_shares_are_known():
    def flat(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
        parts = b.emit(op.split(b.emit(op.permute_dims(b.emit(op.sigmoid(x)), [1, 0])), 2))
        halves = [b.emit(op.reshape(b.emit(relax.TupleGetItem(parts, place)), (3, 4))) for place in (0, 1)]
        return op.reshape(b.emit(op.concat([*halves, b.emit(op.nn.softmax(b.emit(op.reshape(x, (6, 4)))))])), (48,))

    assert shares_of(emitted((4, 6), flat)) == (True,)
