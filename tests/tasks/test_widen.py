"""Convolutions with whole vectors of channels and products with rows that tiles divide compute the same."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax

from machines import machine_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.widen import widen_channels, widen_products

HOST = resolve_target("auto")


def convolution(filters: int) -> tvm.IRModule:
    rng = np.random.default_rng(1)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 8, 6, 6), "float32"))
    with builder.function("main", [x]):
        weight = relax.const(rng.standard_normal((filters, 8, 3, 3)).astype("float32"))
        bias = relax.const(rng.standard_normal((1, filters, 1, 1)).astype("float32"))
        with builder.dataflow():
            y = builder.emit(relax.op.nn.conv2d(x, weight, padding=(1, 1)))
            out = builder.emit_output(relax.op.nn.relu(builder.emit(relax.op.add(y, bias))))
        builder.emit_func_output(out)
    return builder.get()


def run(mod: tvm.IRModule, *arrays: np.ndarray) -> np.ndarray:
    machine = machine_of(mod, HOST)
    return machine["main"](*map(tvm.runtime.tensor, arrays)).numpy()


@pytest.mark.parametrize(("filters", "wide"), [(100, 112), (1000, 1024), (96, 96), (1008, 1008), (24, 24)])
def test_filters_are_appended_only_where_vectors_are_partial(filters, wide):
    text = widen_channels(convolution(filters), 16)["main"].script()
    assert f"R.Tensor((1, {wide}, 6, 6)" in text
    assert ("strided_slice" in text) == (filters != wide)


@pytest.mark.parametrize(("filters", "wide"), [(1, 4), (3, 4), (5, 8), (12, 16), (18, 24), (21, 24)])
def test_few_filters_become_a_whole_number_of_short_vectors(filters, wide):
    """As of networks that end in an image or in boxes: no register tile has vectors of one, two or three."""
    assert f"R.Tensor((1, {wide}, 6, 6)" in widen_channels(convolution(filters), 16)["main"].script()
    prepared = prepare(convolution(filters), HOST, layout="channels-last")
    (task,) = (task for task in extract_tasks(prepared, HOST) if task.op == "conv2d")
    with_rule, others = (DesignSpace.generate(task, HOST, without=w) for w in ([], ["register-tile"]))
    assert {sketch.hash for sketch in with_rule.sketches} - {sketch.hash for sketch in others.sketches}


@pytest.mark.parametrize("filters", [3, 50, 100])
def test_the_result_is_the_same(filters):
    x = np.random.default_rng(2).standard_normal((1, 8, 6, 6)).astype("float32")
    mod = convolution(filters)
    np.testing.assert_allclose(run(prepare(mod, HOST), x), run(mod, x), rtol=1e-4, atol=1e-4)


def product(rows: int) -> tvm.IRModule:
    rng = np.random.default_rng(3)
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((rows, 12), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.matmul(x, relax.const(rng.standard_normal((12, 32)).astype("float32"))))
            out = builder.emit_output(builder.emit(relax.op.nn.relu(y)))
        builder.emit_func_output(out)
    return builder.get()


@pytest.mark.parametrize(("rows", "wide"), [(1, 1), (13, 13), (17, 18), (31, 32), (128, 128), (197, 198)])
def test_rows_are_appended_only_where_no_tile_divides_them(rows, wide):
    text = widen_products(product(rows), 16)["main"].script()
    assert f"R.Tensor(({wide}, 32)" in text
    assert ("strided_slice" in text) == (rows != wide)


def test_a_product_of_a_prime_number_of_rows_is_the_same():
    x = np.random.default_rng(4).standard_normal((31, 12)).astype("float32")
    mod = product(31)
    np.testing.assert_allclose(run(prepare(mod, HOST), x), run(mod, x), rtol=1e-4, atol=1e-4)


def attention(tokens: int) -> tvm.IRModule:
    """Scores of queries and keys, and what they weigh; three heads of 16."""
    builder = relax.BlockBuilder()
    q, v = (relax.Var(name, relax.TensorType((3, tokens, 16), "float32")) for name in "qv")
    k = relax.Var("k", relax.TensorType((3, 16, tokens), "float32"))
    with builder.function("main", [q, k, v]):
        with builder.dataflow():
            scores = builder.emit(relax.op.divide(builder.emit(relax.op.matmul(q, k)), relax.const(4.0)))
            out = builder.emit_output(builder.emit(relax.op.matmul(scores, v)))
        builder.emit_func_output(out)
    return builder.get()


@pytest.mark.parametrize(("tokens", "rows", "columns"), [(37, 39, 48), (64, 64, 64), (20, 20, 20)])
def test_products_of_two_inputs_get_whole_vectors_of_columns(tokens, rows, columns):
    mod = attention(tokens)
    wide = widen_products(mod, 16)
    text = wide["main"].script()
    assert f"R.Tensor((3, {rows}, {columns})" in text
    assert ("strided_slice" in text) == ((rows, columns) != (tokens, tokens))
    rng = np.random.default_rng(5)
    q, k = (rng.standard_normal(shape).astype("float32") for shape in ((3, tokens, 16), (3, 16, tokens)))
    np.testing.assert_allclose(run(prepare(mod, HOST), q, k, q), run(mod, q, k, q), rtol=1e-4, atol=1e-4)


SHAPES = [  # of both matrices, and of their product with what is appended
    ((1, 197, 12), (12, 32), "(1, 198, 32)"),
    ((2, 3, 31, 12), (12, 50), "(2, 3, 32, 64)"),
    ((37, 12), (12, 50), "(39, 64)"),
    ((2, 128, 12), (12, 32), ""),
    ((3, 1, 12), (3, 12, 50), ""),  # to copy a matrix for one row costs more
]


@pytest.mark.parametrize("known", [False, True], ids=["inputs", "weights"])
@pytest.mark.parametrize(("left", "right", "wide"), SHAPES, ids=str)
def test_products_of_every_shape(left, right, wide, known):
    rng = np.random.default_rng(7)
    arrays = [rng.standard_normal(shape).astype("float32") for shape in (left, right)]
    builder = relax.BlockBuilder()
    inputs = [
        relax.Var(name, relax.TensorType(array.shape, "float32")) for name, array in zip("ab", arrays, strict=True)
    ]
    operands = [inputs[0], relax.const(arrays[1]) if known else inputs[1]]
    with builder.function("main", inputs[:1] if known else inputs):
        with builder.dataflow():
            made = builder.emit(relax.op.matmul(*operands))
            out = builder.emit_output(relax.op.nn.relu(made))
        builder.emit_func_output(out)
    mod = builder.get()
    text = widen_products(mod, 16)["main"].script()
    if not (known and left[-2] == 1):  # whose columns are filled up when the model is compiled
        assert (f"R.Tensor({wide}" if wide else "R.matmul") in text
    got = run(prepare(mod, HOST), *arrays[: 1 if known else 2])
    np.testing.assert_allclose(got, np.maximum(np.matmul(*arrays), 0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("dtype", "columns"), [("float16", 224), ("bfloat16", 224), ("float64", 200)])
def test_columns_are_whole_vectors_of_their_type(dtype, columns):
    builder = relax.BlockBuilder()
    inputs = [
        relax.Var(name, relax.TensorType(shape, dtype)) for name, shape in zip("ab", [(31, 12), (12, 197)], strict=True)
    ]
    with builder.function("main", inputs):
        builder.emit_func_output(builder.emit(relax.op.matmul(*inputs)))
    assert f"R.Tensor((32, {columns})" in widen_products(builder.get(), 16)["main"].script()


HALVES = [(3, 37, 197), (3, 197, 37)]


def halves(dtype: str, constant: bool) -> tvm.IRModule:
    """A product of smaller floats with a float32 result and bias, 37 rows and columns of 197 terms."""
    builder = relax.BlockBuilder()
    x, y = (relax.Var(name, relax.TensorType(shape, "float32")) for name, shape in zip("xy", HALVES, strict=True))
    with builder.function("main", [x] if constant else [x, y]):
        with builder.dataflow():
            right = relax.const(values()[1]) if constant else y
            left, right = (builder.emit(relax.op.astype(matrix, dtype)) for matrix in (x, right))
            product = builder.emit(relax.op.matmul(left, right, out_dtype="float32"))
            out = builder.emit_output(builder.emit(relax.op.add(product, relax.const(np.ones(37, "float32")))))
        builder.emit_func_output(out)
    return builder.get()


def values() -> list[np.ndarray]:
    rng = np.random.default_rng(6)
    return [rng.standard_normal(shape).astype("float32") for shape in HALVES]


@pytest.mark.parametrize("constant", [False, True], ids=["inputs", "weights"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_smaller_floats_are_summed_in_the_type_of_their_result(dtype, constant):
    arrays = values()
    want = np.matmul(*(array.astype(dtype).astype("float32") for array in arrays)) + 1
    got = run(prepare(halves(dtype, constant), HOST), *arrays[: 1 if constant else 2])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
