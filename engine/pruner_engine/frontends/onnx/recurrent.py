"""Recurrent layers of ONNX files (RNN, GRU, LSTM), written out step by step: TVM's importer knows none of them.

A step is a product of the state with the recurrent weights and some element-wise work; the products of all steps'
inputs with the input weights are one. All steps of a direction are the same kernels, so a layer adds few tasks,
however long it is. States are [1, batch, hidden] throughout. Formulas: ONNX's operators of these names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of, is_standard, replaced
from pruner_engine.frontends.onnx.values import refused

# whose parameters have the same defaults in these layers and in the operators of these names
_ACTIVATIONS = {
    *("Relu", "Tanh", "Sigmoid", "Softsign", "Softplus"),
    *("LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu"),
}


def has_recurrent(model: onnx.ModelProto) -> bool:
    return any(map(_is_recurrent, model.graph.node))


def write_out(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the operators of its steps in place of each recurrent layer.

    Raises:
        UserError: a layer's number of steps is not known, it has an activation with parameters of its own, or its
            inputs and attributes do not fit each other.
    """
    shaped = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    types = {v.name: v.type.tensor_type for v in (*shaped.input, *shaped.value_info)}

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        if _is_recurrent(node):
            try:
                _write_layer(nodes, _Layer.of(node, types.get(node.input[0])), node)
            except (ValueError, TypeError, LookupError) as error:  # of a file that no exporter wrote
                raise refused(node, "has inputs or attributes that do not fit each other") from error
        return _is_recurrent(node)

    return replaced(model, write)


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
    activations: list[list[str]]  # of each direction
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
            activations=[names[i : i + many] for i in range(0, len(names), many)],
            batch_first=batch_first,
            clip=attributes.get("clip", 0.0),
            input_forget=bool(attributes.get("input_forget", 0)),
            linear_before_reset=bool(attributes.get("linear_before_reset", 0)),
        )


@dataclass(frozen=True)
class _Direction:
    """What the steps of one direction read."""

    layer: _Layer
    activations: list[str]
    recurrent: str  # [hidden, gates * hidden]
    bias: str  # [gates * hidden], of the state's product; "" where it is among the inputs
    peepholes: list[str]  # LSTM: [1, 1, hidden] of the gates i, o and f; empty where it has none


def _write_layer(nodes: Nodes, layer: _Layer, node: onnx.NodeProto) -> None:
    x, w, r, b, lengths, h, c, p = [*node.input, *[""] * 8][:8]
    if layer.batch_first:
        x, h, c = (nodes.transpose(name, 1, 0, 2) if name else "" for name in (x, h, c))
    sides = len(layer.backwards)
    per_side = [nodes.split(name, sides, axis=0) if name else [""] * sides for name in (w, r, b, p, h, c)]
    lasting = _lasting(nodes, layer, lengths) if lengths else []
    zero = nodes.constant(np.zeros((1, layer.batch, layer.hidden)), layer.dtype)
    outputs, last = [], []
    for backwards, activations, w, r, b, p, h, c in zip(layer.backwards, layer.activations, *per_side, strict=True):
        inputs, direction = _direction(nodes, layer, activations, x, (w, r, b, p))
        state = [h or zero, c or zero][: layer.cell.states]
        made, final = _run(nodes, direction, inputs, state, lasting, backwards)
        outputs.append(nodes.reshape(made, layer.steps, 1, layer.batch, layer.hidden))
        last.append(final)
    y = nodes.concat(outputs, axis=1)
    finals = [nodes.concat(list(of_sides), axis=0) for of_sides in zip(*last, strict=True)]
    if layer.batch_first:
        y, finals = nodes.transpose(y, 2, 0, 1, 3), [nodes.transpose(final, 1, 0, 2) for final in finals]
    for value, name in zip([y, *finals], node.output, strict=False):
        nodes.named(value, name)


def _direction(
    nodes: Nodes, layer: _Layer, activations: list[str], x: str, weights: tuple[str, str, str, str]
) -> tuple[list[str], _Direction]:
    """The inputs of each step [1, batch, gates * hidden], and what the steps read besides.

    `x` is [steps, batch, inputs]; the weights are those of the direction as ONNX has them: W, R, B and P.
    """
    w, r, b, p = weights
    wide = layer.cell.gates * layer.hidden
    of_inputs, of_state = nodes.split(nodes.reshape(b, 2 * wide), 2, axis=0) if b else ("", "")
    product = nodes("MatMul", x, nodes.transpose(nodes.reshape(w, wide, -1), 1, 0))
    # where a gate scales the state's product, it scales its bias too; elsewhere both biases are added at once
    apart = layer.linear_before_reset
    inputs = nodes.sum(product, of_inputs, "" if apart else of_state)
    return nodes.each(inputs, layer.steps), _Direction(
        layer=layer,
        activations=activations,
        recurrent=nodes.transpose(nodes.reshape(r, wide, layer.hidden), 1, 0),
        bias=of_state if apart else "",
        peepholes=nodes.split(nodes.reshape(p, 1, 1, 3 * layer.hidden), 3, axis=2) if p else [],
    )


def _run(
    nodes: Nodes, direction: _Direction, inputs: list[str], state: list[str], lasting: list[str], backwards: bool
) -> tuple[str, list[str]]:
    """The outputs of all steps [steps, batch, hidden] in the order of time, and the last state."""
    outputs = [""] * len(inputs)
    zero = nodes.constant(0, direction.layer.dtype)
    for t in sorted(range(len(inputs)), reverse=backwards):
        new = direction.layer.cell.step(nodes, direction, inputs[t], *state)
        outputs[t] = new[0]
        if lasting:  # a sequence that has ended keeps its state and puts out zeros
            outputs[t] = nodes("Where", lasting[t], new[0], zero)
            new = [nodes("Where", lasting[t], *pair) for pair in zip(new, state, strict=True)]
        state = new
    return nodes.concat(outputs, axis=0), state


def _lasting(nodes: Nodes, layer: _Layer, lengths: str) -> list[str]:
    """For each step, which sequences of the batch have one: [1, batch, 1]."""
    times = nodes.constant(np.arange(layer.steps).reshape(-1, 1, 1), np.int32)
    return nodes.each(nodes("Less", times, nodes.reshape(lengths, 1, -1, 1)), layer.steps)


def _gate(nodes: Nodes, direction: _Direction, which: int, *terms: str) -> str:
    """The activation number `which` of the sum of the terms."""
    x = nodes.sum(*terms)
    if clip := direction.layer.clip:
        if nodes.opset < _BOUNDS_AS_INPUTS:
            x = nodes("Clip", x, min=-clip, max=clip)
        else:
            x = nodes("Clip", x, *(nodes.constant(bound, direction.layer.dtype) for bound in (-clip, clip)))
    return nodes(direction.activations[which], x)


def _rnn(nodes: Nodes, direction: _Direction, x: str, h: str) -> list[str]:
    return [_gate(nodes, direction, 0, x, nodes("MatMul", h, direction.recurrent), direction.bias)]


def _gru(nodes: Nodes, direction: _Direction, x: str, h: str) -> list[str]:
    x_z, x_r, x_new = nodes.split(x, 3, axis=2)
    if direction.layer.linear_before_reset:
        product = nodes.sum(nodes("MatMul", h, direction.recurrent), direction.bias)
        of_z, of_r, of_new = nodes.split(product, 3, axis=2)
        r = _gate(nodes, direction, 0, x_r, of_r)
        of_new = nodes("Mul", r, of_new)
    else:
        for_z, for_r, for_new = nodes.split(direction.recurrent, 3, axis=1)
        of_z = nodes("MatMul", h, for_z)
        r = _gate(nodes, direction, 0, x_r, nodes("MatMul", h, for_r))
        of_new = nodes("MatMul", nodes("Mul", r, h), for_new)
    z = _gate(nodes, direction, 0, x_z, of_z)
    new = _gate(nodes, direction, 1, x_new, of_new)
    return [nodes("Add", new, nodes("Mul", z, nodes("Sub", h, new)))]  # (1 - z) new + z h


def _lstm(nodes: Nodes, direction: _Direction, x: str, h: str, c: str) -> list[str]:
    def peep(gate: int, cell: str) -> str:
        return nodes("Mul", direction.peepholes[gate], cell) if direction.peepholes else ""

    product = nodes.sum(x, nodes("MatMul", h, direction.recurrent), direction.bias)
    i, o, f, new = nodes.split(product, 4, axis=2)
    i = _gate(nodes, direction, 0, i, peep(0, c))
    if direction.layer.input_forget:
        f = nodes("Sub", nodes.constant(1, direction.layer.dtype), i)
    else:
        f = _gate(nodes, direction, 0, f, peep(2, c))
    c = nodes("Add", nodes("Mul", f, c), nodes("Mul", i, _gate(nodes, direction, 1, new)))
    o = _gate(nodes, direction, 0, o, peep(1, c))
    return [nodes("Mul", o, nodes(direction.activations[2], c)), c]


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
