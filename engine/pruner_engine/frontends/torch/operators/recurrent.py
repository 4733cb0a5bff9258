"""Recurrent layers of PyTorch programs (RNN, GRU, LSTM), written out step by step in TVM's operators.

PyTorch would write them out, too: its tracing takes most of a minute for some dozens of steps, and each step reads a
slice that is a kernel of its own. Here the layers stay whole until TVM's importer meets them; the products of all
steps' inputs are one, and what reads a step's part of it is the same kernel for all. A layer of two directions takes a
step of each at once, in the same kernels: states are [sides, batch, hidden].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.fx import Node
from tvm import relax

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_aten = torch.ops.aten
_CELLS = {
    _aten.lstm.input: "lstm",
    _aten.gru.input: "gru",
    _aten.rnn_tanh.input: "rnn_tanh",
    _aten.rnn_relu.input: "rnn_relu",
}
_PROJECTED = 1  # weight that only projected states have, beside pairs of weights and of biases


def _shapes(
    x: Tensor, state: list[Tensor], weights: list[Tensor], biased: bool, layers: int, both: bool, first: bool, cell: str
) -> list[Tensor]:
    sides = 2 if both else 1
    return [x.new_empty((*x.shape[:2], sides * state[0].shape[-1])), *(torch.empty_like(part) for part in state)]


_library = torch.library.Library("pruner", "FRAGMENT")
_library.define(
    "recurrent(Tensor x, Tensor[] state, Tensor[] weights, bool biased, int layers, bool both, bool first, str cell)"
    " -> Tensor[]"
)
_library.impl("recurrent", _shapes, "Meta")


def with_whole_layers(program: Any) -> Any:
    """The `torch.export.ExportedProgram` with recurrent layers that PyTorch does not write out."""
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        if node.target not in _CELLS:
            continue
        x, state, weights, biased, layers, _, training, both, first = node.args
        if training or type(x.meta["val"].shape[1 if first else 0]) is not int:
            continue
        cell = _CELLS[node.target]
        state = state if cell == "lstm" else [state]
        with graph.inserting_before(node):
            args = (x, state, weights, biased, layers, both, first, cell)
            made = graph.call_function(torch.ops.pruner.recurrent.default, args)
        made.meta = {**node.meta, "val": list(node.meta["val"])}
        node.replace_all_uses_with(made)
        graph.erase_node(node)
    program.graph_module.recompile()
    return program


def _recurrent(importer: Conversion, node: Node) -> list[relax.Expr]:
    x, state, weights, biased, layers, both, first_axis, cell = node.args
    sides, emit = 2 if both else 1, importer.emit
    data, states = importer.env[x], [importer.env[part] for part in state]
    data = emit(relax.op.permute_dims(data, [1, 0, 2])) if first_axis else data
    held = [importer.env[weight] for weight in weights]
    own = len(held) // (layers * sides)
    finals = []
    for number in range(layers):
        first = number * sides
        begin = [_rows(emit, part, list(range(first, first + sides))) for part in states]
        of_sides = [held[(first + side) * own :][:own] for side in range(sides)]
        data, final = _Layer(importer, cell, of_sides, biased).run(data, begin)
        finals.append(final)
    last = [emit(relax.op.concat(list(parts), axis=0)) for parts in zip(*finals, strict=True)]
    return [emit(relax.op.permute_dims(data, [1, 0, 2])) if first_axis else data, *last]


def _rows(emit: Callable[[relax.Expr], relax.Var], x: relax.Expr, places: list[int]) -> relax.Var:
    """What is at places of the first axis, by a constant that a kernel reads: so the kernel is the same for all."""
    return emit(relax.op.take(x, relax.const(np.array(places)), axis=0, mode="clip"))


class _Layer:
    """A layer in one direction of time or in both; weights of both have an axis for them in front."""

    def __init__(self, importer: Conversion, cell: str, weights: list[list[relax.Expr]], biased: bool) -> None:
        self._emit, self._sides = importer.emit, len(weights)
        cells: dict[str, Callable[..., list[relax.Expr]]] = {"lstm": self._lstm, "gru": self._gru}
        self._step = cells.get(cell, self._rnn)
        self._activation = relax.op.nn.relu if cell == "rnn_relu" else relax.op.tanh
        of_inputs, of_state, *others = ([*of_sides] for of_sides in zip(*weights, strict=True))
        self._of_inputs, self._of_state = self._turned(of_inputs), self._turned(of_state)
        self._bias: relax.Expr | None = self._beside(others[0]) if biased else None
        self._inner_bias: relax.Expr | None = self._beside(others[1]) if biased else None
        self._projection = self._turned(others[-1]) if len(others) % 2 == _PROJECTED else None
        if biased and cell != "gru":  # whose reset gate scales the bias of the state's product
            self._bias, self._inner_bias = self._sum(self._bias, self._inner_bias), None

    def run(self, data: relax.Expr, state: list[relax.Expr]) -> tuple[relax.Var, list[relax.Expr]]:
        """The outputs of all steps in the order of time, those of both directions side by side, and the last state."""
        steps, batch = int(data.ty.shape[0]), data.ty.shape[1]
        products = self._product(self._reshaped(data, steps * batch, -1), self._of_inputs, self._bias)
        rows = self._reshaped(products, self._sides * steps, batch, -1)
        outputs: list[relax.Expr] = []
        for step in range(steps):
            both = [step, 2 * steps - 1 - step]
            state = self._step(_rows(self._emit, rows, both[: self._sides]), *state)
            outputs.append(state[0])
        made = self._emit(relax.op.concat(outputs, axis=0))
        if self._sides == 1:
            return made, state
        places = [place for t in range(steps) for place in (2 * t, 2 * (steps - 1 - t) + 1)]
        in_time = self._reshaped(_rows(self._emit, made, places), steps, self._sides, batch, -1)
        beside = self._emit(relax.op.permute_dims(in_time, [0, 2, 1, 3]))
        return self._reshaped(beside, steps, batch, -1), state

    def _rnn(self, x: relax.Expr, h: relax.Expr) -> list[relax.Expr]:
        return [self._emit(self._activation(self._sum(x, self._product(h, self._of_state))))]

    def _gru(self, x: relax.Expr, h: relax.Expr) -> list[relax.Expr]:
        x_r, x_z, x_new = self._gates(x, 3)
        h_r, h_z, h_new = self._gates(self._product(h, self._of_state, self._inner_bias), 3)
        r = self._emit(relax.op.sigmoid(self._sum(x_r, h_r)))
        z = self._emit(relax.op.sigmoid(self._sum(x_z, h_z)))
        new = self._emit(relax.op.tanh(self._sum(x_new, self._emit(relax.op.multiply(r, h_new)))))
        apart = self._emit(relax.op.multiply(z, self._emit(relax.op.subtract(h, new))))
        return [self._sum(new, apart)]  # (1 - z) new + z h

    def _lstm(self, x: relax.Expr, h: relax.Expr, c: relax.Expr) -> list[relax.Expr]:
        i, f, new, o = self._gates(self._sum(x, self._product(h, self._of_state)), 4)
        i, f, o = (self._emit(relax.op.sigmoid(gate)) for gate in (i, f, o))
        kept = self._emit(relax.op.multiply(f, c))
        c = self._sum(kept, self._emit(relax.op.multiply(i, self._emit(relax.op.tanh(new)))))
        h = self._emit(relax.op.multiply(o, self._emit(relax.op.tanh(c))))
        return [h if self._projection is None else self._product(h, self._projection), c]

    def _turned(self, weights: list[relax.Expr]) -> relax.Var:
        return self._beside([self._emit(relax.op.permute_dims(weight, [1, 0])) for weight in weights])

    def _beside(self, of_sides: list[relax.Expr]) -> relax.Expr:
        """Weights of a single direction as they are, of two in one tensor."""
        if len(of_sides) == 1:
            return of_sides[0]
        rows = [1, *(int(n) for n in of_sides[0].ty.shape)][-2]
        return self._emit(relax.op.concat([self._reshaped(one, 1, rows, -1) for one in of_sides], axis=0))

    def _reshaped(self, x: relax.Expr, *shape: int) -> relax.Var:
        return self._emit(relax.op.reshape(x, shape))

    def _product(self, a: relax.Expr, b: relax.Expr, bias: relax.Expr | None = None) -> relax.Var:
        made = self._emit(relax.op.matmul(a, b))
        return made if bias is None else self._sum(made, bias)

    def _sum(self, a: relax.Expr, b: relax.Expr) -> relax.Var:
        return self._emit(relax.op.add(a, b))

    def _gates(self, x: relax.Expr, many: int) -> list[relax.Var]:
        parts = self._emit(relax.op.split(x, many, axis=2))
        return [self._emit(parts[number]) for number in range(many)]


RECURRENT: dict[str, Callable[[Conversion, Node], Any]] = {"recurrent.default": _recurrent}
