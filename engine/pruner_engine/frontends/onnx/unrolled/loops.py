"""Loops of ONNX files (Loop, Scan), written out step by step: TVM's importer has none.

The number of their steps is known, or the condition of each follows from constants. All steps are the same kernels,
so a loop adds few tasks, however often it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.following import FollowedValues
from pruner_engine.frontends.onnx.graph.nodes import (
    Nodes,
    attributes_of,
    graphs_within,
    inner_graphs,
    is_standard,
    replaced,
)
from pruner_engine.frontends.onnx.graph.values import Values, refused

_MOST = 20_000  # nodes that the loops of a graph may become


def has_loops(model: onnx.ModelProto) -> bool:
    """Whether there are any outside of the branches of an If."""
    return any(map(_is_loop, model.graph.node))


def unrolled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the nodes of its steps in place of each loop; those of a loop within are loops of the model then.

    A loop whose steps follow from what another one makes, such as the next layer's, is one of the model still.

    Raises:
        UserError: how often a loop runs is known only when it does, or it would be too much.
    """
    values, written = FollowedValues(onnx.shape_inference.infer_shapes(model, data_prop=True).graph), 0

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        nonlocal written
        if not _is_loop(node) or (written and _is_open(node, values)):
            return False
        try:
            (_write_loop if node.op_type == "Loop" else _write_scan)(nodes, node, values)
        except (ValueError, TypeError, LookupError) as error:  # of a file that no exporter wrote
            raise refused(node, "has inputs or attributes that do not fit each other") from error
        written += len(nodes.nodes)
        if written > _MOST:
            raise refused(node, "is one of loops that are too many to be written out")
        return True

    return replaced(model, write)


def _is_loop(node: onnx.NodeProto) -> bool:
    return node.op_type in ("Loop", "Scan") and is_standard(node.domain)


def _is_open(node: onnx.NodeProto, values: FollowedValues) -> bool:
    """Whether it is not known how many steps a loop has."""
    if node.op_type == "Scan":
        return values.shape(node.input[-1]) is None
    return any(name and values.constant(name) is None for name in node.input[:2])


def _write_loop(nodes: Nodes, node: onnx.NodeProto, values: FollowedValues) -> None:
    body = _Body(nodes, node, values)
    bound, goes_on, *state = node.input if len(node.input) > 1 else [*node.input, ""]
    most, first = values.constant(bound), values.constant(goes_on) if goes_on else np.True_
    always = body.goes_on()
    if first is None or (most is None and (bound or always)):
        raise refused(node, "runs as often as its inputs say")
    steps = (_MOST if most is None else int(most.item())) if first.item() else 0
    body.check(steps if always else min(steps, 1))
    rows: list[list[str]] = []
    while len(rows) < steps:
        last, *made = body.run(len(rows), [nodes.constant(len(rows)), nodes.constant(True, np.bool_), *state])
        state = made[: len(state)]
        rows.append([nodes.with_axis(part, 0) for part in made[len(state) :]])
        if always:
            continue
        known = values.constant(last)
        if known is None:
            raise refused(node, "runs as often as its inputs say")
        if not known.item():
            break
        if len(nodes.nodes) > _MOST:
            raise refused(node, "has too many steps to be written out")
    _end(nodes, node, state, rows, [0] * len(node.output))


def _write_scan(nodes: Nodes, node: onnx.NodeProto, values: FollowedValues) -> None:
    attributes, body = attributes_of(node), _Body(nodes, node, values)
    many = attributes["num_scan_inputs"]
    if nodes.opset < _WITHOUT_BATCH:
        raise refused(node, "has a batch of its own")
    state, scanned = list(node.input[:-many]), list(node.input[-many:])
    axes = attributes.get("scan_input_axes", [0] * many)
    steps = values.shape_for(node, len(state))[axes[0]]
    body.check(steps)
    backwards = attributes.get("scan_input_directions", [0] * many)
    out_axes = attributes.get("scan_output_axes", [0] * len(node.output))
    rows: list[list[str]] = []
    for step in range(steps):
        places = [nodes.constant(steps - 1 - step if back else step) for back in backwards]
        parts = [nodes("Gather", x, at, axis=axis) for x, at, axis in zip(scanned, places, axes, strict=True)]
        made = body.run(step, [*state, *parts])
        state = made[: len(state)]
        rows.append([nodes.with_axis(part, axis) for part, axis in zip(made[len(state) :], out_axes, strict=False)])
    _end(nodes, node, state, rows, out_axes, attributes.get("scan_output_directions", ()))


def _end(
    nodes: Nodes,
    node: onnx.NodeProto,
    state: list[str],
    rows: list[list[str]],
    axes: list[int],
    backwards: Sequence[int] = (),
) -> None:
    """Name what a loop leaves: its state, and what its steps made, one row each, along an axis."""
    for value, name in zip(state, node.output, strict=False):
        nodes.named(value, name)
    for place, name in enumerate(node.output[len(state) :]):
        parts = [row[place] for row in rows]
        if backwards and backwards[place]:
            parts.reverse()
        nodes.named(nodes.concat(parts, axes[place]), name)


class _Body:
    """The graph that a loop runs."""

    def __init__(self, nodes: Nodes, node: onnx.NodeProto, values: FollowedValues) -> None:
        self._nodes, self._node, self._values = nodes, node, values
        self._graph: onnx.GraphProto = attributes_of(node)["body"]
        self._weights = {weight.name: f"{nodes.prefix}/body/{weight.name}" for weight in self._graph.initializer}
        self._learnt = 0  # constants
        # whether another step is made, or which branch of an If, is to follow from what was before
        chooses = any(inner.op_type == "If" for inner in self._graph.node)
        self._followed = chooses or (node.op_type == "Loop" and not self.goes_on())

    def check(self, steps: int) -> None:
        """Raises UserError where a loop has no steps, or too many to be written out."""
        if steps < 1:
            raise refused(self._node, "has no steps")
        if steps * (1 + sum(len(graph.node) for graph in graphs_within(self._graph))) > _MOST:
            raise refused(self._node, f"has {steps} steps, too many to be written out")
        self._keep(self._graph, self._weights)

    def _keep(self, graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
        for weight in graph.initializer:
            kept = onnx.TensorProto()
            kept.CopyFrom(weight)
            kept.name = names[weight.name]
            self._nodes.constants.append(kept)

    def goes_on(self) -> bool:
        """Whether the condition of another step is always true: that of before, or a constant."""
        name, before = self._graph.output[0].name, self._graph.input[1].name
        made = {output: node for node in self._graph.node for output in node.output}
        while name in made and made[name].op_type == "Identity":
            name = made[name].input[0]
        constant = Values(self._graph).constant(name)
        return name == before or (constant is not None and bool(constant.all()))

    def run(self, step: int, given: Sequence[str]) -> list[str]:
        """The outputs of one step."""
        names = dict(self._weights)
        names |= {value.name: name for value, name in zip(self._graph.input, given, strict=True)}
        self._write(self._graph, f"{self._nodes.prefix}/{step}", names)
        return [names.get(output.name, output.name) for output in self._graph.output]

    def _write(self, graph: onnx.GraphProto, prefix: str, names: dict[str, str]) -> None:
        """A graph's nodes, whose values get names of their own."""
        for node in graph.node:
            names |= {output: f"{prefix}/{output}" for output in node.output if output}
            made = _renamed(node, names)
            if not self._followed:
                self._nodes.nodes.append(made)
                continue
            self._learn([])
            chosen = self._values.constant(made.input[0]) if node.op_type == "If" else None
            if chosen is None:
                self._nodes.nodes.append(made)
                self._learn([made])
            else:
                self._write_branch(node, made, bool(chosen.item()), names)

    def _write_branch(self, node: onnx.NodeProto, made: onnx.NodeProto, chosen: bool, names: dict[str, str]) -> None:
        """That of an If whose condition is known."""
        graph: onnx.GraphProto = attributes_of(node)["then_branch" if chosen else "else_branch"]
        own = names | {weight.name: f"{made.output[0]}/{weight.name}" for weight in graph.initializer}
        self._keep(graph, own)
        self._write(graph, made.output[0], own)
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


_WITHOUT_BATCH = 9  # version of Scan
