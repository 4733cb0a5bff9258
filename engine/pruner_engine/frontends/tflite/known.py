"""Whole numbers that follow from constants: sizes, places and counters, which TVM has to know when it converts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tflite
from tvm import relax
from tvm.ir.expr import GenericConst

from pruner_engine.tasks.graph import bindings_of
from pruner_engine.tasks.rewrites.constants import fold_constants, fold_the_rest

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter


def known_result(converter: Converter, convert: Callable[..., Any], op: tflite.Operator) -> relax.Expr | None:
    """What an operator of constants gives: constants where they can be computed now."""
    builder, outer = relax.BlockBuilder(), converter.bb
    converter.bb = builder
    try:
        with builder.function("main", []):
            with builder.dataflow():
                result = convert(op=op)
                kept = None if result is None else builder.emit_output(builder.normalize(result))
            builder.emit_func_output(relax.Tuple([]) if kept is None else kept)
    finally:
        converter.bb = outer
    if kept is None:
        return None
    folded = fold_the_rest(fold_constants(relax.transform.Normalize()(builder.get())))
    function = relax.transform.CanonicalizeBindings()(folded)["main"]
    values = function.body.body if isinstance(function.body, relax.SeqExpr) else function.body
    values = bindings_of(function).get(values, values)  # several results are a tuple that is bound to a variable
    parts = values.fields if isinstance(values, relax.Tuple) else [values]
    return values if all(isinstance(part, GenericConst) for part in parts) else convert(op=op)
