"""Sequences of ONNX files as the tensors that they hold: which those are is known before the model runs."""

from __future__ import annotations

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused


class Sequences:
    """What the sequences of a model hold, as its nodes are written one after another."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {}

    def writers(self) -> dict[str, Writer]:
        return {
            "ConcatFromSequence": self._join,
            "Identity": self._same,
            "SequenceAt": self._at,
            "SequenceConstruct": self._hold,
            "SequenceEmpty": self._hold,
            "SequenceErase": self._erase,
            "SequenceInsert": self._insert,
            "SequenceLength": self._count,
            "SplitToSequence": self._split,
        }

    def _split(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        x, split = [*node.input, ""][:2]
        form, shape = attributes_of(node), values.shape_for(node)
        axis = form.get("axis", 0) % len(shape)
        known = values.constant(split) if split else np.array(1)
        if known is None:
            raise refused(node, "has parts whose sizes are known only when it runs")
        many, size = shape[axis], int(known.reshape(-1)[0])
        sizes = [int(n) for n in known] if known.ndim else [min(size, many - at) for at in range(0, many, size)]
        parts = nodes.cut(x, sizes, axis) if len(sizes) > 1 else [x]
        if not split and not form.get("keepdims", 1):
            parts = [nodes.reshape(part, *shape[:axis], *shape[axis + 1 :]) for part in parts]
        self._parts[node.output[0]] = parts
        return True

    def _hold(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        self._parts[node.output[0]] = list(node.input)
        return True

    def _same(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        known = self._parts.get(node.input[0])
        if known is not None:
            self._parts[node.output[0]] = known
        return known is not None

    def _insert(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        parts = [*self._of(node)]
        parts.insert(_place(node, 2, values, len(parts), len(parts)), node.input[1])
        self._parts[node.output[0]] = parts
        return True

    def _erase(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        parts = [*self._of(node)]
        del parts[_place(node, 1, values, len(parts), -1)]
        self._parts[node.output[0]] = parts
        return True

    def _at(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        parts = self._of(node)
        nodes.named(parts[_place(node, 1, values, len(parts), 0)], node.output[0])
        return True

    def _count(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        nodes.named(nodes.constant(len(self._of(node))), node.output[0])
        return True

    def _join(self, nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
        form, parts = attributes_of(node), self._of(node)
        if form.get("new_axis"):
            parts = [nodes.with_axis(part, form["axis"]) for part in parts]
        nodes.named(nodes.concat(parts, form["axis"]), node.output[0])
        return True

    def _of(self, node: onnx.NodeProto) -> list[str]:
        if node.input[0] not in self._parts:
            raise refused(node, "is of a sequence that is known only when it runs")
        return self._parts[node.input[0]]


def _place(node: onnx.NodeProto, number: int, values: Values, many: int, default: int) -> int:
    """A place in a sequence of so many parts, which may be counted from its end."""
    if len(node.input) <= number or not node.input[number]:
        return default
    known = values.constant(node.input[number])
    if known is None:
        raise refused(node, "is at a place that is known only when it runs")
    place = int(known.item())
    return place if place >= 0 else many + place
