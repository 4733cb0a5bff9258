"""Loops of ONNX files (Loop, Scan), written out step by step: TVM's importer has none.

The number of their steps is known, or the condition of each follows from constants. All steps are the same kernels,
so a loop adds few tasks, however often it runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.following import FollowedValues
from pruner_engine.frontends.onnx.graph.nodes import (
    Nodes,
    attributes_of,
    is_standard,
    nodes_within,
    replaced,
)
from pruner_engine.frontends.onnx.graph.values import Values, refused, refusing_unfit
from pruner_engine.frontends.onnx.unrolled.inner import InnerGraphs, is_choice

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
        with refusing_unfit(node):
            (_write_loop if node.op_type == "Loop" else _write_scan)(nodes, node, values)
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
        self._node, self._prefix = node, nodes.prefix
        self._graph: onnx.GraphProto = attributes_of(node)["body"]
        self._weights = {weight.name: f"{nodes.prefix}/body/{weight.name}" for weight in self._graph.initializer}
        # whether another step is made, or which branch of an If, is to follow from what was before
        chooses = any(map(is_choice, self._graph.node))
        followed = chooses or (node.op_type == "Loop" and not self.goes_on())
        self._inner = InnerGraphs(nodes, values, followed=followed)

    def check(self, steps: int) -> None:
        """Raises UserError where a loop has no steps, or too many to be written out."""
        if steps < 1:
            raise refused(self._node, "has no steps")
        if steps * (1 + sum(1 for _ in nodes_within(self._graph))) > _MOST:
            raise refused(self._node, f"has {steps} steps, too many to be written out")
        self._inner.keep_weights(self._graph, self._weights)

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
        self._inner.write(self._graph, f"{self._prefix}/{step}", names)
        return [names.get(output.name, output.name) for output in self._graph.output]


_WITHOUT_BATCH = 9  # version of Scan
