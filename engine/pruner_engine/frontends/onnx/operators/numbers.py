"""Arithmetic of ONNX files on types, or with attributes, that TVM's importer lacks or passes over."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused


def _equal(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Whether booleans are the same, which TVM would compare as floats; of a float and itself, whether it is a number,
    as JAX asks, which TVM takes for granted.
    """
    dtype, same = values.dtype(node.input[0]), node.input[0] == node.input[1]
    if same and dtype.kind == "f":
        nodes.named(nodes("Not", nodes("IsNaN", node.input[0])), node.output[0])
        return True
    if _without_any(nodes, node, values):
        return True
    if any(values.dtype(name) != np.bool_ for name in node.input):
        return False
    nodes.named(nodes("Not", nodes("Xor", *node.input)), node.output[0])
    return True


def _without_any(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Whether all of a row are -∞, as attention asks of what masks it: TVM's largest number of such a row is finite."""
    for one, other in (node.input, reversed(node.input)):
        largest, least = values.maker(one, "ReduceMax"), values.constant(other)
        if largest is None or least is None or not np.isneginf(np.asarray(least, "d")).all():
            continue
        x, *axes = largest.input
        masked = nodes("Equal", x, nodes.constant(-np.inf, values.dtype(x)))
        made = nodes("ReduceMin", nodes.cast(masked, np.uint8), *axes, **attributes_of(largest))
        nodes.named(nodes.cast(made, np.bool_), node.output[0])
        return True
    return False


def _extreme(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """The largest or least of booleans, as bytes: TVM knows neither."""
    x, *axes = node.input
    if values.dtype(x) != np.bool_:
        return False
    made = nodes(node.op_type, nodes.cast(x, np.uint8), *axes, **attributes_of(node))
    nodes.named(nodes.cast(made, np.bool_), node.output[0])
    return True


def _infinite(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """IsInf of one sign, which TVM takes for both."""
    attributes = attributes_of(node)
    signs = {"detect_positive": np.inf, "detect_negative": -np.inf}
    asked = [sign for name, sign in signs.items() if attributes.get(name, 1)]
    if len(asked) == 2:
        return False
    one = nodes.constant(asked[0] if asked else np.nan, values.dtype(node.input[0]))  # nothing equals NaN
    nodes.named(nodes("Equal", node.input[0], one), node.output[0])
    return True


def _normalised(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """LpNormalization, which TVM lacks; what has no length stays 0."""
    attributes, x = attributes_of(node), node.input[0]
    length = nodes.reduced(f"ReduceL{attributes.get('p', 2)}", x, [attributes.get("axis", -1)])
    dtype = values.dtype(x)
    least = nodes.constant(np.finfo(dtype).tiny, dtype)
    nodes.named(nodes("Div", x, nodes("Max", length, least)), node.output[0])
    return True


def _standardised(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """MeanVarianceNormalization, which TVM divides by 0 where all numbers are the same."""
    x, axes = node.input[0], attributes_of(node).get("axes", [0, 2, 3])
    apart = nodes("Sub", x, nodes.reduced("ReduceMean", x, axes))
    spread = nodes("Sqrt", nodes.reduced("ReduceMean", nodes("Mul", apart, apart), axes))
    nodes.named(nodes("Div", apart, nodes("Add", spread, nodes.constant(1e-9, values.dtype(x)))), node.output[0])
    return True


def _power(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Powers of whole numbers, and with an exponent of another type: TVM has those of two floats of one type."""
    kinds = [values.known_dtype(name) for name in node.input]
    base, exponent = kinds
    if base is None or exponent is None or (base == exponent and base.kind == "f"):
        return False
    real = base if base.kind == "f" else np.float64
    made = nodes("Pow", *(nodes.cast(name, real) for name in node.input))
    nodes.named(nodes.cast(made, base), node.output[0])
    return True


def _shrunk(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Shrink, of whole numbers as real ones: TVM rounds the bounds and what is taken off to their type."""
    form, dtype = attributes_of(node), values.dtype(node.input[0])
    real = dtype if dtype.kind == "f" else np.dtype(np.float32)
    x = nodes.cast(node.input[0], real)
    bound, bias = form.get("lambd", 0.5), nodes.constant(form.get("bias", 0.0), real)
    below = nodes("Less", x, nodes.constant(-bound, real))
    above = nodes("Greater", x, nodes.constant(bound, real))
    inner = nodes("Where", above, nodes("Sub", x, bias), nodes.constant(0, real))
    made = nodes("Where", below, nodes("Add", x, bias), inner)
    nodes.named(nodes.cast(made, dtype), node.output[0])
    return True


def _sign(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Of numbers that have none, which TVM compares with -1 all the same: 1, or 0 of 0; of NaN, 0 to TVM, itself."""
    x, dtype = node.input[0], values.dtype(node.input[0])
    if dtype.kind == "u":
        made = nodes("Min", x, nodes.constant(1, dtype))
    elif dtype.kind == "f":
        made = nodes("Where", nodes("IsNaN", x), x, nodes("Sign", x))
    else:
        return False
    nodes.named(made, node.output[0])
    return True


def _no_reduction(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Of no axes at all, where each number still gets an absolute value, a square or a logarithm; TVM leaves it."""
    given = [*node.input, ""]
    axes = values.constant(given[1])
    if attributes_of(node).get("noop_with_empty_axes") and (not given[1] or (axes is not None and not axes.size)):
        raise refused(node, "reduces no axis")
    return False


def _no_small_type(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node)["to"] > TensorProto.BFLOAT16:  # floats of 8 bits and numbers of less come after it
        raise refused(node, "is to a float of 8 bits or a number of less")
    return False


NUMBERS: dict[str, Writer] = {
    "Cast": _no_small_type,
    "Equal": _equal,
    "IsInf": _infinite,
    "LpNormalization": _normalised,
    "MeanVarianceNormalization": _standardised,
    "Pow": _power,
    "ReduceL1": _no_reduction,
    "ReduceL2": _no_reduction,
    "ReduceLogSum": _no_reduction,
    "ReduceMax": _extreme,
    "ReduceMin": _extreme,
    "ReduceSumSquare": _no_reduction,
    "Shrink": _shrunk,
    "Sign": _sign,
}
