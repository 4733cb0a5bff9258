"""Preparing keeps what a model computes, and chooses layouts by what they cost."""

import numpy as np
import onnxruntime
import pytest
import tvm
from tvm import relax

from pruner_engine.frontends import load_model
from pruner_engine.resources import resource_dir
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.fold import fold_movement
from pruner_engine.tasks.prepare import prepare

MODELS = resource_dir() / "models"


@pytest.fixture(scope="module")
def target():
    return resolve_target("auto")


def calls(mod):
    found = []
    relax.analysis.post_order_visit(
        mod["main"], lambda node: found.append(node) if isinstance(node, relax.Call) else None
    )
    return [call.op.name for call in found if isinstance(call.op, tvm.ir.Op)]


def test_the_prepared_cnn_computes_what_onnx_runtime_does(target):
    path = MODELS / "small-cnn.onnx"
    prepared = prepare(load_model(str(path)).mod, target)
    image = np.random.default_rng(1).standard_normal((1, 3, 64, 64), dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"image": image})
    machine = relax.VirtualMachine(tvm.compile(prepared, target=target), tvm.cpu())
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(image)).numpy(), expected, rtol=1e-4, atol=1e-6)


def test_everything_becomes_calls_of_kernels(target):
    for name in ("small-cnn.onnx", "small-transformer.pt2"):
        prepared = prepare(load_model(str(MODELS / name)).mod, target)
        assert set(calls(prepared)) <= {"relax.call_tir", "relax.shape_of"}


def test_convolutions_with_constant_weights_run_channels_last(target):
    tasks = extract_tasks(prepare(load_model(str(MODELS / "small-cnn.onnx")).mod, target), target)
    first = next(task for task in tasks if task.op == "conv2d")
    data, weight = first.args[0].shape, first.args[1].shape
    assert data[-1] == weight[2] and weight[:2] == (3, 3)


def test_a_lone_convolution_keeps_its_layout(target):
    """Its weights are inputs: another layout would cost two transposes at every call."""
    (task,) = extract_tasks(prepare(load_model("conv2d:1,16,14,14,32,3").mod, target), target)
    assert [arg.shape for arg in task.args] == [(1, 16, 14, 14), (32, 16, 3, 3), (1, 32, 14, 14)]


def test_weights_may_be_prepacked(target):
    prepared = prepare(load_model(str(MODELS / "small-cnn.onnx")).mod, target)
    marked = [f.attrs["layout_free_buffers"] for f in prepared.functions.values() if isinstance(f, tvm.tirx.PrimFunc)]
    assert any(len(buffers) for buffers in marked)


def test_moved_constants_are_folded():
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((6, 2), "float32"))
    data = np.arange(12, dtype=np.float32).reshape(2, 6)
    with builder.function("main", [x]):
        with builder.dataflow():
            moved = builder.emit(relax.op.permute_dims(relax.const(data)))
            moved = builder.emit(relax.op.reshape(moved, (12,)))
            moved = builder.emit(relax.op.expand_dims(moved, 0))
            moved = builder.emit(relax.op.reshape(moved, (6, 2)))
            result = builder.emit_output(builder.emit(relax.op.add(x, moved)))
        builder.emit_func_output(result)
    folded = relax.transform.CanonicalizeBindings()(fold_movement(builder.get()))
    assert calls(folded) == ["relax.add"]
    machine = relax.VirtualMachine(tvm.compile(folded, target="llvm"), tvm.cpu())
    result = machine["main"](tvm.runtime.tensor(np.zeros((6, 2), np.float32))).numpy()
    np.testing.assert_array_equal(result, data.T.reshape(6, 2))
