"""What ONNX Runtime's optimisers fuse (com.microsoft), in ONNX's own operators where TVM's importer lacks it."""

from __future__ import annotations

import math

import numpy as np
import onnx

from pruner_engine.frontends.onnx.fused.attention import ATTENTION
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, is_standard
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refuse_outputs, refused

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


def _error_linear(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """A GELU of the runtime: TVM's importer has them, but nothing knows a shape behind them."""
    if is_standard(node.domain):
        return False
    x, kind = nodes.sum(*node.input), values.dtype(node.input[0])
    half, one = (nodes.constant(number, kind) for number in (0.5, 1))
    if node.op_type == "FastGelu":
        cube = nodes("Mul", nodes("Mul", nodes("Mul", x, x), x), nodes.constant(0.044715, kind))
        inner = nodes("Mul", nodes("Add", x, cube), nodes.constant((2 / math.pi) ** 0.5, kind))
    else:
        inner = nodes("Mul", x, nodes.constant(0.5**0.5, kind))
    part = nodes("Add", nodes("Tanh" if node.op_type == "FastGelu" else "Erf", inner), one)
    nodes.named(nodes("Mul", nodes("Mul", x, half), part), node.output[0])
    return True


def _root_mean_square(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    x, scale = node.input
    epsilon = attributes_of(node).get("epsilon", 1e-5)
    nodes.named(_by_root_mean_square(nodes, x, scale, epsilon, values), node.output[0])
    return _named_sum(nodes, node, values, "")


def _skip_root_mean_square(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    x, skip, scale, bias = [*node.input, ""][:4]
    total, epsilon = nodes.sum(x, skip, bias), attributes_of(node).get("epsilon", _LITTLE)
    nodes.named(_by_root_mean_square(nodes, total, scale, epsilon, values), node.output[0])
    return _named_sum(nodes, node, values, total)


def _by_root_mean_square(nodes: Nodes, x: str, scale: str, epsilon: float, values: Values) -> str:
    """`x` by the root of the mean of its squares over the axes that `scale` has; those of halves leave their range."""
    dtype = values.dtype(scale)
    wide = np.float64 if dtype == np.float64 else np.float32
    inner = [*range(-len(values.shape(scale) or [0]), 0)]
    number = x if dtype == wide else nodes.cast(x, np.float32)
    square = nodes("Mul", number, number)
    mean = nodes.reduced("ReduceMean", square, inner)
    root = nodes("Sqrt", nodes("Add", mean, nodes.constant(epsilon, wide)))
    ratio = nodes("Div", number, root)
    return nodes("Mul", ratio if dtype == wide else nodes.cast(ratio, dtype), scale)


def _skip_layer_norm(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    x, skip, scale, shift, bias = [*node.input, "", ""][:5]
    total = nodes.sum(x, skip, bias)
    shift = shift or nodes.constant(np.zeros(values.shape_for(node, 2)), values.dtype(scale))
    epsilon = attributes_of(node).get("epsilon", _LITTLE)
    nodes.named(nodes("LayerNormalization", total, scale, shift, axis=-1, epsilon=epsilon), node.output[0])
    return _named_sum(nodes, node, values, total)


def _embedded(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """The norm of the sum of a word's, its place's and its segment's vectors; the words of each row that a mask has."""
    words, segments, word_table, place_table, segment_table, scale, shift, mask, places = [*node.input, "", ""][:9]
    batch, length = values.shape_for(node)
    places = places or nodes.constant(np.arange(length))
    lookups = [(word_table, words), (place_table, places), *([(segment_table, segments)] if segments else [])]
    total = nodes.sum(*(nodes("Gather", table, which, axis=0) for table, which in lookups))
    epsilon = attributes_of(node).get("epsilon", _LITTLE)
    nodes.named(nodes("LayerNormalization", total, scale, shift, axis=-1, epsilon=epsilon), node.output[0])
    many, summed = [*node.output, "", ""][1:3]
    if values.is_read(many):
        nodes.named(_words(nodes, mask) if mask else nodes.constant(np.zeros(batch), np.int32), many)
    nodes.named(total, summed)
    return True


def _words(nodes: Nodes, mask: str) -> str:
    return nodes.reduced("ReduceSum", mask, [1], keep=False)


def _named_sum(nodes: Nodes, node: onnx.NodeProto, values: Values, total: str) -> bool:
    """The fourth output."""
    refuse_outputs(node, values, node.output[1:3])
    nodes.named(total, node.output[3] if len(node.output) > 3 else "")
    return True


_BOUNDS_AS_INPUTS = 11  # version of Clip
_LITTLE = 1e-12  # epsilon of the runtime's norms of sums, where they name none; others have that of ONNX
FUSED: dict[str, Writer] = {
    **ATTENTION,
    **dict.fromkeys(("BiasGelu", "FastGelu", "Gelu"), _error_linear),
    "EmbedLayerNormalization": _embedded,
    "FusedConv": _convolution,
    "FusedGemm": _gemm,
    "FusedMatMul": _product,
    "QuickGelu": _gated,
    "SimplifiedLayerNormalization": _root_mean_square,
    "SkipLayerNormalization": _skip_layer_norm,
    "SkipSimplifiedLayerNormalization": _skip_root_mean_square,
}
