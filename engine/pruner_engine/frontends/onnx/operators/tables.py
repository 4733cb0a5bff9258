"""Operators on rows of tables (ai.onnx.ml), as scikit-learn's converters write them around and instead of layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused

_DOMAIN = "ai.onnx.ml"


def _scaled(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Scaler: what each column is above its offset, times its scale."""
    form = attributes_of(node)
    x = nodes("Sub", _real(nodes, node.input[0]), _row(nodes, form.get("offset", [0.0])))
    nodes.named(nodes("Mul", x, _row(nodes, form.get("scale", [1.0]))), node.output[0])
    return True


def _normalised(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Normalizer: each row by its largest number, or by one of its lengths; rows of 0 stay."""
    x, norm = _real(nodes, node.input[0]), attributes_of(node).get("norm", b"MAX").decode()
    length = nodes.reduced({"L1": "ReduceL1", "L2": "ReduceL2", "MAX": "ReduceMax"}[norm], x, [-1])
    zero, one = (nodes.constant(number, np.float32) for number in (0, 1))
    length = nodes("Where", nodes("Equal", length, zero), one, length)
    nodes.named(nodes("Div", x, length), node.output[0])
    return True


def _above(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Binarizer: 1 for what is above the threshold."""
    x = node.input[0]
    threshold = nodes.constant(attributes_of(node).get("threshold", 0.0), values.dtype(x))
    one, zero = (nodes.constant(number, values.dtype(x)) for number in (1, 0))
    nodes.named(nodes("Where", nodes("Greater", x, threshold), one, zero), node.output[0])
    return True


def _filled(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Imputer: a column's own number where one is missing."""
    x, form = node.input[0], attributes_of(node)
    dtype = values.dtype(x)
    kind, default = ("float", math.nan) if dtype.kind == "f" else ("int64", 0)
    missing = form.get(f"replaced_value_{kind}", default)
    absent = nodes("IsNaN", x) if math.isnan(missing) else nodes("Equal", x, nodes.constant(missing, dtype))
    fill = nodes.constant([form[f"imputed_value_{kind}s"]], dtype)
    nodes.named(nodes("Where", absent, fill, x), node.output[0])
    return True


def _columns(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """ArrayFeatureExtractor: the numbers at these places of the last axis; of a vector they are a row."""
    x, places = node.input
    rank = len(values.shape_for(node))
    made = nodes("Gather", x, nodes.reshape(places, -1), axis=rank - 1)
    nodes.named(made if rank > 1 else nodes.reshape(made, 1, -1), node.output[0])
    return True


def _regression(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """LinearRegressor."""
    form = attributes_of(node)
    made = _sums(nodes, node, form.get("targets", 1), values)
    if form.get("post_transform", b"NONE") != b"NONE":
        raise refused(node, f"ends in {form['post_transform'].decode()}")
    nodes.named(made, node.output[0])
    return True


def _classification(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """LinearClassifier: the class with the highest score, and the scores."""
    form = attributes_of(node)
    classes, ending = form.get("classlabels_ints", []), form.get("post_transform", b"NONE").decode()
    if not classes:
        raise refused(node, "names classes by text")
    if len(classes) * values.shape_for(node)[-1] != len(form["coefficients"]) or ending not in _ENDINGS:
        raise refused(node, f"has {len(form['coefficients'])} coefficients and ends in {ending}")
    scores = _sums(nodes, node, len(classes), values)
    best = nodes("ArgMax", scores, axis=1, keepdims=0)
    nodes.named(nodes("Gather", nodes.constant(classes), best, axis=0), node.output[0])
    nodes.named(_ENDINGS[ending](nodes, scores), node.output[1] if len(node.output) > 1 else "")
    return True


def _sums(nodes: Nodes, node: onnx.NodeProto, many: int, values: Values) -> str:
    """So many sums of each row."""
    form = attributes_of(node)
    shape = values.shape_for(node)
    weights = np.reshape(form["coefficients"], (many, shape[-1])).T
    x = nodes("MatMul", nodes.reshape(_real(nodes, node.input[0]), -1, shape[-1]), nodes.constant(weights, np.float32))
    return nodes("Add", x, _row(nodes, form["intercepts"])) if form.get("intercepts") else x


def _real(nodes: Nodes, x: str) -> str:
    """As float32, which these operators compute in."""
    return nodes.cast(x, np.float32)


def _row(nodes: Nodes, numbers: Sequence[float]) -> str:
    return nodes.constant([numbers], np.float32)


def known_of_tables(node: onnx.NodeProto) -> bool:
    """Whether a node is one of these."""
    return node.domain == _DOMAIN and node.op_type in TABLES


_ENDINGS: dict[str, Callable[[Nodes, str], str]] = {
    "LOGISTIC": lambda nodes, scores: nodes("Sigmoid", scores),
    "NONE": lambda nodes, scores: scores,
    "SOFTMAX": lambda nodes, scores: nodes("Softmax", scores, axis=1),
}
TABLES: dict[str, Writer] = {
    "ArrayFeatureExtractor": _columns,
    "Binarizer": _above,
    "Imputer": _filled,
    "LinearClassifier": _classification,
    "LinearRegressor": _regression,
    "Normalizer": _normalised,
    "Scaler": _scaled,
}
