"""Rewrites of a graph leave alone what has a shape that is known only when it runs, and spoil nothing around it."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper
from tvm import relax, tirx

from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.grouped import widen_groups
from pruner_engine.tasks.rewrites.simplify import simplify

HOST = resolve_target("auto")
TARGET = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')
RNG = np.random.default_rng(0)


def run(mod, *inputs):
    machine = machine_of(mod, HOST)
    return machine["main"](*(tvm.runtime.tensor(x) for x in inputs)).numpy()


def weights(*shape):
    return relax.const(RNG.standard_normal(shape).astype("float32"))


def batches(build, *shape):
    """A module of `build(builder, x)`, where x is an open number of these."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((tirx.Var("batch", "int64"), *shape), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_output(build(builder, x))
        builder.emit_func_output(out)
    return builder.get()


def shuffled(builder, x):
    """Grouped convolutions with a shuffle of their channels between."""
    y = builder.emit(relax.op.nn.conv2d(x, weights(24, 6, 1, 1), groups=4))
    y = builder.emit(relax.op.reshape(y, (x.ty.shape[0], 4, 6, 6, 6)))
    y = builder.emit(relax.op.permute_dims(y, (0, 2, 1, 3, 4)))
    y = builder.emit(relax.op.reshape(y, (x.ty.shape[0], 24, 6, 6)))
    y = builder.emit(relax.op.nn.conv2d(y, weights(24, 1, 3, 3), padding=1, groups=24))
    return relax.op.nn.conv2d(builder.emit(relax.op.add(y, weights(1, 24, 1, 1))), weights(24, 6, 3, 3), groups=4)


GRAPHS = {
    "convolution": (lambda _, x: relax.op.nn.conv2d(x, weights(32, 32, 3, 3), padding=1), (32, 16, 16)),
    "grouped": (shuffled, (24, 6, 6)),
    "transposed": (lambda _, x: relax.op.nn.conv2d_transpose(x, weights(8, 6, 4, 4), strides=2, padding=1), (8, 6, 6)),
    "softmax": (lambda _, x: relax.op.nn.softmax(x), (4, 9)),
    "product": (lambda _, x: relax.op.matmul(x, weights(33, 50)), (7, 33)),
    "sum of all": (lambda _, x: relax.op.sum(x, axis=[0], keepdims=True), (6,)),
    "mean of a row": (lambda _, x: relax.op.mean(x, axis=[-1], keepdims=True), (6,)),
    "parts": (lambda b, x: b.emit(relax.op.split(x, [2], axis=0))[0], (6,)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_any_number_of_them_is_computed_as_before(name):
    build, shape = GRAPHS[name]
    mod = batches(build, *shape)
    prepared = prepare(mod, HOST)
    extract_tasks(prepared, HOST)
    for many in (3, 4):
        x = RNG.standard_normal((many, *shape)).astype("float32")
        np.testing.assert_allclose(run(prepared, x), run(mod, x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", GRAPHS)
def test_it_is_prepared_for_wide_vectors(name):
    build, shape = GRAPHS[name]
    extract_tasks(prepare(batches(build, *shape), TARGET), TARGET)


def test_a_shuffle_of_what_gets_its_shape_from_a_reshape_stays():
    """Only the first reshape says how many there are."""

    def build(builder, x):
        y = builder.emit(relax.op.permute_dims(x, (0, 1)))
        for step in ((1, 3, 2, 8), (0, 3, 1, 2), (1, 4, 2, 3, 2), (0, 2, 1, 3, 4), (1, 8, 3, 2), (0, 2, 3, 1)):
            move = relax.op.permute_dims if step[0] == 0 else relax.op.reshape
            y = builder.emit(move(y, step))
        return y

    rewritten = simplify(widen_groups(batches(build, 8), 16))
    x = RNG.standard_normal((6, 8)).astype("float32")
    assert run(rewritten, x).shape == (1, 3, 2, 8)


def test_a_softmax_of_what_is_found_is_computed(tmp_path):
    """How many numbers of an image are positive is known when it runs."""
    nodes = [
        helper.make_node("Relu", ["x"], ["positive"]),
        helper.make_node("NonZero", ["positive"], ["where"]),
        helper.make_node("Gather", ["positive", "where"], ["found"]),
        helper.make_node("Softmax", ["found"], ["shares"], axis=-1),
        helper.make_node("ReduceMax", ["shares"], ["most"], keepdims=0),
    ]
    tensors = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [8]), ("most", []))]
    graph = helper.make_graph(nodes, "found", tensors[:1], tensors[1:])
    path = str(tmp_path / "found.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    prepared = prepare(load_model(path).mod, HOST)
    x = RNG.standard_normal(8).astype("float32")
    (expected,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    np.testing.assert_allclose(run(prepared, x), expected, rtol=1e-5)
    assert "relu" in {task.name.rsplit("_", 1)[0] for task in extract_tasks(prepared, HOST)}
