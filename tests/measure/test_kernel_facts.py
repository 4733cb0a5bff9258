"""What the checks need to know is read off the kernel."""

from __future__ import annotations

import pytest
import tvm
from tvm import te, topi

from pruner_engine.measure.kernel import facts_of


def module(*tensors) -> tvm.IRModule:
    return tvm.IRModule({"main": te.create_prim_func(list(tensors)).with_attr("global_symbol", "main")})


def placeholder(*shape: int):
    return te.placeholder(shape, name="x")


def test_a_sum_of_products():
    a, b = placeholder(8, 24), te.placeholder((24, 4), name="w")
    facts = facts_of(module(a, b, topi.matmul(a, b)))
    assert facts.outputs == [2]
    assert facts.reduction == 24
    assert facts.inputs == ["random", "zeros", "large", "nan"]


def test_order_decides_what_a_maximum_makes_of_nan():
    x = placeholder(1, 4, 8, 8)
    pooled = topi.nn.pool2d(x, [2, 2], [2, 2], [1, 1], [0, 0, 0, 0], "max")
    facts = facts_of(module(x, pooled))
    assert facts.reduction == 4
    assert "nan" not in facts.inputs


def test_functions_make_any_error_of_a_large_sum():
    x = placeholder(4, 8)
    assert facts_of(module(x, topi.nn.softmax(x))).inputs == ["random", "zeros"]
    assert "large" not in facts_of(module(x, topi.tanh(x))).inputs


def test_several_outputs():
    x = placeholder(4, 8)
    facts = facts_of(module(x, topi.add(x, 1.0), topi.multiply(x, 2.0)))
    assert facts.outputs == [1, 2]
    assert facts.reduction == 1


@pytest.mark.parametrize("axis", [0, 1, (0, 1)])
def test_reduction_counts_the_folded_elements(axis):
    x = placeholder(4, 8)
    expected = {0: 4, 1: 8, (0, 1): 32}[axis]
    assert facts_of(module(x, topi.sum(x, axis=axis))).reduction == expected
