"""Models of halves: they stay such, and compute what PyTorch and ONNX Runtime compute, which sum them in float32."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import tvm
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch_functions import Function, numbers, saved

from machines import machine_of
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def computed(mod, *inputs):
    """As tuned models are run: prepared and compiled like an export."""
    target = resolve_target("auto")
    machine = machine_of(prepare(mod, target), target, compile_model)
    made = machine["main"](*map(tvm.runtime.tensor, inputs))
    return [one.numpy() for one in ([made] if hasattr(made, "numpy") else made)]


class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.narrow, self.wide = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1)

    def forward(self, x):
        share = self.wide(self.narrow(x.mean((2, 3), keepdim=True)).relu()).sigmoid()
        return x * share, nn.functional.adaptive_avg_pool2d(x, 1), x.flatten(1).softmax(1), x.norm(dim=(2, 3))


def test_a_network_of_halves_computes_what_pytorch_computes(tmp_path):
    torch.manual_seed(0)
    module = SqueezeExcite().half().eval()
    image = (100 * torch.rand(1, 8, 112, 112)).half()  # whose squares, and sums, no half holds
    with torch.no_grad():
        expected = module.float()(image.float())
    module.half()
    found = computed(load_model(saved(tmp_path, module, (image,))).mod, image.numpy())
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == np.float16
        np.testing.assert_allclose(ours, theirs.half().numpy(), rtol=4e-3, atol=1e-3)


@pytest.mark.parametrize("operator", ["Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"])
def test_functions_of_halves(operator, tmp_path):
    x = np.linspace(1, 3, 9, dtype=np.float16) if operator == "Acosh" else np.linspace(-0.9, 0.9, 9, dtype=np.float16)
    given, made = (helper.make_tensor_value_info(name, TensorProto.FLOAT16, x.shape) for name in "xy")
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", [given], [made])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), tmp_path / "m.onnx")
    (found,) = computed(load_model(str(tmp_path / "m.onnx")).mod, x)
    assert found.dtype == np.float16
    function = {"Acos": np.arccos, "Acosh": np.arccosh, "Asin": np.arcsin, "Asinh": np.arcsinh, "Atan": np.arctan}
    function |= {"Atanh": np.arctanh, "Cosh": np.cosh, "Sinh": np.sinh, "Tan": np.tan}
    np.testing.assert_allclose(found, function[operator](x.astype("f")), rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("order", [1, 2, 3, torch.inf])
def test_norms_of_halves(order, tmp_path):
    x = 300 * numbers(3, 200, dtype=torch.float16)
    module = Function(lambda x: torch.linalg.vector_norm(x / 100, order, dim=1))
    found = computed(load_model(saved(tmp_path, module, (x,))).mod, x.numpy())
    np.testing.assert_allclose(found[0], module(x).numpy(), rtol=2e-3)


def network(folder):
    """Float32 outside, halves inside, as converters make them."""
    rng = np.random.default_rng(0)
    weights = {
        "w1": 0.2 * rng.standard_normal((8, 3, 3, 3)),
        "b1": rng.standard_normal(8),
        "scale": rng.random(8) + 0.5,
        "w2": 0.1 * rng.random((2048, 5)),
        "b2": rng.standard_normal(5),
        "w3": rng.random((5, 4)),
    }
    nodes = [
        helper.make_node("Cast", ["image"], ["x"], to=TensorProto.FLOAT16),
        helper.make_node("Conv", ["x", "w1", "b1"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "b1", "b1", "scale"], ["n"]),
        helper.make_node("Dropout", ["n"], ["d"]),
        helper.make_node("Relu", ["d"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["p"]),
        helper.make_node("ReduceL2", ["x"], ["l"], axes=[2, 3]),
        helper.make_node("Flatten", ["r"], ["f"]),
        helper.make_node("Gemm", ["f", "w2", "b2"], ["g"]),
        helper.make_node("MatMul", ["g", "w3"], ["m"]),
        helper.make_node("Softmax", ["f"], ["s"]),
        *(helper.make_node("Cast", [name], [f"{name}32"], to=TensorProto.FLOAT) for name in "plms"),
    ]
    shapes = {"p": (1, 8, 1, 1), "l": (1, 3, 1, 1), "m": (1, 4), "s": (1, 2048)}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, (1, 3, 16, 16))],
        [helper.make_tensor_value_info(f"{name}32", TensorProto.FLOAT, shape) for name, shape in shapes.items()],
        [numpy_helper.from_array(value.astype("float16"), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "halves.onnx")
    return str(folder / "halves.onnx")


@pytest.mark.parametrize("installed", [True, False])
def test_an_onnx_network_of_halves_stays_one(installed, tmp_path, monkeypatch):
    path = network(tmp_path)
    image = 100 * np.random.default_rng(1).random((1, 3, 16, 16), "f")
    expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"image": image})
    if not installed:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    mod = load_model(path).mod
    assert 'R.Tensor((1, 8, 16, 16), dtype="float16")' in mod.script()
    for ours, theirs in zip(computed(mod, image), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-2, atol=1e-3)


def test_shapes_within_halves_of_an_open_batch_are_known(tmp_path):
    """As PyTorch's newer exporter writes them; ONNX Runtime's rewriting, which finds them elsewhere, is left out."""
    of = helper.make_node
    nodes = [
        of("Shape", ["x"], ["many"], start=0, end=1),
        of("Constant", [], ["two"], value=numpy_helper.from_array(np.array([2]))),
        of("Concat", ["many", "two", "two"], ["shape"], axis=0),
        of("Equal", ["shape", "two"], ["same"]),
        of("Cast", ["same"], ["other"], to=TensorProto.INT64),
        of("Add", ["shape", "other"], ["more"]),
        of("Sub", ["more", "other"], ["size"]),
        of("Expand", ["row", "size"], ["spread"]),
        of("Reshape", ["x", "size"], ["square"]),
        of("Mul", ["square", "spread"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["batch", 4])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT16, ["batch", 2, 2])
    row = numpy_helper.from_array(np.array([2, 3], "e"), "row")
    graph = helper.make_graph(nodes, "g", [given], [made], [row])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    mod, x = load_model(str(path), {"x": (3, 4)}).mod, np.arange(12, dtype="e").reshape(3, 4)
    np.testing.assert_array_equal(computed(mod, x)[0], x.reshape(3, 2, 2) * np.array([2, 3], "e"))


def test_constants_said_as_numbers_are_tensors(tmp_path):
    """As PyTorch's newer exporter writes them; ONNX Runtime's rewriting, which makes tensors of them, is left out."""
    of = helper.make_node
    nodes = [
        of("Constant", [], ["scales"], value_floats=[1.0, 1.5]),
        of("Resize", ["x", "", "scales"], ["wide"], mode="nearest"),
        of("Constant", [], ["row"], value_int=1),
        of("Gather", ["wide", "row"], ["taken"]),
        of("Constant", [], ["shape"], value_ints=[2, -1]),
        of("Reshape", ["taken", "shape"], ["square"]),
        of("Constant", [], ["half"], value_float=0.5),
        of("CastLike", ["half", "x"], ["factor"]),
        of("Mul", ["square", "factor"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT16, [3, 4])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT16, [2, 3])
    path, graph = tmp_path / "model.onnx", helper.make_graph(nodes, "g", [given], [made])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    x = np.arange(12, dtype="e").reshape(3, 4)
    (expected,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    np.testing.assert_array_equal(computed(load_model(str(path)).mod, x)[0], expected)
