"""Recurrent layers of ONNX files (RNN, GRU, LSTM), written out step by step: TVM's importer knows none of them.

A step is a product of the state with the recurrent weights and some element-wise work; the products of all steps'
inputs with the input weights are one. All steps are the same kernels, so a layer adds few tasks, however long it is.
A layer of two directions takes a step of each at once, in the same kernels: states are [sides, batch, hidden]
throughout. Formulas: ONNX's operators of these names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.graph.nodes import (
    Nodes,
    attributes_of,
    graphs_within,
    is_standard,
    nodes_within,
    opset_of,
    replace,
)
from pruner_engine.frontends.onnx.graph.values import refusing_unfit

# whose parameters have the same defaults in these layers and in the operators of these names
_ACTIVATIONS = {
    *("Relu", "Tanh", "Sigmoid", "Softsign", "Softplus"),
    *("LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu"),
}


def has_recurrent(model: onnx.ModelProto) -> bool:
    """Whether a model has recurrent layers, which `write_out` replaces."""
    return any(map(_is_recurrent, nodes_within(model.graph)))


def write_out(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the operators of its steps in place of each recurrent layer.

    Raises:
        UserError: a layer's number of steps is not known, it has an activation with parameters of its own, or its
            inputs and attributes do not fit each other.
    """
    written = onnx.shape_inference.infer_shapes(model, data_prop=True)
    types: dict[str, Any] = {}

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        if _is_recurrent(node):
            with refusing_unfit(node):
                _write_layer(nodes, _Layer.of(node, types.get(node.input[0])), node)
        return _is_recurrent(node)

    outer = _types_of(written.graph)
    for graph in reversed([*graphs_within(written.graph)]):  # branches of an If before the graph that holds it
        types = outer | _types_of(graph)
        replace(graph, opset_of(written), write)
    return written


def _types_of(graph: onnx.GraphProto) -> dict[str, Any]:
    return {v.name: v.type.tensor_type for v in (*graph.input, *graph.value_info, *graph.output)}


def _is_recurrent(node: onnx.NodeProto) -> bool:
    return node.op_type in _CELLS and is_standard(node.domain)


@dataclass(frozen=True)
class _Layer:
    """What all directions of a layer share."""

    cell: _Cell
    steps: int
    batch: int
    hidden: int
    dtype: Any  # NumPy's
    backwards: list[bool]  # of each direction
    activations: list[tuple[str, ...]]  # by what they are for, of each direction
    batch_first: bool
    clip: float  # 0: not at all
    input_forget: bool
    linear_before_reset: bool

    @staticmethod
    def of(node: onnx.NodeProto, x: Any) -> _Layer:
        """A node's layer, whose input has the ONNX type `x`."""
        attributes = attributes_of(node)
        shape = [dim.dim_value for dim in x.shape.dim] if x is not None else []
        if len(shape) != 3 or not all(shape):
            raise UserError(
                f"{node.op_type} {node.name} has an input whose shape is known only when it runs.",
                "Export the model with a fixed length of its sequences.",
            )
        cell = _CELLS[node.op_type]
        going = attributes.get("direction", b"forward").decode()
        backwards = {"forward": [False], "reverse": [True]}.get(going, [False, True])
        names = [a.decode() for a in attributes.get("activations", [])] or [*cell.activations] * len(backwards)
        many = len(cell.activations)
        if (
            not _ACTIVATIONS.issuperset(names)
            or len(names) != many * len(backwards)
            or {"activation_alpha", "activation_beta"} & attributes.keys()
        ):
            raise UserError(
                f"{node.op_type} {node.name} has activations that are not supported: {', '.join(names)}.",
                "Use some without parameters, such as Sigmoid, Tanh and Relu.",
            )
        batch_first = bool(attributes.get("layout", 0))
        return _Layer(
            cell=cell,
            steps=shape[batch_first],
            batch=shape[not batch_first],
            hidden=attributes["hidden_size"],
            dtype=helper.tensor_dtype_to_np_dtype(x.elem_type),
            backwards=backwards,
            activations=[tuple(names[i::many]) for i in range(many)],
            batch_first=batch_first,
            clip=attributes.get("clip", 0.0),
            input_forget=bool(attributes.get("input_forget", 0)),
            linear_before_reset=bool(attributes.get("linear_before_reset", 0)),
        )

    @property
    def sides(self) -> int:
        return len(self.backwards)

    def times(self, step: int) -> list[int]:
        """Where in the sequence each direction is at a step."""
        return [self.steps - 1 - step if backwards else step for backwards in self.backwards]


@dataclass(frozen=True)
class _Weights:
    """What all steps of a layer read; two directions have an axis for them in front."""

    layer: _Layer
    recurrent: str  # [hidden, gates * hidden]
    bias: str  # [gates * hidden] (of two directions [2, 1, ...]), of the state's product; "" where the inputs have it
    peepholes: list[str]  # LSTM: [sides, 1, hidden] of the gates i, o and f; empty where it has none


def _write_layer(nodes: Nodes, layer: _Layer, node: onnx.NodeProto) -> None:
    x, w, r, b, lengths, h, c, p = [*node.input, *[""] * 8][:8]
    if layer.batch_first:
        x, h, c = (nodes.transpose(name, 1, 0, 2) if name else "" for name in (x, h, c))
    inputs, weights = _weighted(nodes, layer, x, (w, r, b, p))
    zero = nodes.constant(np.zeros((layer.sides, layer.batch, layer.hidden)), layer.dtype)
    state = [h or zero, c or zero][: layer.cell.states]
    y, finals = _run(nodes, weights, inputs, state, _lasting(nodes, layer, lengths) if lengths else [])
    if layer.batch_first:
        y, finals = nodes.transpose(y, 2, 0, 1, 3), [nodes.transpose(final, 1, 0, 2) for final in finals]
    for value, name in zip([y, *finals], node.output, strict=False):
        nodes.named(value, name)


def _weighted(nodes: Nodes, layer: _Layer, x: str, weights: tuple[str, str, str, str]) -> tuple[list[str], _Weights]:
    """The inputs of each step [sides, batch, gates * hidden], and what the steps read besides.

    `x` is [steps, batch, inputs]; the weights are as ONNX has them: W, R, B and P.
    """
    w, r, b, p = weights
    wide = layer.cell.gates * layer.hidden
    biases = nodes.split(b, 2, axis=1) if b else ["", ""]
    shape = [wide] if layer.sides == 1 else [layer.sides, 1, wide]
    of_inputs, of_state = (nodes.reshape(bias, *shape) if bias else "" for bias in biases)
    product = nodes("MatMul", nodes.reshape(x, layer.steps * layer.batch, -1), _turned(nodes, layer, w))
    # where a gate scales the state's product, it scales its bias too; elsewhere both biases are added at once
    apart = layer.linear_before_reset
    inputs = nodes.sum(product, of_inputs, "" if apart else of_state)
    rows = nodes.reshape(inputs, layer.sides * layer.steps, layer.batch, wide)
    places = [[side * layer.steps + t for side, t in enumerate(layer.times(step))] for step in range(layer.steps)]
    return [nodes.rows(rows, of_step) for of_step in places], _Weights(
        layer=layer,
        recurrent=_turned(nodes, layer, r),
        bias=of_state if apart else "",
        peepholes=nodes.split(nodes.reshape(p, layer.sides, 1, 3 * layer.hidden), 3, axis=2) if p else [],
    )


def _turned(nodes: Nodes, layer: _Layer, weights: str) -> str:
    """Weights that ONNX has as [sides, to, from], as matrices to multiply by: [from, to] of a single side."""
    if layer.sides > 1:
        return nodes.transpose(weights, 0, 2, 1)
    return nodes.transpose(nodes.reshape(weights, layer.cell.gates * layer.hidden, -1), 1, 0)


def _run(
    nodes: Nodes, weights: _Weights, inputs: list[str], state: list[str], lasting: list[str]
) -> tuple[str, list[str]]:
    """The outputs at all times [steps, sides, batch, hidden], and the last state."""
    layer = weights.layer
    outputs = []
    zero = nodes.constant(0, layer.dtype)
    for step, x in enumerate(inputs):
        new = layer.cell.step(nodes, weights, x, *state)
        outputs.append(new[0])
        if lasting:  # a sequence that has ended keeps its state and puts out zeros
            outputs[step] = nodes("Where", lasting[step], new[0], zero)
            new = [nodes("Where", lasting[step], *pair) for pair in zip(new, state, strict=True)]
        state = new
    return _in_time(nodes, layer, outputs), state


def _in_time(nodes: Nodes, layer: _Layer, outputs: list[str]) -> str:
    """What the steps put out, where in the sequence it belongs."""
    if layer.sides == 1:
        outputs = [outputs[t] for (t,) in map(layer.times, range(layer.steps))]
    made = nodes.concat(outputs, axis=0)
    if layer.sides > 1:
        places = [step * layer.sides + side for t in range(layer.steps) for side, step in enumerate(layer.times(t))]
        made = nodes.rows(made, places)
    return nodes.reshape(made, layer.steps, layer.sides, layer.batch, layer.hidden)


def _lasting(nodes: Nodes, layer: _Layer, lengths: str) -> list[str]:
    """For each step, which sequences of the batch have one: [sides, batch, 1]."""
    times = nodes.constant(np.arange(layer.steps).reshape(-1, 1, 1), np.int32)
    lasting = nodes("Less", times, nodes.reshape(lengths, 1, -1, 1))
    return [nodes.rows(lasting, layer.times(step)) for step in range(layer.steps)]


def _gate(nodes: Nodes, weights: _Weights, which: int, *terms: str) -> str:
    """The activation number `which` of the sum of the terms."""
    x = nodes.sum(*terms)
    if clip := weights.layer.clip:
        if nodes.opset < _BOUNDS_AS_INPUTS:
            x = nodes("Clip", x, min=-clip, max=clip)
        else:
            x = nodes("Clip", x, *(nodes.constant(bound, weights.layer.dtype) for bound in (-clip, clip)))
    return _activated(nodes, weights, which, x)


def _activated(nodes: Nodes, weights: _Weights, which: int, x: str) -> str:
    names = weights.layer.activations[which]
    if len(set(names)) == 1:
        return nodes(names[0], x)
    parts = nodes.split(x, len(names), axis=0)
    return nodes.concat([nodes(name, part) for name, part in zip(names, parts, strict=True)], axis=0)


def _rnn(nodes: Nodes, weights: _Weights, x: str, h: str) -> list[str]:
    return [_gate(nodes, weights, 0, x, nodes("MatMul", h, weights.recurrent), weights.bias)]


def _gru(nodes: Nodes, weights: _Weights, x: str, h: str) -> list[str]:
    x_z, x_r, x_new = nodes.split(x, 3, axis=2)
    if weights.layer.linear_before_reset:
        product = nodes.sum(nodes("MatMul", h, weights.recurrent), weights.bias)
        of_z, of_r, of_new = nodes.split(product, 3, axis=2)
        r = _gate(nodes, weights, 0, x_r, of_r)
        of_new = nodes("Mul", r, of_new)
    else:
        for_z, for_r, for_new = nodes.split(weights.recurrent, 3, axis=1 if weights.layer.sides == 1 else 2)
        of_z = nodes("MatMul", h, for_z)
        r = _gate(nodes, weights, 0, x_r, nodes("MatMul", h, for_r))
        of_new = nodes("MatMul", nodes("Mul", r, h), for_new)
    z = _gate(nodes, weights, 0, x_z, of_z)
    new = _gate(nodes, weights, 1, x_new, of_new)
    return [nodes("Add", new, nodes("Mul", z, nodes("Sub", h, new)))]  # (1 - z) new + z h


def _lstm(nodes: Nodes, weights: _Weights, x: str, h: str, c: str) -> list[str]:
    def peep(gate: int, cell: str) -> str:
        return nodes("Mul", weights.peepholes[gate], cell) if weights.peepholes else ""

    product = nodes.sum(x, nodes("MatMul", h, weights.recurrent), weights.bias)
    i, o, f, new = nodes.split(product, 4, axis=2)
    i = _gate(nodes, weights, 0, i, peep(0, c))
    if weights.layer.input_forget:
        f = nodes("Sub", nodes.constant(1, weights.layer.dtype), i)
    else:
        f = _gate(nodes, weights, 0, f, peep(2, c))
    c = nodes("Add", nodes("Mul", f, c), nodes("Mul", i, _gate(nodes, weights, 1, new)))
    o = _gate(nodes, weights, 0, o, peep(1, c))
    return [nodes("Mul", o, _activated(nodes, weights, 2, c)), c]


@dataclass(frozen=True)
class _Cell:
    gates: int
    states: int
    activations: tuple[str, ...]
    step: Callable[..., list[str]]


_BOUNDS_AS_INPUTS = 11  # version of Clip
_CELLS = {
    "RNN": _Cell(1, 1, ("Tanh",), _rnn),
    "GRU": _Cell(3, 1, ("Sigmoid", "Tanh"), _gru),
    "LSTM": _Cell(4, 2, ("Sigmoid", "Tanh", "Tanh"), _lstm),
}
