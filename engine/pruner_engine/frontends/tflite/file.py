"""TensorFlow Lite files: read without trust, and what they say of their inputs and outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tflite

from pruner_engine.errors import UserError
from pruner_engine.protocol import ModelInput

_AGAIN = "Convert the model again."
_IDENTIFIER = b"TFL3"
_DTYPES = {
    getattr(tflite.TensorType, name.upper()): name
    for name in ("float16", "float32", "int8", "int16", "int32", "int64", "uint8", "uint32", "bool")
}


@dataclass(frozen=True)
class TfliteFile:
    """A model as it was read.

    Attributes:
        declared: the inputs; a dimension without a size is called "<input>_<axis>".
        outputs: what the outputs are called, in the model's order.
        rounds: whether weights alone are quantised somewhere: the runtime rounds what they meet, which stays real here.
    """

    model: tflite.Model
    declared: list[ModelInput]
    outputs: list[str]
    rounds: bool


def parse(content: bytes, name: str) -> TfliteFile:
    """The model in `content`.

    Raises:
        UserError: not TensorFlow Lite, cut off, broken, or with weights or inputs that cannot be imported.
    """
    if content[4:8] != _IDENTIFIER:
        raise UserError(f"{name}.tflite is not a TensorFlow Lite model, or it is cut off.", _AGAIN)
    try:
        model = tflite.Model.GetRootAs(content, 0)
        _refuse_unfit(model, name)
        graph = model.Subgraphs(0)
        outputs = _names_of(model, listed(graph.OutputsAsNumpy()))
        return TfliteFile(model, _declared_inputs(model), outputs, _has_quantised_weights(model))
    except UserError:
        raise
    except Exception as error:  # whatever reading past the end, or what is no text, raises
        raise UserError(f"{name}.tflite is cut off or broken.", _AGAIN) from error


def _refuse_unfit(model: tflite.Model, name: str) -> None:
    """Raises a UserError where a model is not whole, or cannot be imported whatever its operators."""
    graphs = [model.Subgraphs(i) for i in range(model.SubgraphsLength())]
    if any(model.Buffers(i).Offset() > 1 for i in range(model.BuffersLength())):
        raise UserError(f"{name} has more than 2 GB of weights, which cannot be imported.", "Convert it in parts.")
    if not graphs or not all(_is_whole(model, graph) for graph in graphs):
        raise UserError(f"{name}.tflite is broken: it names tensors or operators that it does not have.", _AGAIN)
    if any(code_of(model, operator) == tflite.BuiltinOperator.ASSIGN_VARIABLE for operator in operators_of(graphs[0])):
        raise UserError(f"{name} keeps a state from one call to the next.", "Convert it with that as input and output.")
    names = Counter(tensor_name(graphs[0], i) for i in listed(graphs[0].InputsAsNumpy()))
    if twice := [tensor for tensor, n in names.items() if n > 1]:
        raise UserError(f'{name} has two inputs that are called "{twice[0]}".', "Give them names of their own.")


def _is_whole(model: tflite.Model, graph: tflite.SubGraph) -> bool:
    """Whether everything that a graph names is there; reads all that describes it."""
    tensors, buffers, codes = graph.TensorsLength(), model.BuffersLength(), model.OperatorCodesLength()
    for i in range(tensors):
        tensor = graph.Tensors(i)
        tensor_name(graph, i)
        if not 0 <= tensor.Buffer() < buffers or any(extent < 0 for extent in listed(tensor.ShapeAsNumpy())):
            return False
    for operator in operators_of(graph):
        named = (*listed(operator.InputsAsNumpy()), *listed(operator.OutputsAsNumpy()))
        if operator.OpcodeIndex() >= codes or any(not -1 <= tensor < tensors for tensor in named):
            return False
    ends = (*listed(graph.InputsAsNumpy()), *listed(graph.OutputsAsNumpy()))
    return all(0 <= tensor < tensors for tensor in ends)


def _declared_inputs(model: tflite.Model) -> list[ModelInput]:
    graph, found = model.Subgraphs(0), []
    inputs = listed(graph.InputsAsNumpy())
    for index, name in zip(inputs, _names_of(model, inputs), strict=True):
        tensor = graph.Tensors(index)
        shape = listed(tensor.ShapeSignatureAsNumpy()) or listed(tensor.ShapeAsNumpy())
        if (dtype := _DTYPES.get(tensor.Type())) is None:
            raise UserError(f'Input "{name}" is of a type that cannot be tuned.', "Convert it with tensors of numbers.")
        extents: list[int | str] = [n if n >= 0 else f"{name}_{axis}" for axis, n in enumerate(shape)]
        found.append(ModelInput(name=name, shape=extents, dtype=dtype))
    return found


def _names_of(model: tflite.Model, tensors: Sequence[int]) -> list[str]:
    """What inputs or outputs are called: by the model's signature, where it has one, else as the tensors are."""
    graph, named = model.Subgraphs(0), dict[int, str]()
    for signature in (model.SignatureDefs(i) for i in range(model.SignatureDefsLength())):
        if signature.SubgraphIndex() == 0:
            named = {one.TensorIndex(): (one.Name() or b"").decode() for one in _maps(signature)}
            break
    return [named.get(index) or tensor_name(graph, index) or f"tensor{index}" for index in tensors]


def _has_quantised_weights(model: tflite.Model) -> bool:
    byte, real = (tflite.TensorType.INT8, tflite.TensorType.UINT8), tflite.TensorType.FLOAT32
    for graph in (model.Subgraphs(i) for i in range(model.SubgraphsLength())):
        for operator in operators_of(graph):
            kinds = [graph.Tensors(i).Type() for i in listed(operator.InputsAsNumpy()) if i >= 0]
            if kinds and kinds[0] == real and any(kind in byte for kind in kinds):
                return True
    return False


def _maps(signature: tflite.SignatureDef) -> Iterator[tflite.TensorMap]:
    yield from (signature.Inputs(i) for i in range(signature.InputsLength()))
    yield from (signature.Outputs(i) for i in range(signature.OutputsLength()))


def operators_of(graph: tflite.SubGraph) -> Iterator[tflite.Operator]:
    """A graph's operators, in their order."""
    return map(graph.Operators, range(graph.OperatorsLength()))


def code_of(model: tflite.Model, operator: tflite.Operator) -> int:
    """Which of `tflite.BuiltinOperator` an operator is; files of before have the number in another field."""
    code = model.OperatorCodes(operator.OpcodeIndex())
    return max(int(code.BuiltinCode()), int(code.DeprecatedBuiltinCode()))


def tensor_name(graph: tflite.SubGraph, index: int) -> str:
    """What the file calls a tensor; "" where it does not say."""
    return (graph.Tensors(index).Name() or b"").decode()


def listed(numbers: Any) -> list[int]:
    """Of a vector of the file, which is the number 0 where there is none."""
    return [int(number) for number in numbers] if hasattr(numbers, "__len__") else []
