"""Simplified graphs compute the same, and their element-wise operators stand beside what they belong to."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.relax import op

from graphs import emitted
from machines import machine_of
from pruner_engine.tasks.rewrites.simplify import simplify


def const(*shape: int) -> relax.Expr:
    return relax.const(np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32"))


def feed_forward(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """As PyTorch exports it: matrices between tensors of three dimensions."""
    flat = op.reshape(x, (5, 8))
    up = op.reshape(op.add(const(16), op.matmul(flat, const(8, 16))), (1, 5, 16))
    down = op.matmul(op.reshape(op.nn.gelu(up), (5, 16)), const(16, 8))
    return op.nn.layer_norm(op.add(x, op.reshape(down, (1, 5, 8))), const(8), const(8), axes=[-1])


def attention(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    scores = op.matmul(op.reshape(x, (4, 5, 8)), const(4, 8, 5))
    mask = const(5, 5)
    shaped = op.add(op.divide(op.reshape(scores, (1, 4, 5, 5)), relax.const(2.0, "float32")), mask)
    return op.reshape(op.broadcast_to(op.nn.softmax(shaped, axis=-1), (1, 4, 5, 5)), (4, 5, 5))


def root_mean_square(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    y = op.reshape(op.matmul(op.reshape(x, (5, 8)), const(8, 8)), (1, 5, 8))
    mean = op.mean(op.power(y, relax.const(2.0, "float32")), axis=[-1], keepdims=True)
    return op.multiply(op.multiply(y, op.rsqrt(op.add(mean, relax.const(1e-5, "float32")))), const(8))


def parts(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    split = builder.emit(op.split(x, [3, 4], axis=-1))
    a, b, c = (builder.emit(relax.TupleGetItem(split, i)) for i in range(3))
    return op.concat([op.negative(c), op.clip(a, -0.5, 6.0), b], axis=-1)


def whole(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    return op.negative(builder.emit(op.split(x, 1, axis=0)))


def renamed(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    """Axes of one element come and go."""
    y = op.add(op.squeeze(op.matmul(op.expand_dims(x, 0), const(8, 8)), [0]), const(8))
    return op.flatten(op.exp(op.squeeze(op.expand_dims(y, [1, 3]), [1])))


CASES = [
    (renamed, (5, 8), ["reshape", "matmul", "add", "exp", "reshape"]),
    (feed_forward, (1, 5, 8), ["reshape", "matmul", "add", "nn.gelu", "matmul", "add", "nn.layer_norm", "reshape"]),
    (attention, (1, 4, 5, 8), ["reshape", "matmul", "divide", "add", "nn.softmax"]),
    (root_mean_square, (1, 5, 8), ["reshape", "matmul", "multiply", "mean", "add", "rsqrt", "multiply", "multiply"]),
    (whole, (2, 9), ["negative"]),
    (parts, (2, 9), ["strided_slice", "negative", "strided_slice", "maximum", "minimum", "strided_slice", "concat"]),
]


def operators(mod: tvm.IRModule) -> list[str]:
    bindings = mod["main"].body.blocks[0].bindings
    values = [b.value for b in bindings if isinstance(b.value, relax.Call)]
    return [value.op.name.removeprefix("relax.") for value in values]


def run(mod: tvm.IRModule, x: np.ndarray) -> np.ndarray:
    machine = machine_of(mod)
    return machine["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize(("function", "shape", "_operators"), CASES)
def test_the_result_is_the_same(function, shape, _operators):
    x = np.random.default_rng(7).standard_normal(shape).astype("float32")
    mod = emitted(shape, function)
    np.testing.assert_allclose(run(simplify(mod), x), run(mod, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("function", "shape", "expected"), CASES)
def test_what_keeps_operators_apart_is_gone(function, shape, expected):
    found = operators(simplify(emitted(shape, function)))
    assert sorted(set(found) - {"reshape"}) == sorted(set(expected) - {"reshape"})
    assert found.count("reshape") <= expected.count("reshape") + 1


def test_a_broadcast_over_rows_follows_its_tensor():
    """Each row has a factor of its own, and the reshape merges what the factor is repeated over: it stays."""
    mod = emitted((2, 3, 4), lambda _b, x: op.multiply(op.reshape(op.nn.relu(x), (2, 12)), const(2, 1)))
    x = np.random.default_rng(3).standard_normal((2, 3, 4)).astype("float32")
    np.testing.assert_allclose(run(simplify(mod), x), run(mod, x), rtol=1e-6)


POWERS = {3.0: {"multiply"}, 2.0: {"multiply"}, 1.0: set(), 0.5: {"sqrt"}, -0.5: {"rsqrt"}, -1.0: {"divide"}}


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
@pytest.mark.parametrize("power", POWERS)
def test_powers_that_arithmetic_has(power, shape):
    exponent = relax.const(np.full(shape, power, "float32"))
    mod = simplify(emitted((3, 7), lambda _b, x: op.negative(op.power(x, exponent))))
    assert set(operators(mod)) == POWERS[power] | {"negative"}
    x = np.append(np.random.default_rng(1).uniform(0.1, 9, 18), [0, np.inf, np.nan]).astype("float32").reshape(3, 7)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(run(mod, x), -(x**power), rtol=1e-6)


@pytest.mark.parametrize("power", [3.0, 2.0, 1.0, -1.0])
def test_powers_of_negative_numbers(power):
    mod = simplify(emitted((5,), lambda _b, x: op.power(x, relax.const(power, "float32"))))
    x = np.array([-2.5, -0.0, -np.inf, -1e-3, np.nan], "float32")
    with np.errstate(divide="ignore"):
        want = x**power
    got = run(mod, x)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got[:4]), np.signbit(want[:4]))


def test_a_power_that_adds_an_axis_stays():
    mod = simplify(emitted((5,), lambda _b, x: op.power(x, relax.const(np.full((1, 1), 3, "float32")))))
    assert operators(mod) == ["power"]


@pytest.mark.parametrize("cut", [0, 3])
def test_empty_parts_of_a_concatenation_vanish(cut):
    def turned(b, x):
        head, rest = (b.emit(op.strided_slice(x, [1], [begin], [end])) for begin, end in ((0, cut), (cut, 7)))
        none = b.emit(op.strided_slice(x, [1], [7], [7]))
        return op.negative(b.emit(op.concat([b.emit(op.exp(rest)), head, none], axis=1)))

    mod = simplify(emitted((2, 7), turned))
    assert operators(mod).count("concat") == (1 if cut else 0)
    x = np.random.default_rng(0).standard_normal((2, 7)).astype("float32")
    np.testing.assert_allclose(run(mod, x), -np.concatenate([np.exp(x[:, cut:]), x[:, :cut]], axis=1), rtol=1e-6)


def test_a_transposition_of_axes_of_one_element_is_a_reshape():
    def turned(_b: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
        return op.negative(op.reshape(op.permute_dims(op.reshape(x, (1, 3, 4)), (1, 0, 2)), (3, 4)))

    assert operators(simplify(emitted((3, 4), turned))) == ["negative"]


def test_a_transposition_by_axes_counted_from_the_end_is_none_of_order():
    mod = simplify(emitted((3, 4), lambda _b, x: op.negative(op.permute_dims(x, [-1, 0]))))
    x = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")
    np.testing.assert_array_equal(run(mod, x), -x.T)
