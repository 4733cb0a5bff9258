"""From a TensorFlow Lite model to Relax."""

from __future__ import annotations

from collections.abc import Mapping

import tflite
import tvm
from tvm.relax.frontend.tflite import from_tflite

from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.tflite.converter import Converter
from pruner_engine.frontends.tflite.file import declared_inputs, has_quantised_weights, tensor_name
from pruner_engine.tasks.quantised import ROUNDED_ELSEWHERE


def to_relax(model: tflite.Model, name: str, shapes: Mapping[str, tuple[int, ...]]) -> tvm.IRModule:
    """The model's first graph as "main", weights as constants.

    Args:
        name: of the model, for errors.
        shapes: of all inputs, by the names of `declared_inputs`.

    Raises:
        UserError: it has an operator that cannot be imported.
    """
    graph = model.Subgraphs(0)
    tensors = [tensor_name(graph, graph.Inputs(i)) for i in range(graph.InputsLength())]
    given = {tensor: shapes[one.name] for tensor, one in zip(tensors, declared_inputs(model), strict=True)}
    with importing(name):
        mod = from_tflite(model, shape_dict=given, op_converter=Converter)
    # the weights once more
    main = mod["main"].without_attr("params").without_attr("num_input")
    mod.update_func(mod.get_global_var("main"), main.with_attr(ROUNDED_ELSEWHERE, has_quantised_weights(model)))
    return mod
