"""Quantised ONNX models agree with ONNX Runtime, or are refused with a sentence."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

STEP = 0.5  # of the quantised output
SCALES = {"xs": 0.02, "ws": 0.01, "ys": STEP}
ZEROS = {"xz": np.uint8(128), "wz": np.int8(0), "yz": np.uint8(120)}
QUANTISE = ("QuantizeLinear", ["x", "xs", "xz"], ["xq"])
PRODUCTS = {
    "between float numbers": [
        ("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        ("DequantizeLinear", ["w", "ws", "wz"], ["wd"]),
        ("MatMul", ["xd", "wd"], ["y"]),
        ("QuantizeLinear", ["y", "ys", "yz"], ["yq"]),
        ("DequantizeLinear", ["yq", "ys", "yz"], ["out"]),
    ],
    "of whole numbers": [("MatMulInteger", ["xq", "w", "xz", "wz"], ["out"])],
    "of quantised numbers": [
        ("QLinearMatMul", ["xq", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["yq"]),
        ("DequantizeLinear", ["yq", "ys", "yz"], ["out"]),
    ],
}


def written(kind, folder):
    weight = np.random.default_rng(1).integers(-100, 100, (32, 48)).astype("int8")
    constants = {"w": weight, **{n: np.float32(v) for n, v in SCALES.items()}, **ZEROS}
    nodes = [helper.make_node(*node) for node in [QUANTISE, *PRODUCTS[kind]]]
    used = {name for node in nodes for name in node.input}
    kept = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items() if n in used]
    out = TensorProto.INT32 if kind == "of whole numbers" else TensorProto.FLOAT
    tensors = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [16, 32]),
        helper.make_tensor_value_info("out", out, [16, 48]),
    ]
    graph = helper.make_graph(nodes, "product", tensors[:1], tensors[1:], kept)
    file = folder / "product.onnx"
    file.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    )
    return file


@pytest.mark.parametrize(("kind", "error"), [("between float numbers", STEP), ("of whole numbers", 0)])
def test_quantised_products_agree_to_a_step(kind, error, tmp_path):
    file, target = written(kind, tmp_path), resolve_target("auto")
    x = np.random.default_rng(2).standard_normal((16, 32)).astype("float32")
    (want,) = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    machine = relax.VirtualMachine(tvm.compile(prepare(load_model(str(file)).mod, target), target=target), tvm.cpu())
    got = machine["main"](tvm.runtime.tensor(x)).numpy()
    assert np.abs(got.astype("float64") - want).max() <= error
    assert np.ptp(want) > 10 * STEP


def test_what_cannot_be_imported_is_told(tmp_path):
    with pytest.raises(UserError, match="QLinearMatMul"):
        load_model(str(written("of quantised numbers", tmp_path)))
