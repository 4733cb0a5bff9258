"""Whether it is worth looking at a model's convolutions in another layout."""

from __future__ import annotations

import math
from collections.abc import Sequence

import tvm
from tvm import relax

from pruner_engine.tasks.graph import nodes_of, operator_of, shape_of

_LONG = 6000  # calls: TVM takes 4 s to move their layout, and for twice as many four times that
_LEAST = 0.1  # of a long model's multiplications, that are its convolutions'
_MATMUL = "relax.matmul"


def may_move(mod: tvm.IRModule, convolutions: Sequence[str]) -> bool:
    """Whether a model has convolutions, and is not one of thousands of steps that has next to none.

    Args:
        mod: its convolutions channels first, weights as the importers write them.
        convolutions: names of the operators that could move.
    """
    calls = [node for node in nodes_of(mod["main"]) if isinstance(node, relax.Call)]
    moving = [call for call in calls if operator_of(call) in convolutions]
    if len(calls) < _LONG or not moving:
        return bool(moving)
    products = [call for call in calls if operator_of(call) == _MATMUL]
    moved = sum(map(_multiplications, moving))
    return moved >= _LEAST * (moved + sum(map(_multiplications, products)))


def _multiplications(call: relax.Call) -> int:
    """Of a product, or a convolution; of one of unknown shape none."""
    x, weight, made = shape_of(call.args[0]), shape_of(call.args[1]), shape_of(call)
    if not x or not weight or not made:
        return 0
    if operator_of(call) == _MATMUL:
        return math.prod(made) * x[-1]
    # a transposed one adds to several places what a plain one sums up for one
    return math.prod(x if operator_of(call).endswith("_transpose") else made) * math.prod(weight) // weight[0]
