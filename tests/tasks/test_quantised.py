"""Quantised ONNX models agree with ONNX Runtime, or are refused with a sentence."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static

from exact_runtime import needs_newer_runtime, session_of
from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
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
    # Seven bits: without VNNI, ONNX Runtime sums two products of eight in 16 bits, which saturates
    weight = np.random.default_rng(1).integers(-63, 64, (32, 48)).astype("int8")
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


def ours(file, x):
    target = resolve_target("auto")
    machine = machine_of(prepare(load_model(str(file)).mod, target), target)
    return machine["main"](tvm.runtime.tensor(x)).numpy()


def of_onnx_runtime(file, x):
    (found,) = session_of(str(file)).run(None, {"x": x})
    return found


def assert_agree(file, x, least):
    """To a fiftieth of the range of the results, which is no less than so much."""
    want, got = of_onnx_runtime(file, x), ours(file, x)
    assert np.abs(got - want).max() <= np.ptp(want) / 50
    assert np.ptp(want) > least


@pytest.mark.parametrize(
    ("kind", "error"), [("between float numbers", STEP), ("of whole numbers", 0), ("of quantised numbers", STEP)]
)
def test_quantised_products_agree_to_a_step(kind, error, tmp_path):
    file = written(kind, tmp_path)
    x = np.random.default_rng(2).standard_normal((16, 32)).astype("float32")
    want, got = of_onnx_runtime(file, x), ours(file, x)
    assert np.abs(got.astype("float64") - want).max() <= error
    assert np.ptp(want) > 10 * STEP


class Calibration(CalibrationDataReader):
    def __init__(self):
        self.images = iter([{"x": image} for image in images(4)])

    def get_next(self):
        return next(self.images, None)


def images(number):
    return 2 * np.random.default_rng(3).standard_normal((number, 1, 3, 16, 16)).astype("float32")


@pytest.fixture
def network(tmp_path):
    """One of most operators that ONNX Runtime's quantiser knows."""
    rng = np.random.default_rng(0)
    shapes = {"w": (8, 3, 3, 3), "b": (8,), "v": (8, 8, 3, 3), "u": (8, 16, 1, 1), "k": (10, 8), "c": (10,)}
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["conv"], pads=[1] * 4),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("Conv", ["relu", "v"], ["second"], pads=[1] * 4),
        helper.make_node("Sigmoid", ["second"], ["gate"]),
        helper.make_node("Mul", ["second", "gate"], ["swish"]),
        helper.make_node("LeakyRelu", ["swish"], ["leaky"]),
        helper.make_node("Add", ["leaky", "relu"], ["sum"]),
        helper.make_node("Concat", ["sum", "relu"], ["both"], axis=1),
        helper.make_node("Conv", ["both", "u"], ["mixed"]),
        helper.make_node("AveragePool", ["mixed"], ["half"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("GlobalAveragePool", ["half"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("Gemm", ["flat", "k", "c"], ["y"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 16, 16))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 10))],
        [numpy_helper.from_array(rng.standard_normal(s).astype("float32") / 3, n) for n, s in shapes.items()],
    )
    file = tmp_path / "network.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
    return file


@pytest.mark.parametrize("form", [QuantFormat.QOperator, QuantFormat.QDQ], ids=lambda form: form.name)
@pytest.mark.parametrize("per_channel", [False, True])
def test_networks_of_onnx_runtimes_quantiser_agree(network, form, per_channel, tmp_path):
    file = tmp_path / "quantised.onnx"
    quantize_static(network, file, Calibration(), quant_format=form, per_channel=per_channel)
    kinds = {node.op_type for node in onnx.load(file).graph.node}
    assert (form is QuantFormat.QOperator) == ({"QLinearConv", "QLinearAdd", "QGemm"} <= kinds)
    (image,) = images(1)
    want, got = of_onnx_runtime(file, image), ours(file, image)
    # an output's step is a 256th of its range; one more may be lost on the way
    assert np.abs(got - want).max() <= 2 * np.ptp(want) / 100
    assert np.ptp(want) > 1


@needs_newer_runtime
def test_weights_quantised_while_it_runs_agree(network, tmp_path):
    file = tmp_path / "dynamic.onnx"
    quantize_dynamic(network, file)
    assert "ConvInteger" in {node.op_type for node in onnx.load(file).graph.node}
    (image,) = images(1)
    np.testing.assert_allclose(ours(file, image), of_onnx_runtime(file, image), rtol=1e-4, atol=1e-4)


def test_what_cannot_be_imported_is_told(network, tmp_path):
    file = tmp_path / "quantised.onnx"
    quantize_static(network, file, Calibration(), quant_format=QuantFormat.QOperator)
    model = onnx.load(file)
    for node in model.graph.node:
        if node.op_type == "QLinearGlobalAveragePool":
            (last,) = (a for a in node.attribute if a.name == "channels_last")
            last.i = 1
    onnx.save(model, file)
    with pytest.raises(UserError, match="QLinearGlobalAveragePool"):
        load_model(str(file))


def test_too_few_inputs_are_a_sentence(tmp_path):
    given = helper.make_tensor_value_info("x", TensorProto.UINT8, [4, 4])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 4])
    node = helper.make_node("QGemm", ["x", "xs", "xz"], ["y"], domain="com.microsoft")
    kept = [numpy_helper.from_array(np.float32(1), "xs"), numpy_helper.from_array(np.uint8(0), "xz")]
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "g", [given], [made], kept)
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "few.onnx")
    with pytest.raises(UserError, match="QGemm has inputs or attributes that do not fit"):
        load_model(str(tmp_path / "few.onnx"))


def quantised_gelu(folder, zero):
    """A GELU whose steps are all quantised, as ONNX Runtime's quantiser writes the one of a transformer."""
    nodes, held = [], {}

    def put(operator, *names):
        nodes.append(helper.make_node(operator, names, [f"v{len(nodes)}"]))
        return f"v{len(nodes) - 1}"

    def number(value):
        held[f"c{len(held)}"] = value
        return f"c{len(held) - 1}"

    def rounded(x, scale):
        how = number(np.float32(scale)), number(zero)
        return put("DequantizeLinear", put("QuantizeLinear", x, *how), *how)

    x = rounded("x", 0.04)
    inner = rounded(put("Erf", rounded(put("Div", x, number(np.float32(1.4142135))), 0.03)), 0.02)
    outer = rounded(put("Mul", x, rounded(put("Add", inner, number(np.float32(1))), 0.02)), 0.05)
    put("Mul", outer, number(np.float32(0.5)))
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 64]) for name in ("x", nodes[-1].output[0])]
    weights = [numpy_helper.from_array(np.asarray(value), name) for name, value in held.items()]
    graph = helper.make_graph(nodes, "gelu", tensors[:1], tensors[1:], weights)
    file = folder / "gelu.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), file)
    return file


@pytest.mark.parametrize("zero", [np.uint8(120), np.int8(0)])
def test_between_arithmetic_quantised_numbers_are_no_bytes(zero, tmp_path):
    file = quantised_gelu(tmp_path, zero)
    x = 3 * np.random.default_rng(4).standard_normal((4, 64)).astype("float32")
    want, got = of_onnx_runtime(file, x), ours(file, x)
    near = np.abs(got - want) < 1e-5
    assert near.mean() > 0.98  # a number between two steps may be rounded to either
    assert np.abs(got - want).max() <= 0.05
    prepared = prepare(load_model(str(file)).mod, resolve_target("llvm"))
    assert "uint8" not in prepared.script()
    assert "int8" not in prepared.script()


def attention(folder):
    """Two layers of one shape, and the product of what they make."""
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["q"], "first"),
        helper.make_node("MatMul", ["x", "w1"], ["k"], "second"),
        helper.make_node("Transpose", ["k"], ["turned"], "turn", perm=[1, 0]),
        helper.make_node("MatMul", ["q", "turned"], ["out"], "both"),
    ]
    rng = np.random.default_rng(6)
    weights = [
        numpy_helper.from_array((rng.standard_normal((32, 48)) * size).astype("float32"), f"w{at}")
        for at, size in enumerate((0.1, 0.3))
    ]
    shapes = {"x": [16, 32], "out": [16, 16]}
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "attention", tensors[:1], tensors[1:], weights)
    file = folder / "attention.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
    return file


class Rows(CalibrationDataReader):
    def __init__(self):
        self.left = iter([{"x": np.random.default_rng(7).standard_normal((16, 32)).astype("float32")}])

    def get_next(self):
        return next(self.left, None)


@pytest.mark.parametrize("dynamic", [False, True])
def test_products_of_what_layers_make_agree(dynamic, tmp_path):
    file = tmp_path / "quantised.onnx"
    if dynamic:
        quantize_dynamic(attention(tmp_path), file, extra_options={"MatMulConstBOnly": False})
    else:
        quantize_static(attention(tmp_path), file, Rows())
    x = np.random.default_rng(8).standard_normal((16, 32)).astype("float32")
    assert_agree(file, x, least=1)


def test_products_that_the_runtime_has_optimised_agree(tmp_path):
    file, optimised = tmp_path / "quantised.onnx", tmp_path / "optimised.onnx"
    quantize_dynamic(attention(tmp_path), file, extra_options={"MatMulConstBOnly": False})
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(optimised)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    assert {"MatMulIntegerToFloat"} <= {node.op_type for node in onnx.load(optimised).graph.node}
    x = np.random.default_rng(8).standard_normal((16, 32)).astype("float32")
    assert_agree(optimised, x, least=1)


def layer(folder, node, weights, outputs=("y",)):
    """File of a model of one layer, of sequences of five steps of 16 numbers, with its weights quantised."""
    rng = np.random.default_rng(4)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (5, 2, 16))
    held = [numpy_helper.from_array(rng.standard_normal(s).astype("float32") / 4, n) for n, s in weights.items()]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "layer", [x], [onnx.ValueInfoProto(name=name) for name in outputs], held)
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=8))
    for output in model.graph.output:
        output.type.tensor_type.elem_type = TensorProto.FLOAT
    onnx.save(model, folder / "real.onnx")
    return folder / "real.onnx"


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_recurrent_layers_of_quantised_weights_agree(direction, per_channel, tmp_path):
    sides = 1 + (direction == "bidirectional")
    weights = {"w": (sides, 128, 16), "r": (sides, 128, 32), "b": (sides, 256)}
    node = helper.make_node("LSTM", ["x", *weights], ["y"], hidden_size=32, direction=direction)
    file = tmp_path / "quantised.onnx"
    quantize_dynamic(layer(tmp_path, node, weights), file, per_channel=per_channel)
    assert "DynamicQuantizeLSTM" in {node.op_type for node in onnx.load(file).graph.node}
    x = np.random.default_rng(8).standard_normal((5, 2, 16)).astype("float32")
    assert_agree(file, x, least=1 / 2)


def test_attention_of_quantised_weights_agrees(tmp_path):
    node = helper.make_node("Attention", ["x", "w", "b"], ["y"], domain="com.microsoft", num_heads=4)
    file = tmp_path / "quantised.onnx"
    quantize_dynamic(layer(tmp_path, node, {"w": (16, 48), "b": (48,)}), file)
    assert "QAttention" in {node.op_type for node in onnx.load(file).graph.node}
    x = np.random.default_rng(8).standard_normal((5, 2, 16)).astype("float32")
    np.testing.assert_allclose(ours(file, x), of_onnx_runtime(file, x), 1e-4, 1e-4)


def test_layers_share_a_task_whatever_the_scales_of_their_weights(tmp_path):
    file, target = tmp_path / "quantised.onnx", resolve_target("auto")
    quantize_dynamic(attention(tmp_path), file)
    prepared = prepare(load_model(str(file)).mod, target)
    weights = [task for task in extract_tasks(prepared, target) if "matmul" in task.name and task.weight == 2]
    assert len(weights) == 1
