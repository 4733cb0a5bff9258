"""From a TensorFlow Lite model to Relax."""

from __future__ import annotations

from collections.abc import Mapping

import tvm
from tvm.relax.frontend.tflite import from_tflite

from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.tflite.converter import Converter
from pruner_engine.frontends.tflite.file import TfliteFile, listed, tensor_name
from pruner_engine.tasks.rewrites.quantised import ROUNDED_ELSEWHERE


def to_relax(file: TfliteFile, name: str, shapes: Mapping[str, tuple[int, ...]]) -> tvm.IRModule:
    """The model's first graph as "main", weights as constants.

    Args:
        name: of the model, for errors.
        shapes: of all inputs, by the names of `file.declared`.

    Raises:
        UserError: it has an operator that cannot be imported.
    """
    graph = file.model.Subgraphs(0)
    tensors = [tensor_name(graph, index) for index in listed(graph.InputsAsNumpy())]
    given = {tensor: shapes[one.name] for tensor, one in zip(tensors, file.declared, strict=True)}
    with importing(name):
        mod = from_tflite(file.model, shape_dict=given, op_converter=Converter)
    # the weights once more
    main = mod["main"].without_attr("params").without_attr("num_input")
    mod.update_func(mod.get_global_var("main"), main.with_attr(ROUNDED_ELSEWHERE, file.rounds))
    return mod
