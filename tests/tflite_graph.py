"""TensorFlow Lite files of a few operators, written without TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

_KINDS = {"float32": 0, "int32": 2, "complex64": 8, "resource": 13}

Step = tuple[str, Sequence[str], str, Any]


def write_graph(
    path: Path,
    inputs: Mapping[str, Sequence[int]],
    steps: Sequence[Step],
    made: Mapping[str, str],
    outputs: Sequence[str],
) -> str:
    """Write a file; returns its path.

    Args:
        inputs: shapes of float32 by name; a size of -1 is open, and 1 in the file.
        steps: operator, its operands (names, or lists of whole numbers), its result and the attributes.
        made: types of the results; of other results float32.
    """
    graph, model = schema.SubGraphT(), schema.ModelT()
    graph.tensors, graph.operators = [], []
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], [schema.BufferT(data=[])], []
    names: dict[str, int] = {}

    def tensor(name: str, shape: Sequence[int], kind: str, data: bytes = b"") -> int:
        model.buffers.append(schema.BufferT(data=[*data]))
        held = schema.TensorT(shape=[max(n, 1) for n in shape], type=_KINDS[kind], name=name)
        held.buffer = len(model.buffers) - 1 if data else 0
        if -1 in shape:
            held.shapeSignature = [*shape]
        graph.tensors.append(held)
        names[name] = len(graph.tensors) - 1
        return names[name]

    def operand(value: str | Sequence[int] | int) -> int:
        if isinstance(value, str):
            return names[value]
        numbers = np.array(value, "<i4")
        return tensor(f"constant {len(names)}", numbers.shape, "int32", numbers.tobytes())

    graph.inputs = [tensor(name, shape, "float32") for name, shape in inputs.items()]
    for operator, operands, result, options in steps:
        given = [operand(value) for value in operands]
        code = getattr(schema.BuiltinOperator, operator)
        model.operatorCodes.append(schema.OperatorCodeT(builtinCode=code, deprecatedBuiltinCode=min(code, 127)))
        step = schema.OperatorT(opcodeIndex=len(model.operatorCodes) - 1, inputs=given)
        step.outputs = [tensor(name, [1], made.get(name, "float32")) for name in result.split()]
        if options is not None:
            step.builtinOptions = options
            kind = type(options).__name__.removesuffix("T")
            step.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
        graph.operators.append(step)
    graph.outputs = [names[name] for name in outputs]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))
    return str(path)
