"""ONNX models made simpler: without functions, constants as tensors, and by ONNX Runtime where it is installed."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pruner_engine.frontends.onnx.external import tensors_of
from pruner_engine.frontends.onnx.graph.following import with_known_numbers
from pruner_engine.frontends.onnx.graph.functions import without_functions
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, nodes_within, replaced
from pruner_engine.frontends.onnx.graph.values import Values
from pruner_engine.processes.isolation import deadly

_CHOOSERS = {"Compress": 1, "NonZero": 0}  # and which of their inputs is what they choose by
_MOST_S = 600  # of ONNX Runtime's rewriting
_NUMBERS = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}


def inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without functions: its own, and operators that ONNX defines as such and TVM's importer lacks.

    Constants that are said as numbers, as PyTorch writes them, become tensors, of which alone the importer knows.
    """
    made = without_functions(model)
    for node in (node for node in nodes_within(made.graph) if node.op_type == "Constant"):
        for attribute in node.attribute:
            if attribute.name in _NUMBERS:
                numbers = np.array(helper.get_attribute_value(attribute), _NUMBERS[attribute.name])
                attribute.CopyFrom(helper.make_attribute("value", numpy_helper.from_array(numbers)))
    return made


def simplified(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model after ONNX Runtime's basic rewriting, which folds constants and batch norm and drops dropout.

    Places of what is not zero in a constant, which JAX writes to put numbers in, and what is there it leaves, whatever
    follows from them.
    """
    made = _rewritten(model)
    known = _with_known_places(made)
    return made if known is made else simplified(known)


def with_shapes_behind(made: onnx.ModelProto, model: onnx.ModelProto) -> onnx.ModelProto:
    """What was made of a model by replacing operators that ONNX Runtime alone knows, with the shapes behind them known.

    Of a model of halves they were not, which ONNX Runtime has not rewritten.
    """
    return made if made is model or not _has_halves(made) else with_known_numbers(made)


def _with_known_places(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with constants in place of NonZero of others, and of what chooses by a constant (Compress)."""
    if all(node.op_type not in _CHOOSERS for node in model.graph.node):
        return model  # a large one is not copied for nothing
    values = Values(model.graph)

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        held = values.constant(node.input[_CHOOSERS[node.op_type]]) if node.op_type in _CHOOSERS else None
        if held is None:
            return False
        if node.op_type == "NonZero":
            made = nodes.constant(np.nonzero(held))
        else:
            axis = attributes_of(node).get("axis")
            x = nodes.reshape(node.input[0], -1) if axis is None else node.input[0]
            made = nodes("Gather", x, nodes.constant(np.flatnonzero(held)), axis=axis or 0)
        nodes.named(made, node.output[0])
        return True

    return replaced(model, write)


def _rewritten(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model as ONNX Runtime writes it.

    Without ONNX Runtime, or where it refuses the model, it stays as it is: TVM does the same, slower. A model of
    halves, which it would compute in float32, as it has few kernels of theirs for CPUs, gets its shapes known only.
    """
    if _has_halves(model):
        return with_known_numbers(model)
    try:
        import onnxruntime as ort
    except ImportError:
        return model
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 4
    # exporters say of values within what is so for the sizes of the export alone: it is tried without that, too
    for said in (model, _without_inner_shapes(model)) if model.graph.value_info else (model,):
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "simplified.onnx"
            # in a process of its own: on some branches within branches its folding of constants crashes
            deadly([partial(_write_simplified, said, options, whole)], _MOST_S)
            if whole.is_file():
                return onnx.load(whole)
    return model


def _write_simplified(model: onnx.ModelProto, options: Any, whole: Path) -> None:
    import onnxruntime as ort

    written = whole.with_name("written.onnx")
    options.optimized_model_filepath = str(written)
    ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    written.rename(whole)


def _without_inner_shapes(model: onnx.ModelProto) -> onnx.ModelProto:
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for value in made.graph.value_info:
        value.type.tensor_type.ClearField("shape")
    return made


def _has_halves(model: onnx.ModelProto) -> bool:
    kinds = {tensor.data_type for tensor in tensors_of(model)}
    kinds |= {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)}
    nodes = [*nodes_within(model.graph)]
    kinds |= {attributes_of(node).get("to") for node in nodes if node.op_type == "Cast"}
    return bool(kinds & {TensorProto.FLOAT16, TensorProto.BFLOAT16})
