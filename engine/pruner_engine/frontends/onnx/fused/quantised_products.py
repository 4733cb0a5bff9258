"""Products of ONNX Runtime's optimisers (com.microsoft) whose result is real, and its layers of quantised weights.

A product is what the optimisers made it from: one of whole numbers, times the scales. Attention and recurrent layers
become those of real numbers; of the latter the runtime quantises each step's input, too, which is left out here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, replaced
from pruner_engine.frontends.onnx.graph.quantisation import as_real
from pruner_engine.frontends.onnx.graph.values import refused

_RUNTIME = "com.microsoft"
_WEIGHTS = 8  # inputs of a recurrent layer, behind which are scales and zeros of its weights


def dynamic_product(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    """Of a real tensor, quantised by its own range, and of a quantised one."""
    x, weight, scale, zero, bias = given[:5]
    numbers, own_scale, own_zero = nodes.several("DynamicQuantizeLinear", 3, x)
    return product_to_float(nodes, [numbers, weight, own_scale, scale, own_zero, zero, bias], attributes, ranks)


def product_to_float(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    """Of two quantised tensors."""
    a, b, a_scale, b_scale, a_zero, b_zero, bias = given[:7]
    whole = nodes.cast(nodes("MatMulInteger", a, b, a_zero, b_zero), np.float32)
    return nodes.sum(nodes("Mul", whole, nodes("Mul", a_scale, b_scale)), bias)


def attention(nodes: Nodes, given: list[str], attributes: dict[str, Any], ranks: dict[str, int]) -> str:
    """Attention whose input and weights are quantised."""
    x, weight, bias, x_scale, scale, mask, x_zero, zero, past = given[:9]
    terms = [as_real(nodes, x, x_scale, x_zero), as_real(nodes, weight, scale, zero)]
    return nodes("Attention", *terms, bias, mask, past, domain=_RUNTIME, **attributes)


def with_real_layers(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with recurrent layers of real weights in place of those of quantised ones.

    Raises:
        UserError: one has too few inputs.
    """
    return replaced(model, _written_layer)


def _written_layer(nodes: Nodes, node: onnx.NodeProto) -> bool:
    if node.op_type != "DynamicQuantizeLSTM" or node.domain != _RUNTIME:
        return False
    if len(node.input) != _WEIGHTS + 4:
        raise refused(node, "has inputs that do not fit each other")
    form, inputs = attributes_of(node), list(node.input[:_WEIGHTS])
    sides = 2 if form.get("direction") == b"bidirectional" else 1
    for place in (1, 2):  # weights of inputs and of states, a column for each number that they make
        scale, zero = (nodes.reshape(name, sides, 1, -1) for name in node.input[_WEIGHTS + 2 * place - 2 :][:2])
        inputs[place] = nodes.transpose(as_real(nodes, inputs[place], scale, zero), 0, 2, 1)
    made = nodes.several("LSTM", len(node.output), *inputs, **form)
    for value, name in zip(made, node.output, strict=True):
        nodes.named(value, name)
    return True
