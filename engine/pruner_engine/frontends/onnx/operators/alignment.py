"""Operands of different ranks in ONNX files before version 7, where an attribute says which axes go together.

Since then, and to TVM, the last ones do.
"""

from __future__ import annotations

import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer

WITHOUT_ALIGNMENT = 7  # version of all operators


def _aligned(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """With as many axes of one element behind those of the second operand as the first has more there."""
    attributes = attributes_of(node)
    axis = attributes.get("axis") if attributes.get("broadcast") else None
    if node.op_type == "PRelu":  # slopes are of channels
        axis = 1
    if axis is None:
        return False
    rank, own = (len(values.shape_for(node, number)) for number in (0, 1))
    behind = rank - axis % rank - own
    if own == 0 or behind <= 0:
        return False
    second = nodes("Unsqueeze", node.input[1], axes=[own + more for more in range(behind)])
    nodes.named(nodes(node.op_type, node.input[0], second), node.output[0])
    return True


ALIGNMENT: dict[str, Writer] = dict.fromkeys(
    ("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", "PRelu"), _aligned
)
