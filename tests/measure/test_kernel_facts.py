"""What the checks need to know is read off the kernel."""

from __future__ import annotations

import pytest
import tvm
from tvm import te, topi

from pruner_engine.measure.running.kernel import facts_of


def module(*tensors) -> tvm.IRModule:
    return tvm.IRModule({"main": te.create_prim_func(list(tensors)).with_attr("global_symbol", "main")})


def placeholder(*shape: int):
    return te.placeholder(shape, name="x")


def test_a_sum_of_products():
    a, b = placeholder(8, 24), te.placeholder((24, 4), name="w")
    facts = facts_of(module(a, b, topi.matmul(a, b)))
    assert facts.outputs == [2]
    assert facts.reduction == 24
    assert facts.inputs == ["random", "nan", "large", "zeros"]


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


def index(*shape: int, dtype: str = "int64"):
    return te.placeholder(shape, dtype, name="i")


def test_an_index_stays_inside_what_it_addresses():
    table, i = placeholder(100, 32), index(16)
    assert facts_of(module(table, i, topi.take(table, i, axis=0, mode="fast"))).bounds == {1: 100}
    assert facts_of(module(i, topi.add(i, 1))).bounds == {}


def test_an_index_is_followed_through_its_wrap_from_the_end():
    table, i = placeholder(100, 32), index(16, dtype="int32")
    wrapped = te.compute((16,), lambda j: tvm.tirx.Select(i[j] < 0, i[j] + 100, i[j]), name="wrapped")
    wide = topi.cast(wrapped, "int64")
    assert facts_of(module(table, i, topi.take(table, wide, axis=0, mode="fast"))).bounds == {1: 100}


def test_an_index_that_is_reckoned_with_stays_small():
    table, i = placeholder(100), index(16)
    doubled = te.compute((16,), lambda j: table[i[j] * 50], name="doubled")
    assert facts_of(module(table, i, doubled)).bounds == {1: 2}


def test_one_index_into_two_tables_fits_the_smaller():
    first, second, i = placeholder(100), te.placeholder((7,), name="y"), index(16)
    both = te.compute((16,), lambda j: first[i[j]] + second[i[j]], name="both")
    assert facts_of(module(first, second, i, both)).bounds == {2: 7}


def test_a_choice_between_a_pixel_and_the_padding_is_no_function():
    x, w = placeholder(1, 4, 8, 8), te.placeholder((4, 4, 3, 3), name="w")
    convolved = topi.nn.conv2d_nchw(x, w, 1, 1, 1)
    facts = facts_of(module(x, w, convolved))
    assert facts.inputs == ["random", "nan", "large", "zeros"]
    assert 0 not in facts.finite and 1 in facts.finite, "whether zero times NaN is computed differs"
    assert facts_of(module(x, w, topi.nn.conv2d_nchw(x, w, 1, 0, 1))).finite == []
    chosen = te.compute((8,), lambda i: tvm.tirx.if_then_else(i < 4, tvm.tirx.exp(x[0, 0, 0, i]), 0.0))
    assert "large" not in facts_of(module(x, chosen)).inputs


def test_a_rounding_is_seen_within_a_choice():
    x = placeholder(8)
    rounded = te.compute((8,), lambda i: tvm.tirx.if_then_else(i < 4, x[i].astype("int8"), tvm.tirx.const(0, "int8")))
    assert facts_of(module(x, rounded)).rounds
