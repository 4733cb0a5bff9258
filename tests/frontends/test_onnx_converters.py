"""Operators of ONNX files that become operators of the graph, where TVM's importer would make kernels of them."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from machines import machine_of
from pruner_engine.frontends.onnx.importer import to_relax
from pruner_engine.tasks.prepare import prepare
from schedules import CPU

X = np.random.default_rng(0).standard_normal((1, 4, 5, 6)).astype("f") * 4
CASES = {
    "clip, of attributes": (6, "Clip", [], {"min": -1.0, "max": 2.0}),
    "clip, of one attribute": (6, "Clip", [], {"max": 2.0}),
    "clip": (13, "Clip", [np.float32(-1), np.float32(6)], {}),
    "clip, no number": (13, "Clip", [np.float32("nan"), np.float32(6)], {}),
    "clip, below alone": (13, "Clip", [np.float32(0.5)], {}),
    "sums from the end": (14, "CumSum", [np.array(2)], {"reverse": 1}),
    "sums from the end, without the number itself": (14, "CumSum", [np.array([-1])], {"reverse": 1, "exclusive": 1}),
    "larger": (13, "Max", [np.linspace(-2, 2, 6, dtype="f")], {}),
    "smallest of three": (13, "Min", [np.float32(1), np.linspace(-2, 2, 20, dtype="f").reshape(4, 5, 1)], {}),
    "pad, of attributes": (2, "Pad", [], {"pads": [0, 0, 1, 2, 0, 0, 0, 3], "value": 1.5}),
    "pad": (13, "Pad", [np.array([0, 0, 1, 2, 0, 0, 0, 3])], {}),
    "pad, value": (13, "Pad", [np.array([0, 1, 1, 2, 0, 0, 0, 3]), np.float32(-2)], {}),
    "pad, axes": (18, "Pad", [np.array([1, 2, 0, 3]), np.float32(0.5), np.array([-1, 1])], {}),
    "pad, edge": (13, "Pad", [np.array([0, 0, 1, 2, 0, 0, 0, 3])], {"mode": "edge"}),
    "pad, cuts": (13, "Pad", [np.array([0, 0, -1, 2, 0, 0, 0, -3])], {}),
}
FILTERS = np.random.default_rng(1).standard_normal((8, 4, 3, 2)).astype("f")
CASES |= {
    f"convolution, {where}, {steps}": (
        13,
        "Conv",
        [FILTERS, FILTERS[:, 0, 0, 0]],
        {"auto_pad": where, "strides": [steps, 1]},
    )
    for where in ("SAME_UPPER", "SAME_LOWER")
    for steps in (1, 2)
}
KERNELS = {"pad, edge", "pad, cuts"}


def model_of(opset: int, operator: str, constants: list[np.ndarray], attributes: dict) -> onnx.ModelProto:
    names = [f"c{i}" for i in range(len(constants))]
    weights = [numpy_helper.from_array(np.asarray(c), name) for name, c in zip(names, constants, strict=True)]
    node = helper.make_node(operator, ["x", *names], ["y"], **attributes)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * 4)
    made = helper.make_graph([node], "graph", [x], [y], weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@pytest.mark.parametrize("name", CASES)
def test_what_they_compute_and_that_they_are_operators(name):
    model = model_of(*CASES[name])
    mod = to_relax(model, name, {"x": X.shape})
    assert ("call_tir" in mod["main"].script()) == (name in KERNELS)
    (want,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": X})
    out = machine_of(mod)["main"](tvm.runtime.tensor(X))
    np.testing.assert_allclose((out if hasattr(out, "numpy") else out[0]).numpy(), want, 1e-5, 1e-5)


def test_a_pad_whose_number_was_quantised():
    """As ONNX Runtime's quantiser writes it: the number, too, is a byte with a scale."""
    model = model_of(*CASES["pad, value"])
    graph = model.graph
    (graph.node[0].input[2], *parts) = ("value", "byte", "scale", "zero")
    for name, part in zip(parts, (np.uint8(3), np.float32(0.25), np.uint8(10)), strict=True):
        graph.initializer.append(numpy_helper.from_array(np.asarray(part), name))
    graph.node.insert(0, helper.make_node("DequantizeLinear", parts, ["value"]))
    mod = to_relax(model, "quantised", {"x": X.shape})
    (want,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": X})
    np.testing.assert_allclose(machine_of(mod)["main"](tvm.runtime.tensor(X)).numpy(), want, 1e-5, 1e-5)
    assert np.any(want == np.float32(-1.75))


NUMBERS = np.array([np.nan, -5, np.nan, 9], "f")


@pytest.mark.parametrize(
    ("operator", "constants"),
    [("Clip", [np.float32(-1), np.float32(6)]), ("Max", [np.float32(2)]), ("Min", [np.ones(4, "f"), np.float32(0)])],
)
def test_what_is_no_number_stays(operator, constants):
    model = model_of(13, operator, constants, {})
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, NUMBERS.shape))
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, NUMBERS.shape))
    (want,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": NUMBERS})
    mod = to_relax(model, operator, {"x": NUMBERS.shape})
    for made in (mod, prepare(mod, CPU)):
        np.testing.assert_array_equal(machine_of(made)["main"](tvm.runtime.tensor(NUMBERS)).numpy(), want)
