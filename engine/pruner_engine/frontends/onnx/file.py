"""ONNX files: read without trust, and what they say of their inputs and outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import refuse_beyond_memory
from pruner_engine.frontends.onnx.aside import Weight, set_aside
from pruner_engine.frontends.onnx.checking import check, valid
from pruner_engine.frontends.onnx.external import (
    EXPORT_AGAIN,
    Part,
    is_elsewhere,
    part_of,
    read_part,
    tensors_of,
)
from pruner_engine.frontends.onnx.fixed import fix_inputs
from pruner_engine.frontends.onnx.graph.nodes import read_by
from pruner_engine.protocol import ModelInput

_DTYPES = {
    *(TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16),
    *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
    *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
    TensorProto.BOOL,
}
_FOLDED = 900 << 20  # bytes of a model with weights in other files: more stay there, and no project has a copy
_LARGEST = 2_000_000_000  # bytes; ONNX's encoding ends at 2 GiB, names and shapes included


@dataclass(frozen=True)
class Parsed:
    """An ONNX file.

    Attributes:
        name: of the model.
        model: without the weights that are kept aside.
        weights: those.
        content: of the file, with weights from other files folded in but for those in `parts`.
    """

    name: str
    model: onnx.ModelProto
    weights: list[Weight]
    content: bytes

    @property
    def parts(self) -> list[Part]:
        """Where weights are that are too many to be folded in."""
        return _parts_of(self.weights)

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return len(self.content) + sum(part.length for part in self.parts)

    @property
    def sha256(self) -> str:
        """Of all of it, hexadecimal.

        Raises:
            UserError: weights cannot be read.
        """
        digest = hashlib.sha256(self.content)
        for part in self.parts:
            for block in part.blocks(self.name):
                digest.update(block)
        return digest.hexdigest()


def _parts_of(weights: Sequence[Weight]) -> list[Part]:
    return [weight.part for weight in weights if weight.part is not None]


def parse(content: bytes, name: str, folder: Path | None, fixed: Sequence[str] = ()) -> Parsed:
    """The model in `content`.

    Weights in other files are read from `folder`, never from outside it.

    Args:
        fixed: values of inputs, as `fix_inputs` takes them; they are part of what is parsed then.

    Raises:
        UserError: not ONNX, cut off, too large, or refers to files that are missing or elsewhere.
    """
    model, weights = onnx.ModelProto(), list[Weight]()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise UserError(f"{name}.onnx is not an ONNX model, or it is cut off.", EXPORT_AGAIN) from error
    if not model.graph.node or not model.graph.output:
        raise UserError(f"{name}.onnx is not an ONNX model: it has no graph.", EXPORT_AGAIN)
    if fixed:
        fix_inputs(model, declared_inputs(model), fixed)
        content = model.SerializeToString()
    if external := [tensor for tensor in tensors_of(model) if is_elsewhere(tensor)]:
        found = [part_of(tensor, name, folder) for tensor in external]
        size = len(content) + sum(part.length for part in found)
        refuse_beyond_memory(name, size)
        if size > _FOLDED and fixed:  # what a project refers to is the file as it is
            raise UserError(
                f"Inputs of {name} cannot be given a value: it has more than {_FOLDED >> 20} MB of weights.",
                "Give them where the model is exported.",
            )
        if size > _FOLDED:
            weights = set_aside(model, name, partial(part_of, name=name, folder=folder))
            external = [tensor for tensor in tensors_of(model) if is_elsewhere(tensor)]
        if size - sum(part.length for part in _parts_of(weights)) > _LARGEST:
            raise UserError(f"{name} has {size >> 20} MB with its weights, more than can be imported.", "")
        for tensor in external:
            read_part(tensor, part_of(tensor, name, folder), name)
        content = model.SerializeToString()
    _sort(model.graph)
    with valid(name):
        check(model, weights, name)
        taken = set_aside(model, name)
    if taken:
        made = onnx.ModelProto()
        made.CopyFrom(model)  # a message keeps the memory of what has been taken out of it
        model, weights = made, weights + taken
    return Parsed(name, model, weights, content)


def _sort(graph: onnx.GraphProto) -> None:
    """Put nodes behind those whose outputs they read, which some converters do not; ONNX Runtime takes both."""
    made = {output: at for at, node in enumerate(graph.node) for output in node.output if output}
    needed = {at: {made[name] for name in read_by(node) if name in made} for at, node in enumerate(graph.node)}
    if all(before < at for at, others in needed.items() for before in others):
        return
    try:
        order = [*TopologicalSorter(needed).static_order()]
    except CycleError:
        return  # which the checker says
    nodes = [onnx.NodeProto.FromString(graph.node[at].SerializeToString()) for at in order]
    del graph.node[:]
    graph.node.extend(nodes)


def declared_inputs(model: onnx.ModelProto) -> list[ModelInput]:
    """The inputs that are not weights; a dimension without a size has its own name or "<input>_<axis>"."""
    weights = {w.name for w in model.graph.initializer}
    found = []
    for value in model.graph.input:
        if value.name in weights:
            continue
        tensor = value.type.tensor_type
        if not value.type.HasField("tensor_type") or not tensor.HasField("shape"):
            raise UserError(
                f'Input "{value.name}" is not a tensor of known rank.', "Export it with tensors and their shapes."
            )
        shape: list[int | str] = [
            dim.dim_value if dim.dim_value > 0 else dim.dim_param or f"{value.name}_{axis}"
            for axis, dim in enumerate(tensor.shape.dim)
        ]
        found.append(ModelInput(name=value.name, shape=shape, dtype=_dtype(value.name, tensor.elem_type)))
    return found


def output_names(model: onnx.ModelProto) -> list[str]:
    """Names of the model's outputs, in its order."""
    return [o.name for o in model.graph.output]


def _dtype(name: str, elem_type: int) -> str:
    if elem_type not in _DTYPES:
        raise UserError(f'Input "{name}" has elements of a kind that is not supported.', "Use numbers or booleans.")
    return str(helper.tensor_dtype_to_np_dtype(elem_type))
