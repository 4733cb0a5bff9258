"""Operators of ONNX on quantised numbers that TVM's importer lacks, as the real ones between conversions.

What a quantised tensor holds is (number - zero) * scale; a result is rounded to its own scale by QuantizeLinear.
ONNX's own operators are exact in this form up to a step of that scale, and so are ONNX Runtime's (com.microsoft), with
which its quantiser writes whole networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto

from pruner_engine.frontends.onnx.fused.quantised_products import attention, dynamic_product, product_to_float
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, is_standard, nodes_within, replaced
from pruner_engine.frontends.onnx.graph.quantisation import as_real, shifted
from pruner_engine.frontends.onnx.graph.values import evaluated, refusing_unfit
from pruner_engine.frontends.onnx.operators.few_bits import OF_FEW_BITS

_RUNTIME = "com.microsoft"
_WHOLE_BYTES = (
    *(TensorProto.INT8, TensorProto.UINT8, TensorProto.INT16, TensorProto.UINT16),
    *(TensorProto.INT32, TensorProto.UINT32),
)


def dequantised(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with real operators in place of the quantised ones that are known here; others stay.

    Raises:
        UserError: one has too few inputs.
    """
    weights = {w.name: w for w in model.graph.initializer}
    ranks = {name: len(weight.dims) for name, weight in weights.items()}

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        with refusing_unfit(node):
            made = _written(nodes, node, weights, ranks)
        if made:
            nodes.named(made, node.output[0])
        return bool(made)

    made = replaced(model, write)
    return made if made is model else _without_idle_weights(made)


def _without_idle_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Weights of few bits are of types that TVM cannot hold, even where nothing reads them any more."""
    nodes = [*nodes_within(model.graph)]
    read = {name for node in nodes for name in node.input} | {output.name for output in model.graph.output}
    weights = model.graph.initializer
    for place in reversed(range(len(weights))):  # the others are not copied, as they may be large
        if weights[place].name not in read:
            del weights[place]
    return model


def _written(nodes: Nodes, node: onnx.NodeProto, weights: Mapping[str, onnx.TensorProto], ranks: dict[str, int]) -> str:
    """The result of a node's real form; "" where it stays as it is."""
    if (known := _known_numbers(node, weights, nodes.opset)) is not None:
        return nodes.constant(known, known.dtype)
    if node.domain == _RUNTIME and node.op_type in OF_FEW_BITS:
        return OF_FEW_BITS[node.op_type](nodes, node, weights)
    writer = _writer(node)
    return writer(nodes, [*node.input, *[""] * 3], attributes_of(node), ranks) if writer else ""


_Writer = Callable[[Nodes, list[str], dict[str, Any], dict[str, int]], str]


def _writer(node: onnx.NodeProto) -> _Writer | None:
    if any(a.name == "channels_last" and a.i for a in node.attribute) or any(node.output[1:]):
        return None
    if is_standard(node.domain):
        return _STANDARD.get(node.op_type)
    return _OF_RUNTIME.get(node.op_type) if node.domain == _RUNTIME else None


def _known_numbers(
    node: onnx.NodeProto, weights: Mapping[str, onnx.TensorProto], opset: int
) -> np.ndarray[Any, Any] | None:
    """Weights in blocks with a scale each, or of fewer than 8 bits, as the real numbers that they stand for.

    None for others, of which the importer has the operators.
    """
    if not all(name in weights for name in node.input if name):
        return None
    if node.op_type != "DequantizeLinear" or not is_standard(node.domain):
        return None
    held = [weights[name] for name in node.input if name]
    if not attributes_of(node).get("block_size") and held[0].data_type in _WHOLE_BYTES:
        return None
    return evaluated(node, held, opset)


def _convolution(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    x, x_scale, x_zero, w, w_scale, w_zero, scale, zero, bias = given[:9]
    terms = [as_real(nodes, x, x_scale, x_zero), as_real(nodes, w, w_scale, w_zero, _window(w, attributes, ranks) + 1)]
    if bias:
        terms.append(as_real(nodes, bias, nodes("Mul", x_scale, w_scale), ""))
    return nodes("QuantizeLinear", nodes("Conv", *terms, **attributes), scale, zero)


def _whole_convolution(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    x, w, x_zero, w_zero = given[:4]
    inner = _window(w, attributes, ranks) + 1
    whole = [shifted(nodes, x, x_zero, np.int32), shifted(nodes, w, w_zero, np.int32, inner)]
    return nodes("Conv", *whole, **attributes)


def _window(weight: str, attributes: dict[str, Any], ranks: dict[str, int]) -> int:
    """Axes of a convolution's window."""
    return len(attributes["kernel_shape"]) if "kernel_shape" in attributes else ranks.get(weight, 4) - 2


def _gemm(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    a, a_scale, a_zero, b, b_scale, b_zero, bias, scale, zero = given[:9]
    inner = 1 if attributes.get("transB") else 0
    terms = [as_real(nodes, a, a_scale, a_zero), as_real(nodes, b, b_scale, b_zero, inner)]
    if bias:
        # in steps of a product, which alpha scales too
        terms.append(as_real(nodes, bias, nodes("Mul", a_scale, b_scale), ""))
        attributes = {**attributes, "beta": attributes.get("alpha", 1.0)}
    real = nodes("Gemm", *terms, **attributes)
    return nodes("QuantizeLinear", real, scale, zero) if scale else real


def _concat(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    scale, zero, *tensors = given[:-3]
    parts = [as_real(nodes, *one) for one in zip(tensors[::3], tensors[1::3], tensors[2::3], strict=True)]
    return nodes("QuantizeLinear", nodes("Concat", *parts, **attributes), scale, zero)


def _as(operator: str, tensors: int, **defaults: Any) -> _Writer:
    """An operator on some tensors, each with its scale and zero, behind which are those of the result.

    Args:
        defaults: attributes that the real operator takes to be others where they are not said.
    """

    def write(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
        kept = defaults | {k: v for k, v in attributes.items() if k not in ("channels_last", "opset")}
        behind = 3 * tensors
        terms = [as_real(nodes, *one) for one in zip(*(given[i:behind:3] for i in range(3)), strict=True)]
        return nodes("QuantizeLinear", nodes(operator, *terms, **kept), *given[behind : behind + 2])

    return write


_STANDARD: dict[str, _Writer] = {
    "QLinearConv": _convolution,
    "QLinearMatMul": _as("MatMul", 2),
    "ConvInteger": _whole_convolution,
}
_OF_RUNTIME: dict[str, _Writer] = {
    "DynamicQuantizeMatMul": dynamic_product,
    "MatMulIntegerToFloat": product_to_float,
    "QAttention": attention,
    "QGemm": _gemm,
    "QLinearAdd": _as("Add", 2),
    "QLinearMul": _as("Mul", 2),
    "QLinearSigmoid": _as("Sigmoid", 1),
    "QLinearLeakyRelu": _as("LeakyRelu", 1),
    "QLinearSoftmax": _as("Softmax", 1, axis=-1),
    "QLinearAveragePool": _as("AveragePool", 1),
    "QLinearGlobalAveragePool": _as("GlobalAveragePool", 1),
    "QLinearConcat": _concat,
}
