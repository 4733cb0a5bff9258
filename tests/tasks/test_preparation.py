"""Preparing keeps what a model computes, and chooses layouts by what they cost."""

import numpy as np
import onnxruntime
import pytest
import tvm
from tvm import relax

from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.resources import resource_dir
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.constants import fold_constants
from pruner_engine.tasks.task import module_hash

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
    machine = machine_of(prepared, target)
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
    folded = relax.transform.CanonicalizeBindings()(fold_constants(builder.get()))
    assert calls(folded) == ["relax.add"]
    machine = machine_of(folded)
    result = machine["main"](tvm.runtime.tensor(np.zeros((6, 2), np.float32))).numpy()
    np.testing.assert_array_equal(result, data.T.reshape(6, 2))


@pytest.mark.parametrize("name", ["simplify", "channels-last", "wide-channels", "groups", "winograd"])
def test_each_rewrite_can_be_left_out_and_changes_no_result(name, target):
    rng = np.random.default_rng(4)
    builder = relax.BlockBuilder()
    image = relax.Var("image", relax.TensorType((1, 4, 24, 24), "float32"))

    def convolution(data, shape, **options):
        weight = relax.const((rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype("float32"))
        return builder.emit(relax.op.nn.conv2d(data, weight, **options))

    with builder.function("main", [image]):
        with builder.dataflow():
            y = convolution(image, (32, 4, 1, 1))
            y = convolution(y, (64, 32, 3, 3), padding=1)
            y = builder.emit(relax.op.clip(convolution(y, (80, 32, 1, 1), groups=2), 0, 6))
            y = convolution(convolution(y, (50, 80, 1, 1)), (8, 50, 1, 1))
            result = builder.emit_output(builder.emit(relax.op.nn.relu(y)))
        builder.emit_func_output(result)
    mod = builder.get()
    data = tvm.runtime.tensor(rng.standard_normal((1, 4, 24, 24)).astype("float32"))
    whole, left_out = prepare(mod, target), prepare(mod, target, [name])
    assert module_hash(whole) != module_hash(left_out)
    got, want = (machine_of(made, target)["main"](data).numpy() for made in (left_out, mod))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_appended_rows_can_be_left_out(target):
    mod = load_model("dense:31,24,10").mod
    weight = {p.name: np.ones([int(n) for n in p.ty.shape], "float32") for p in mod["main"].params[1:]}
    mod = relax.transform.BindParams("main", weight)(mod)
    assert module_hash(prepare(mod, target)) != module_hash(prepare(mod, target, ["wide-products"]))
