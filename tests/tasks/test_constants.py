"""Constants of a graph are computed without compiling a kernel for each, and as TVM computes them."""

import math

import ml_dtypes
import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst

from machines import machine_of
from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.constants import fold_constants
from schedules import CPU

RNG = np.random.default_rng(0)
A, B = (RNG.uniform(0.5, 2, (4, 6)).astype("float32") for _ in range(2))


def scattered(x, places, how):
    values = relax.const(np.arange(1, 1 + len(places), dtype="float32"))
    return relax.op.scatter_nd(x, relax.const(places, "int64"), values, how)


CASES = {
    "batch norm": lambda a, b: relax.op.divide(a, relax.op.sqrt(relax.op.add(b, relax.const(1e-5, "float32")))),
    "broadcasting": lambda a, b: relax.op.multiply(a, relax.op.reshape(relax.op.cumprod(b, axis=1), (24, 1, 1))),
    "transposed": lambda a, b: relax.op.permute_dims(relax.op.subtract(a, b), [1, 0]),
    "reversed": lambda a, b: relax.op.permute_dims(a),
    "shapes": lambda a, b: relax.op.squeeze(relax.op.expand_dims(relax.op.reshape(a, (6, 4)), 0)),
    "spread": lambda a, b: relax.op.broadcast_to(relax.op.expand_dims(a, 1), (4, 3, 6)),
    "types": lambda a, b: relax.op.astype(relax.op.power(a, b), "int32"),
    "functions": lambda a, b: relax.op.rsqrt(relax.op.exp(relax.op.negative(relax.op.tanh(a)))),
    "wide types": lambda a, b: relax.op.add(relax.op.astype(a, "int64"), relax.const(1 << 40, "int64")),
    "choices": lambda a, b: relax.op.maximum(relax.op.minimum(a, b), relax.op.abs(relax.op.log(b))),
    "comparisons": lambda a, b: relax.op.where(relax.op.less(a, b), relax.op.sin(a), relax.op.floor(b)),
    "both of two": lambda a, b: relax.op.astype(
        relax.op.logical_and(relax.op.greater(a, b), relax.op.logical_not(relax.op.equal(a, b))), "int32"
    ),
    "activations": lambda a, b: relax.op.nn.relu(relax.op.subtract(relax.op.sigmoid(a), relax.op.sign(b))),
    "rests": lambda a, b: relax.op.where(relax.op.isnan(a), b, relax.op.floor_mod(relax.op.negative(a), b)),
    "bounds": lambda a, b: relax.op.clip(a, 0.75, 1.5),
    "positions": lambda a, b: relax.op.floor_divide(
        relax.op.arange(-3, 20, 4, dtype="int64"), relax.const(3, dtype="int64")
    ),
    "whole quotients": lambda a, b: relax.op.divide(
        relax.const([7, -7, 2**60 + 1, -(2**60) - 1], "int64"), relax.const([2, 2, -3, 1], "int64")
    ),
    "rests of either sign": lambda a, b: relax.op.mod(
        relax.const([7, -7, 6, -1], "int64"), relax.const([4, 4, -4, 3], "int64")
    ),
    "shares": lambda a, b: relax.op.nn.softmax(relax.op.multiply(a, b), 0),
    "norms of rows": lambda a, b: relax.op.nn.layer_norm(
        a, *(relax.op.take(b, relax.const(n, "int64"), 0) for n in (0, 1)), [-1]
    ),
    "norms of matrices": lambda a, b: relax.op.nn.layer_norm(
        relax.op.expand_dims(a, 0), b, b, [1, 2], epsilon=0.1, center=False
    ),
    "rests of floats": lambda a, b: relax.op.mod(relax.op.negative(a), b),
    "a part in place": lambda a, b: relax.op.slice_scatter(
        a, relax.op.take(b, relax.const([0, 2], "int64"), 1), 1, 5, 2, 1
    ),
    "rows in place": lambda a, b: relax.op.slice_scatter(a, relax.op.strided_slice(b, [0], [1], [4]), 1, 4, 1),
    "halves": lambda a, b: relax.op.arange(0.5, 4, 0.5, dtype="float32"),
    "rows": lambda a, b: relax.op.take(a, relax.const([[3, 0], [1, 1]], "int64"), axis=0),
    "rows beyond": lambda a, b: relax.op.take(a, relax.const([[9, 0], [1, 1]], "int64"), axis=1, mode="clip"),
    "rows counted on": lambda a, b: relax.op.take(a, relax.const([9, -1], "int64"), axis=1, mode="wrap"),
    "parts": lambda a, b: relax.op.strided_slice(a, [1, 0], [-4, 1], [1 << 40, -1], [2, 1]),
    "joined": lambda a, b: relax.op.concat([a, b, a], 1),
    "weight norm": lambda a, b: relax.op.divide(a, relax.op.sqrt(relax.op.sum(relax.op.square(b), [1], keepdims=True))),
    "reductions": lambda a, b: relax.op.subtract(relax.op.mean(a), relax.op.min(relax.op.max(b, 0), -1)),
    "products": lambda a, b: relax.op.matmul(a, relax.op.permute_dims(b)),
    "parts of a split": lambda a, b: relax.op.add(relax.op.split(a, 2, axis=1)[1], relax.op.split(b, [3], axis=1)[0]),
    "a shorter last part": lambda a, b: relax.op.split(relax.op.reshape(a, (24,)), 5)[4],
    "one number": lambda a, b: relax.op.add(
        relax.op.full((4, 6), relax.const(2.5)),
        relax.op.add(relax.op.ones((6,), "float32"), relax.op.zeros((1, 6), "float32")),
    ),
    "one number like others": lambda a, b: relax.op.add(
        relax.op.full_like(a, relax.const(2.5)), relax.op.add(relax.op.ones_like(a), relax.op.zeros_like(b))
    ),
    "put in places": lambda a, b: scattered(a, [[3, 5], [0, 1]], "update"),
    "added in places": lambda a, b: scattered(a, [[3, 5], [0, 1], [3, 5]], "add"),
    "rows added in places": lambda a, b: relax.op.scatter_nd(a, relax.const([[1], [3], [1], [0]], "int64"), b, "add"),
    "sums so far": lambda a, b: relax.op.tile(relax.op.cumsum(a, axis=1), (2, 1, 3)),
    "bits": lambda a, b: relax.op.bitwise_xor(relax.op.astype(relax.op.floor(a), "int32"), relax.const(5, "int32")),
    "extents": lambda a, b: relax.op.shape_to_tensor(relax.op.shape_of(a)),
    "numbers that are no tensors": lambda a, b: relax.op.add(a, tvm.tirx.FloatImm("float32", 0.25)),
}


def module(expression):
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1,), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            made = builder.emit(expression(relax.const(A), relax.const(B)))
            out = builder.emit_output(relax.op.add(made, relax.op.astype(x, made.ty.dtype)))
        builder.emit_func_output(out)
    return relax.transform.Normalize()(builder.get())


def run(mod):
    machine = machine_of(mod)
    return machine["main"](tvm.runtime.tensor(np.zeros(1, "float32"))).numpy()


def operators(mod):
    found = []

    def visit(node):
        if isinstance(node, relax.Call):
            found.append(operator_of(node))

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


@pytest.mark.parametrize("case", CASES)
def test_constants_are_what_tvm_computes(case):
    mod = module(CASES[case])
    folded = relax.transform.CanonicalizeBindings()(fold_constants(mod))
    left = set(operators(folded)) - {"relax.add", "relax.astype", "relax.shape_of"}
    assert left == ({"relax.cumprod", "relax.reshape", "relax.multiply"} if case == "broadcasting" else set())
    np.testing.assert_allclose(run(folded), run(mod), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["divide", "mod", "power"])
def test_what_whole_numbers_do_not_have_is_left(name):
    """A quotient by 0 and what is left of it, a power by a negative number."""
    call = getattr(relax.op, name)(relax.const([2], "int64"), relax.const([-1 if name == "power" else 0], "int64"))
    assert f"relax.{name}" in operators(fold_constants(module(lambda a, b: call)))


def test_a_number_without_axes_gets_none():
    """As the mean of a loss is divided by a count that is known."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            count = builder.emit(relax.op.reshape(relax.const(np.ones((1, 1), "float32")), ()))
            count = builder.emit(relax.op.add(count, relax.const(1.0)))
            out = builder.emit_output(relax.op.divide(x, count))
        builder.emit_func_output(out)
    folded = relax.transform.CanonicalizeBindings()(fold_constants(builder.get()))
    assert operators(folded) == ["relax.divide"]
    machine = machine_of(folded)
    assert machine["main"](tvm.runtime.tensor(np.float32(3))).numpy().shape == ()


def test_what_depends_on_an_input_stays():
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((4, 6), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_output(relax.op.sqrt(relax.op.multiply(x, relax.const(A))))
        builder.emit_func_output(out)
    mod = relax.transform.Normalize()(builder.get())
    assert operators(fold_constants(mod)) == operators(mod) == ["relax.multiply", "relax.sqrt"]
    assert not isinstance(mod["main"].body, GenericConst)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_norms_of_any_type_beside_constants_that_only_tvm_knows(dtype):
    """TVM looks at constants by lowering a whole graph as itself does it: norms over layers only of some types."""
    x = relax.Var("x", relax.TensorType((4, 6), dtype))
    of_doubles = relax.op.erf(relax.const(A.astype("float64"), "float64"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            ones = relax.op.ones((6,), dtype)
            norm = builder.emit(relax.op.nn.layer_norm(x, ones, relax.op.zeros((6,), dtype), axes=[-1]))
            out = builder.emit_output(builder.emit(relax.op.add(relax.op.astype(norm, "float64"), of_doubles)))
        builder.emit_func_output(out)
    prepared = prepare(relax.transform.Normalize()(builder.get()), CPU)
    given = B.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    found = machine_of(prepared)["main"](tvm.runtime.tensor(given)).numpy()
    wide = given.astype("float64")
    wanted = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    errors = {"float32": 1e-5, "float64": 1e-5, "bfloat16": 2e-2}
    np.testing.assert_allclose(found, wanted + np.vectorize(math.erf)(A.astype("float64")), atol=errors[dtype])
