"""Nodes that all kinds of attention are written with. Shapes: [batch, heads, length, width]."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes
from pruner_engine.frontends.onnx.graph.values import Values, refused


def by_heads(nodes: Nodes, x: str, heads: int) -> str:
    """[batch, length, heads * width] as [batch, heads, length, width]."""
    return nodes.transpose(nodes.reshape(x, 0, 0, heads, -1), 0, 2, 1, 3)


def scores(nodes: Nodes, query: str, key: str, scale: float, kind: np.dtype[Any]) -> str:
    """Scaled products of queries and keys, [batch, heads, queries, keys]."""
    scaled = nodes("Mul", query, nodes.constant(scale, kind))
    return nodes("MatMul", scaled, nodes.transpose(key, 0, 1, 3, 2))


def name_keys_and_values(nodes: Nodes, node: onnx.NodeProto, values: Values, key: str, value: str) -> None:
    """Give the keys and values of all places so far the names of the node's second and third output.

    Raises:
        UserError: a further output, the scores, is read.
    """
    if any(map(values.is_read, node.output[3:])):
        raise refused(node, "has its scores as an output")
    for made, name in zip((key, value), node.output[1:3], strict=False):
        nodes.named(made, name)
