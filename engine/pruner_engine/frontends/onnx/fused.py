"""What ONNX Runtime's optimisers fuse (com.microsoft), in ONNX's own operators where TVM's importer lacks it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.values import Values, Writer, refused

_PARAMETERS = {"LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta")}


def _product(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """With the first axis behind those between, the last two exchanged, and a factor."""
    form, terms = attributes_of(node), []
    for number, (side, operand) in enumerate(zip("AB", node.input, strict=True)):
        behind, turned = form.get(f"transBatch{side}"), form.get(f"trans{side}")
        rank = len(values.shape_for(node, number)) if behind or turned else 0
        order = [*range(1, rank - 1), 0, rank - 1] if behind else [*range(rank)]
        order[-2:] = order[:-3:-1] if turned else order[-2:]
        terms.append(nodes.transpose(operand, *order) if rank > 1 else operand)
    made = nodes("MatMul", *terms)
    alpha = form.get("alpha", 1.0)
    scaled = made if alpha == 1 else nodes("Mul", made, nodes.constant(alpha, values.dtype(node.input[0])))
    nodes.named(scaled, node.output[0])
    return True


def _gemm(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    form = attributes_of(node)
    kept = {name: form[name] for name in ("alpha", "beta", "transA", "transB") if name in form}
    parameters = [form[name] for name in ("activation_alpha", "activation_beta") if name in form]
    made = nodes("Gemm", *node.input, **kept)
    nodes.named(_activated(nodes, node, made, form["activation"], parameters, values), node.output[0])
    return True


def _convolution(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    form = attributes_of(node)
    activation, parameters = form.pop("activation", b""), form.pop("activation_params", [])
    x, weight, bias, other = [*node.input, "", ""][:4]
    made = nodes.sum(nodes("Conv", *filter(None, (x, weight, bias)), **form), other)
    nodes.named(_activated(nodes, node, made, activation, parameters, values), node.output[0])
    return True


def _activated(
    nodes: Nodes, node: onnx.NodeProto, x: str, activation: bytes, parameters: list[float], values: Values
) -> str:
    name = activation.decode()
    if name in ("", "Relu", "Sigmoid", "Tanh"):
        return nodes(name, x) if name else x
    if name == "Clip" and nodes.opset >= _BOUNDS_AS_INPUTS:
        return nodes("Clip", x, *(nodes.constant(bound, values.dtype(node.input[0])) for bound in parameters))
    if name not in _PARAMETERS:
        raise refused(node, f"ends in {name}")
    return nodes(name, x, **dict(zip(_PARAMETERS[name], parameters, strict=False)))


def _gated(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """QuickGelu: x times the sigmoid of so much of it."""
    x = node.input[0]
    alpha = nodes.constant(attributes_of(node).get("alpha", 1.702), values.dtype(x))
    nodes.named(nodes("Mul", x, nodes("Sigmoid", nodes("Mul", x, alpha))), node.output[0])
    return True


def _skip_root_mean_square(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Of a sum, by the root of the mean of its squares."""
    x, skip, scale, bias = [*node.input, ""][:4]
    total = nodes.sum(x, skip, bias)
    nodes.named(_scaled(nodes, total, scale, attributes_of(node), values.dtype(scale)), node.output[0])
    return _named_sum(nodes, node, values, total)


def _scaled(nodes: Nodes, x: str, scale: str, form: dict[str, Any], dtype: np.dtype) -> str:
    square = nodes("Mul", x, x)
    axis = {"axes": [-1]} if nodes.opset < _AXES_AS_INPUT else {}
    mean = nodes("ReduceMean", *([square] if axis else [square, nodes.constant([-1])]), **axis)
    root = nodes("Sqrt", nodes("Add", mean, nodes.constant(form.get("epsilon", 1e-5), dtype)))
    return nodes("Mul", nodes("Div", x, root), scale)


def _skip_layer_norm(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    x, skip, scale, shift, bias = [*node.input, "", ""][:5]
    total = nodes.sum(x, skip, bias)
    shift = shift or nodes.constant(np.zeros(values.shape_for(node, 2)), values.dtype(scale))
    epsilon = attributes_of(node).get("epsilon", 1e-12)
    nodes.named(nodes("LayerNormalization", total, scale, shift, axis=-1, epsilon=epsilon), node.output[0])
    return _named_sum(nodes, node, values, total)


def _named_sum(nodes: Nodes, node: onnx.NodeProto, values: Values, total: str) -> bool:
    """The fourth output."""
    if any(map(values.is_read, node.output[1:3])):
        raise refused(node, "has further outputs that are used")
    nodes.named(total, node.output[3] if len(node.output) > 3 else "")
    return True


_BOUNDS_AS_INPUTS = 11  # version of Clip
_AXES_AS_INPUT = 18  # version of ReduceMean
FUSED: dict[str, Writer] = {
    "FusedConv": _convolution,
    "FusedGemm": _gemm,
    "FusedMatMul": _product,
    "QuickGelu": _gated,
    "SkipLayerNormalization": _skip_layer_norm,
    "SkipSimplifiedLayerNormalization": _skip_root_mean_square,
}
