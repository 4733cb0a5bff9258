"""Loops whose steps are known when they are imported, such as recurrent layers: written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tflite
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.frontend.tflite.tflite_frontend import ExprTable

from pruner_engine.errors import UserError
from pruner_engine.frontends.tflite.options import inputs_of, options_of

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter

_MOST = 20_000  # operators that the loops of a model may become
_SO_FAR = "operators written out"  # of what a conversion keeps for all graphs of a model
_HINT = "Convert it with a fixed number of steps."


def loop(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """The last state of a loop.

    Raises:
        UserError: how long it runs depends on what it computes, or it is too long to be written out.
    """
    options, state = options_of(op, tflite.WhileOptions), inputs_of(converter, op)
    while _goes_on(_run(converter, options.CondSubgraphIndex(), state)):
        state = _run(converter, options.BodySubgraphIndex(), state)
    return relax.Tuple(state)


def _goes_on(condition: list[relax.Expr]) -> bool:
    (go,) = condition
    if not isinstance(go, GenericConst):
        raise UserError("The model has a loop that ends by what it computes.", _HINT)
    return bool(go.value.numpy().all())


def _run(converter: Converter, index: int, values: Sequence[relax.Expr]) -> list[relax.Expr]:
    """What another graph of the model makes of these values."""
    graph, kept = converter.model.Subgraphs(index), converter.conversion_state
    kept[_SO_FAR] = kept.get(_SO_FAR, 0) + max(1, graph.OperatorsLength())  # loops within loops count each time
    if kept[_SO_FAR] > _MOST:
        raise UserError(f"The model has a loop of more than {_MOST} operators, written out.", _HINT)
    inner = type(converter)(converter.model, graph, ExprTable(), converter.bb, kept)
    inner.check_unsupported_ops()
    for place, value in zip(graph.InputsAsNumpy(), values, strict=True):
        inner.give(int(place), value)
    inner.convert_op_to_relax()
    # without a name of its own an expression would be written out at each of its uses
    made = [inner.get_tensor_expr(tensor) for tensor in inner.get_tensors(graph.OutputsAsNumpy())]
    return [value if isinstance(value, (GenericConst, relax.Var)) else converter.bb.emit(value) for value in made]
