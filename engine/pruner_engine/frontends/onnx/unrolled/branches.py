"""Branches of ONNX files (If) whose condition is known before the model runs: the chosen one takes the If's place.

Conditions ask for sizes, and for inputs that are given a value (fixed.py), such as whether a decoder has a cache.
"""

from __future__ import annotations

import math

import onnx

from pruner_engine.frontends.onnx.graph.following import FollowedValues
from pruner_engine.frontends.onnx.graph.nodes import Nodes, opset_of, replaced
from pruner_engine.frontends.onnx.unrolled.inner import InnerGraphs, is_choice


def chosen(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without each If whose condition is known; of the branches inside those that are chosen, too."""
    if not any(map(is_choice, model.graph.node)):
        return model
    opset = opset_of(model)
    values = FollowedValues(onnx.shape_inference.infer_shapes(model, data_prop=True).graph)

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        condition = values.constant(node.input[0]) if is_choice(node) else None
        if condition is None:
            values.follow([node], [], opset)
            return False
        InnerGraphs(nodes, values).write_branch(node, node, bool(condition.item()), {})
        return True

    return replaced(model, write)


def choosers(model: onnx.ModelProto) -> list[str]:
    """Names of the inputs by whose values the model chooses branches, where those are few numbers."""
    made = {output: node for node in model.graph.node for output in node.output}
    waiting = [node.input[0] for node in model.graph.node if is_choice(node)]
    seen = set(waiting)
    while waiting:
        node = made.get(waiting.pop())
        if node is None or node.op_type in ("Shape", "Size"):  # whose values are not asked for
            continue
        found = set(node.input) - seen
        seen |= found
        waiting += found
    return [value.name for value in model.graph.input if value.name in seen and _is_small(value)]


def _is_small(value: onnx.ValueInfoProto) -> bool:
    return math.prod(dim.dim_value for dim in value.type.tensor_type.shape.dim) == 1
