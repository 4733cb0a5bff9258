"""What follows for the values of an ONNX graph while its nodes are being replaced, one after another.

Inference of shapes over a whole model ends at the first operator that ONNX does not define, such as those that ONNX
Runtime's optimisers put into every layer of a transformer. Here the types of what has been written in such a node's
place are known before the next one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx
from onnx import TypeProto, helper, numpy_helper
from onnx.shape_inference import infer_node_outputs

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, is_standard, opset_of, replaced
from pruner_engine.frontends.onnx.graph.values import Values, evaluated

_OF_SHAPES = {
    *("Add", "Cast", "CastLike", "Concat", "Div", "Gather", "Identity", "Max", "Min", "Mul", "Range", "ReduceMax"),
    *("ReduceProd", "Reshape", "Slice", "Squeeze", "Sub", "Unsqueeze"),
    *("And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "Or"),
}
_FEW = 64  # elements of a constant that may be a shape


class FollowedValues(Values):
    """Values of a graph, and of nodes that are told in their order."""

    def follow(self, nodes: Iterable[onnx.NodeProto], constants: Iterable[onnx.TensorProto], opset: int) -> None:
        """Learn the types of what nodes make, and numbers that follow from shapes, such as a length."""
        self._constants.update((held.name, held) for held in constants)
        for node in nodes:
            if is_standard(node.domain):
                self._learn(node, opset)

    def _learn(self, node: onnx.NodeProto, opset: int) -> None:
        if (number := self._number(node, opset)) is not None:
            self._constants[node.output[0]] = numpy_helper.from_array(number, node.output[0])
        if all(self.shape(name) is not None for name in node.output if name):
            return
        types = {name: made for name in node.input if name and (made := self._type(name)) is not None}
        if len(types) < len({*filter(None, node.input)}):
            return
        small = {name: held for name in node.input if (held := self._small(name)) is not None}
        opsets = [helper.make_opsetid("", opset)]
        try:
            # the newest of what is written in versions before it: norms over layers are the runtime's there
            known = onnx.defs.has(node.op_type, opset, "")
            schema = onnx.defs.get_schema(node.op_type, opset if known else onnx.defs.onnx_opset_version(), "")
            made = infer_node_outputs(schema, node, types, small, opset_imports=opsets)
        except Exception:  # the kinds that inference raises share no base, and importing says more
            return
        self._types.update((name, kind.tensor_type) for name, kind in made.items() if kind.HasField("tensor_type"))

    def _type(self, name: str) -> TypeProto | None:
        if name in self._constants:
            held = self._constants[name]
            return helper.make_tensor_type_proto(held.data_type, held.dims)
        return TypeProto(tensor_type=self._types[name]) if name in self._types else None

    def _small(self, name: str) -> onnx.TensorProto | None:
        held = self._constants.get(name)
        return held if held is not None and np.prod(held.dims) <= _FEW else None

    def _named(self, held: onnx.TensorProto, name: str) -> onnx.TensorProto:
        """A constant under its name, which one of a Constant does not have."""
        return numpy_helper.from_array(numpy_helper.to_array(held), name)

    def _number(self, node: onnx.NodeProto, opset: int) -> np.ndarray[Any, Any] | None:
        """What a node makes of a shape or of numbers that follow from one; None where it is something else."""
        if node.op_type == "Shape":
            shape, form = self.shape(node.input[0]), attributes_of(node)
            return None if shape is None else np.array(shape[form.get("start", 0) : form.get("end")], np.int64)
        if node.op_type not in _OF_SHAPES or node.output[0] in self._constants:
            return None
        names = [name for name in node.input if name]
        held = [self._named(small, name) for name in names if (small := self._small(name)) is not None]
        if len(held) < len(names):
            return None
        return evaluated(node, held, opset)


def with_known_numbers(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with constants in place of shapes, and of numbers that follow from them."""
    opset, values = opset_of(model), FollowedValues(model.graph)

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        values.follow([node], [], opset)
        if node.op_type == "Constant" or len(node.output) != 1:
            return False
        known = values.constant(node.output[0])
        if known is None or known.dtype.kind not in "biu":
            return False
        nodes.named(nodes.constant(known, known.dtype), node.output[0])
        return True

    return replaced(model, write)
