"""Inner graphs written into the one around them: the body of a loop, a branch whose condition is known."""

from __future__ import annotations

from collections.abc import Mapping

import onnx

from pruner_engine.frontends.onnx.graph.following import FollowedValues
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, inner_graphs, is_standard


def is_choice(node: onnx.NodeProto) -> bool:
    """Whether a node runs one of two branches."""
    return node.op_type == "If" and is_standard(node.domain)


class InnerGraphs:
    """Writes inner graphs among the nodes that take the place of one.

    Args:
        nodes: those.
        values: what is known of the values around it.
        followed: learn what follows for the values that are written, so that the branches of an If are chosen.
    """

    def __init__(self, nodes: Nodes, values: FollowedValues, *, followed: bool = True) -> None:
        self._nodes, self._values, self._followed = nodes, values, followed
        self._learnt = 0  # constants

    def keep_weights(self, graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
        """The graph's constants, under such names."""
        for weight in graph.initializer:
            kept = onnx.TensorProto()
            kept.CopyFrom(weight)
            kept.name = names[weight.name]
            self._nodes.constants.append(kept)

    def write(self, graph: onnx.GraphProto, prefix: str, names: dict[str, str]) -> None:
        """A graph's nodes, whose values get names of their own.

        Args:
            names: what its inputs and constants are called here; gets those of its values.
        """
        for node in graph.node:
            names |= {output: f"{prefix}/{output}" for output in node.output if output}
            made = _renamed(node, names)
            if not self._followed:
                self._nodes.nodes.append(made)
                continue
            self._learn([])
            chosen = self._values.constant(made.input[0]) if is_choice(node) else None
            if chosen is None:
                self._nodes.nodes.append(made)
                self._learn([made])
            else:
                self.write_branch(node, made, bool(chosen.item()), names)

    def write_branch(self, node: onnx.NodeProto, made: onnx.NodeProto, chosen: bool, names: Mapping[str, str]) -> None:
        """That of an If whose condition is known.

        Args:
            node: the If as its graph has it.
            made: the same with the names that its values have here.
            names: those by what its graph calls them.
        """
        graph: onnx.GraphProto = attributes_of(node)["then_branch" if chosen else "else_branch"]
        own = {**names} | {weight.name: f"{made.output[0]}/{weight.name}" for weight in graph.initializer}
        self.keep_weights(graph, own)
        self.write(graph, made.output[0], own)
        for output, name in zip(graph.output, made.output, strict=True):
            self._nodes.named(own.get(output.name, output.name), name)
            self._learn([self._nodes.nodes[-1]])

    def _learn(self, nodes: list[onnx.NodeProto]) -> None:
        self._values.follow(nodes, self._nodes.constants[self._learnt :], self._nodes.opset)
        self._learnt = len(self._nodes.constants)


def _renamed(node: onnx.NodeProto, names: Mapping[str, str]) -> onnx.NodeProto:
    """A node that reads and makes values under other names, as do the graphs that it runs."""
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.name = ""
    made.input[:] = [names.get(name, name) for name in node.input]
    made.output[:] = [names.get(name, name) for name in node.output]
    for graph in inner_graphs(made):
        own = {value.name for value in (*graph.input, *graph.initializer)}
        own |= {output for inner in graph.node for output in inner.output}
        outer = {name: other for name, other in names.items() if name not in own}
        inner_nodes = [_renamed(inner, outer) for inner in graph.node]
        del graph.node[:]
        graph.node.extend(inner_nodes)
        for output in graph.output:
            output.name = outer.get(output.name, output.name)
    return made
