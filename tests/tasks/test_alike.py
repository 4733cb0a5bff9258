"""Calls that are alike get one kernel; those that differ in what a kernel may depend on get the one that TVM makes."""

from __future__ import annotations

from collections import Counter

import pytest
import tvm
import tvm_ffi
from tvm import relax
from tvm.relax import op, transform

from graphs import emitted
from pruner_engine.tasks.graph import nodes_of, operator_of
from pruner_engine.tasks.kernels.alike import made_once
from pruner_engine.tasks.kernels.legalizations import legalizations


def number(value: float) -> relax.Expr:
    return relax.const(value, "float32")


def repeated(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    """Steps of one form."""
    for _ in range(3):
        x = b.emit(op.multiply(b.emit(op.tanh(x)), b.emit(op.sigmoid(x))))
    return x


def given_twice(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    """A square before and behind a product of two."""
    y = b.emit(op.exp(x))
    each = [b.emit(op.multiply(*pair)) for pair in ((x, x), (x, y), (y, y), (y, x))]
    return b.emit(op.concat([b.emit(op.concat(each[:2])), b.emit(op.concat([each[2], each[2]]))]))


def numbers(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    """Written into kernels, and on either side."""
    x = b.emit(op.subtract(b.emit(op.add(x, number(1.0))), b.emit(op.add(x, number(2.0)))))
    return b.emit(op.subtract(b.emit(op.subtract(number(1.0), x)), b.emit(op.subtract(x, number(1.0)))))


def parts(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    """Of equal size from several places, and one from its end."""
    cut = [b.emit(op.strided_slice(x, [1], [start], [start + 4])) for start in (0, 4, 0)]
    backwards = b.emit(op.strided_slice(x, [1], [7], [3], [-1]))
    split = b.emit(op.split(x, 2, axis=1))
    halves = [b.emit(relax.TupleGetItem(split, place)) for place in (0, 1)]
    return b.emit(op.concat([*cut, backwards, b.emit(op.add(*halves)), b.emit(op.add(*halves))], axis=1))


def weights(b: relax.BlockBuilder, x: relax.Expr) -> relax.Expr:
    """Of products that are alike but for them."""
    first, second = (relax.const(value * tvm.runtime.tensor([[1.0] * 8] * 8).numpy(), "float32") for value in (1, 2))
    for weight in (first, second, first):
        x = b.emit(op.nn.softmax(b.emit(op.matmul(x, weight))))
    return x


def legalized(mod: tvm.IRModule, *, once: bool) -> tvm.IRModule:
    own = legalizations(8)
    operators = {operator_of(node) for node in nodes_of(mod["main"]) if isinstance(node, relax.Call)}
    return transform.LegalizeOps(made_once(own, operators) if once else own)(mod)


@pytest.mark.parametrize("function", [repeated, given_twice, numbers, parts, weights], ids=lambda f: f.__name__)
def test_the_model_is_the_one_that_tvm_makes(function):
    mod = emitted((6, 8), function)
    assert tvm_ffi.structural_equal(legalized(mod, once=True), legalized(mod, once=False))


def made_of(function) -> Counter[str]:
    """How often a kernel is made, by operator."""
    counted: Counter[str] = Counter()

    def counting(name: str):
        stock = tvm.ir.Op.get(name).get_attr("FLegalize")

        def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
            counted[name] += 1
            return stock(builder, call)

        return legalize

    names = [f"relax.{name}" for name in ("tanh", "sigmoid", "multiply", "add", "subtract", "strided_slice", "matmul")]
    transform.LegalizeOps(made_once({name: counting(name) for name in names}, names))(emitted((6, 8), function))
    return counted


def test_each_kernel_is_made_once():
    assert made_of(repeated) == {"relax.tanh": 1, "relax.sigmoid": 1, "relax.multiply": 1}
    assert made_of(given_twice) == {"relax.multiply": 2}
    assert made_of(numbers) == {"relax.add": 2, "relax.subtract": 3}
    assert made_of(parts)["relax.strided_slice"] == 3
    assert made_of(weights)["relax.matmul"] == 1
