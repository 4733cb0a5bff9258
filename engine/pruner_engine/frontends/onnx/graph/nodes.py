"""Writing ONNX nodes in place of others, before the model is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

_SIZES_AS_INPUT = 13  # version of Split
_AXES_AS_INPUT = {"Unsqueeze": 13, "ReduceSum": 13}  # versions
_OTHERS_AXES_AS_INPUT = 18  # of other reductions


def opset_of(model: onnx.ModelProto) -> int:
    """The version of ONNX's own operators that the model uses."""
    return max((o.version for o in model.opset_import if is_standard(o.domain)), default=1)


def is_standard(domain: str) -> bool:
    """Whether operators of a domain are ONNX's own."""
    return domain in ("", "ai.onnx")


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    """Values of the attributes that a node gives, by name."""
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def inner_graphs(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """What a node may run, such as the branches of an If."""
    return [attribute.g for attribute in node.attribute if attribute.HasField("g")]


def graphs_within(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and all those inside."""
    yield graph
    for node in graph.node:
        for inner in inner_graphs(node):
            yield from graphs_within(inner)


def nodes_within(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """The nodes of a graph and of all those inside."""
    return (node for inner in graphs_within(graph) for node in inner.node)


def replaced(model: onnx.ModelProto, write: Callable[[Nodes, onnx.NodeProto], bool]) -> onnx.ModelProto:
    """The model with other nodes in place of some; itself where there is none of them.

    Args:
        write: writes what a node is replaced by, ending in its outputs; says whether it does.
    """
    written = onnx.ModelProto()
    written.CopyFrom(model)
    return written if replace(written.graph, opset_of(model), write) else model


def replace(graph: onnx.GraphProto, opset: int, write: Callable[[Nodes, onnx.NodeProto], bool]) -> bool:
    """The same within a graph; says whether it changed. Graphs inside stay as they are."""
    kept, constants, changed = [], [], False
    for node in graph.node:
        # names of outputs, as no other graph that is seen from this one has them
        nodes = Nodes("/".join((node.op_type, *filter(None, node.output))), opset)
        if write(nodes, node):
            kept += nodes.nodes
            constants += nodes.constants
            changed = True
        else:
            kept.append(node)
    if changed:
        del graph.node[:]
        graph.node.extend(kept)
        graph.initializer.extend(constants)
    return changed


def read_by(node: onnx.NodeProto) -> set[str]:
    """Names of the values that a node reads, and the graphs that it runs."""
    within = [inner for own in inner_graphs(node) for inner in nodes_within(own)]
    return {name for one in (node, *within) for name in one.input}


def drop_unread(graph: onnx.GraphProto) -> None:
    """Leave out the nodes of a graph that nothing reads."""
    read, kept = {output.name for output in graph.output}, []
    for node in reversed(graph.node):
        if not read.isdisjoint(node.output):
            kept.append(node)
            read |= read_by(node)
    if len(kept) < len(graph.node):
        del graph.node[:]
        graph.node.extend(reversed(kept))


@dataclass
class Nodes:
    """Nodes that are being written, in order, and the constants that they read; values are known by their names."""

    prefix: str
    opset: int
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node of one output."""
        return self.several(operator, 1, *inputs, **attributes)[0]

    def several(self, operator: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        names = [f"{self.prefix}/{len(self.nodes)}/{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def again(self, node: onnx.NodeProto, *inputs: str, **attributes: Any) -> None:
        """A node with other inputs or attributes."""
        made = self.several(node.op_type, len(node.output), *inputs, **attributes)
        for value, name in zip(made, node.output, strict=True):
            self.named(value, name)

    def constant(self, values: Any, dtype: Any = np.int64) -> str:
        name = f"{self.prefix}/constant/{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def cast(self, x: str, dtype: Any) -> str:
        """`x` in a type of NumPy's."""
        return self("Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def split(self, x: str, parts: int, axis: int) -> list[str]:
        """`x` in parts of the same size."""
        if parts == 1:
            return [x]
        many = {"num_outputs": parts} if self.opset >= 18 else {}
        return self.several("Split", parts, x, axis=axis, **many)

    def cut(self, x: str, sizes: list[int], axis: int) -> list[str]:
        """`x` in parts of these sizes."""
        if self.opset < _SIZES_AS_INPUT:
            return self.several("Split", len(sizes), x, axis=axis, split=sizes)
        return self.several("Split", len(sizes), x, self.constant(sizes), axis=axis)

    def rows(self, x: str, places: Sequence[int]) -> str:
        """What `x` has at these places of its first axis; all are the same kernel, which parts of a split are not."""
        return self("Gather", x, self.constant(places), axis=0)

    def concat(self, parts: list[str], axis: int) -> str:
        return parts[0] if len(parts) == 1 else self("Concat", *parts, axis=axis)

    def sum(self, *terms: str) -> str:
        """Of those that are there: an input that a node lacks has no name."""
        first, *others = filter(None, terms)
        for other in others:
            first = self("Add", first, other)
        return first

    def with_axis(self, x: str, axis: int) -> str:
        """With an axis of one element there."""
        return self._along("Unsqueeze", x, [axis])

    def reduced(self, operator: str, x: str, axes: Sequence[int], *, keep: bool = True) -> str:
        """Along these axes, by ReduceMean or another."""
        return self._along(operator, x, axes, keepdims=int(keep))

    def _along(self, operator: str, x: str, axes: Sequence[int], **form: int) -> str:
        if self.opset < _AXES_AS_INPUT.get(operator, _OTHERS_AXES_AS_INPUT):
            return self(operator, x, axes=list(axes), **form)
        return self(operator, x, self.constant(axes), **form)

    def reshape(self, x: str, *shape: int) -> str:
        return self("Reshape", x, self.constant(shape))

    def transpose(self, x: str, *order: int) -> str:
        return self("Transpose", x, perm=order)

    def named(self, x: str, name: str) -> None:
        """Give a value the name by which the rest of the model reads it, if anything does."""
        if name:
            self.nodes.append(helper.make_node("Identity", [x], [name]))
