"""Operators whose layout TVM does not know follow the convolutions around them; zeros around become their padding."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.relax import op

from graphs import graph
from machines import machine_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import layouts
from pruner_engine.tasks.rewrites.follow import follow_layout
from pruner_engine.tasks.rewrites.padding import fold_padding
from seeds import seeds

HOST = resolve_target("auto")


def emit(value: relax.Expr) -> relax.Expr:
    return relax.BlockBuilder.current().emit(value)


def choice(x: relax.Expr) -> relax.Expr:
    above = emit(op.greater(x, relax.const(0.25)))
    return op.where(above, x, emit(op.multiply(x, relax.const(0.5))))


BETWEEN = {
    "leaky rectifier": lambda x: op.nn.leakyrelu(x, 0.1),
    "softplus": op.nn.softplus,
    "choice": choice,
    "of channels": lambda x: op.where(relax.const(np.arange(32).reshape(32, 1, 1) % 3 > 0), x, relax.const(2.0)),
    "halves": lambda x: op.concat(
        [
            emit(op.nn.leakyrelu(emit(op.strided_slice(x, [1], [16], [32])), 0.2)),
            emit(op.strided_slice(x, [1], [0], [16])),
        ],
        axis=1,
    ),
    "edges": lambda x: op.nn.pad(x, [0, 0, 0, 0, 1, 0, 0, 2], "constant", 1.5),
    "nearest pixels": lambda x: op.take(emit(op.take(x, relax.const([0, 0, 1, 3, 4]), 2)), relax.const([0, 1, 1]), -1),
    "tokens": lambda x: op.reshape(
        emit(
            op.permute_dims(
                emit(op.nn.softmax(emit(op.permute_dims(emit(op.reshape(x, (1, 32, 90))), [0, 2, 1])))), [0, 2, 1]
            )
        ),
        (1, 32, 9, 10),
    ),
    "largest of windows": lambda x: op.nn.max_pool2d(emit(op.nn.leakyrelu(x, 0.1)), (3, 3), padding=(1, 1)),
    "averages of windows": lambda x: op.nn.avg_pool2d(
        emit(op.nn.leakyrelu(x, 0.1)), (3, 2), (1, 1), (1, 1, 1, 0), count_include_pad=True
    ),
    "averages of parts": lambda x: op.nn.adaptive_avg_pool2d(emit(op.nn.leakyrelu(x, 0.1)), (9, 10)),
    "resized": lambda x: op.image.resize2d(
        emit(op.nn.leakyrelu(x, 0.1)),
        (9, 10),
        layout="NCHW",
        method="linear",
        coordinate_transformation_mode="asymmetric",
    ),
    "squeezed": lambda x: op.multiply(x, emit(op.mean(emit(op.nn.leakyrelu(x, 0.1)), [2, -1], keepdims=True))),
    "squeezed to a row": lambda x: op.multiply(
        x, emit(op.reshape(emit(op.max(emit(op.nn.leakyrelu(x, 0.1)), [2, 3])), (1, 32, 1, 1)))
    ),
    "largest of a row": lambda x: op.add(
        x, emit(op.reshape(emit(op.max(emit(op.nn.leakyrelu(x, 0.1)), [2])), (1, 32, 1, 10)))
    ),
    "residual": lambda x: op.add(emit(op.nn.leakyrelu(x, 0.1)), x),
}


def between(name: str) -> tvm.IRModule:
    def function(x: relax.Expr, *weights: relax.Expr) -> relax.Expr:
        for filters in weights:
            x = emit(BETWEEN[name](emit(op.nn.conv2d(x, filters, padding=1))))
        return x

    return graph(function, (1, 8, 9, 10), constants=[(32, 8, 3, 3), (32, 32, 3, 3), (32, 32, 3, 3)])


def kernels(mod: tvm.IRModule) -> Counter[str]:
    found: Counter[str] = Counter()

    def visit(node: relax.Expr) -> None:
        if operator_of(node) == "relax.call_tir":
            found["moves" if "transpose" in str(node.args[0].name_hint) else "others"] += 1

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


def assert_channels_stay_last(mod: tvm.IRModule, moves: int) -> None:
    """Of an image of 8 channels, with so many kernels that only move data, and the same result."""
    prepared = layouts(mod, HOST, ["winograd"]).prepared("channels-last")
    assert kernels(prepared)["moves"] <= moves
    x = tvm.runtime.tensor(np.random.default_rng(0).standard_normal((1, 8, 9, 10)).astype("f"))
    want = machine_of(mod)["main"](x).numpy()
    assert np.abs(machine_of(prepared, HOST)["main"](x).numpy() - want).max() <= 1e-5 * np.abs(want).max()


@pytest.mark.parametrize("name", BETWEEN)
def test_channels_stay_last_from_the_first_convolution_to_the_result(name):
    assert_channels_stay_last(between(name), moves=2)


def shuffled(x: relax.Expr, apart: tuple[int, ...], order: list[int]) -> relax.Expr:
    """With axes taken apart, crossed and put together again."""
    shape = [apart[axis] for axis in order]
    made = (1, 32, 9, 10) if len(apart) == 5 else (1, shape[1], shape[2] * shape[3], shape[4] * shape[5])
    return emit(op.reshape(emit(op.permute_dims(emit(op.reshape(x, apart)), order)), made))


SHUFFLES = {
    "channels": lambda x: shuffled(x, (1, 2, 16, 9, 10), [0, 2, 1, 3, 4]),
    "pixels": lambda x: emit(
        op.nn.max_pool2d(shuffled(x, (1, 8, 2, 2, 9, 10), [0, 1, 4, 2, 5, 3]), (1, 1), (2, 2)),
    ),
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_what_is_shuffled_stays_channels_last(name):
    """Half of the channels pass a convolution by, as in ShuffleNet."""

    def function(x: relax.Expr, first: relax.Expr, *others: relax.Expr) -> relax.Expr:
        x = emit(op.nn.conv2d(x, first, padding=1))
        for filters in others:
            made = SHUFFLES[name](x)
            half = int(made.ty.shape[1]) // 2
            own, other = (emit(op.strided_slice(made, [1], [at], [at + half])) for at in (0, half))
            x = emit(op.concat([own, emit(op.nn.conv2d(other, filters, padding=1))], axis=1))
        return x

    channels = {"channels": 16, "pixels": 4}[name]
    mod = graph(function, (1, 8, 9, 10), constants=[(32, 8, 3, 3), *[(32 - channels, channels, 3, 3)] * 2])
    assert_channels_stay_last(mod, moves=2 + 2)  # of the input and of the result, and each shuffle


@pytest.mark.parametrize("seed", seeds(4))
def test_what_is_reshaped_behind_a_transposition_stays_what_it_is(seed):
    rng = random.Random(seed)
    shape = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(3, 5))]
    order = [0, len(shape) - 1, *range(1, len(shape) - 1)]
    left, made = [n for axis in order for n in {4: (2, 2)}.get(shape[axis], (shape[axis],))], []
    while left:  # neighbours become one, and ones come between
        made.append(math.prod(left.pop(0) for _ in range(min(len(left), rng.randint(1, 2)))))
        made += [1] * rng.randint(0, 1)
    mod = graph(lambda x: op.reshape(emit(op.permute_dims(x, order)), made), shape)
    x = tvm.runtime.tensor(np.random.default_rng(0).standard_normal(shape).astype("f"))
    after = machine_of(follow_layout(mod))["main"](x).numpy()
    np.testing.assert_array_equal(after, x.numpy().transpose(order).reshape(made))


@pytest.mark.parametrize("seed", seeds())
def test_zeros_around_an_image_are_padding_of_the_convolution(seed):
    rng = random.Random(seed)
    around, own = [rng.randint(0, 3) for _ in range(4)], [rng.randint(0, 2) for _ in range(4)]

    def function(x: relax.Expr, filters: relax.Expr) -> relax.Expr:
        return op.nn.conv2d(emit(op.nn.pad(x, [0, 0, 0, 0, *around])), filters, padding=own, strides=rng.randint(1, 2))

    mod = graph(function, (2, 3, 7, 6), constants=[(4, 3, 3, 3)])
    folded = fold_padding(mod)
    names = []
    relax.analysis.post_order_visit(folded["main"], lambda node: names.append(operator_of(node)))
    x = tvm.runtime.tensor(np.random.default_rng(0).standard_normal((2, 3, 7, 6)).astype("f"))
    np.testing.assert_allclose(machine_of(folded)["main"](x).numpy(), machine_of(mod)["main"](x).numpy(), 1e-5, 1e-5)
    assert relax.transform.DeadCodeElimination()(folded)["main"].script().count("nn.pad") == 0


@pytest.mark.parametrize("pad", [{"pad_value": 1.0}, {"pad_mode": "reflect"}, {"pad_width": [0, 0, 1, 0, 0, 0, 0, 0]}])
def test_other_pads_stay(pad):
    form = {"pad_width": [0, 0, 0, 0, 1, 1, 1, 1], **pad}
    channels = 3 + form["pad_width"][2]
    mod = graph(
        lambda x, filters: op.nn.conv2d(emit(op.nn.pad(x, **form)), filters),
        (1, 3, 7, 6),
        constants=[(4, channels, 3, 3)],
    )
    tvm.ir.assert_structural_equal(fold_padding(mod), mod)
