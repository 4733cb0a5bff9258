"""ONNX files: read without trust, simplified by ONNX Runtime where it is installed, imported into Relax."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import onnx
import tvm
from google.protobuf.message import DecodeError
from onnx import TensorProto, external_data_helper, helper, inliner
from tvm.relax.frontend.onnx import from_onnx

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import first_line, importing, refuse_beyond_memory
from pruner_engine.frontends.onnx.corrections import corrected
from pruner_engine.frontends.onnx.following import with_known_numbers
from pruner_engine.frontends.onnx.loops import has_loops, unrolled
from pruner_engine.frontends.onnx.nodes import (
    Nodes,
    attributes_of,
    graphs_within,
    inner_graphs,
    is_standard,
    opset_of,
    replaced,
)
from pruner_engine.frontends.onnx.quantised import dequantised
from pruner_engine.frontends.onnx.recurrent import has_recurrent, write_out
from pruner_engine.protocol import ModelInput
from pruner_engine.tasks.rewriting import extents_of, fields_of

_DTYPES = {
    *(TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16),
    *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
    *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
    TensorProto.BOOL,
}
_FUNCTIONS = (
    *("Attention", "CausalConvWithState", "Celu", "CenterCropPad", "GroupNormalization", "LinearAttention"),
    *("NegativeLogLikelihoodLoss", "RotaryEmbedding", "SoftmaxCrossEntropyLoss", "SwiGLU", "Swish"),
    *("BlackmanWindow", "HammingWindow", "HannWindow"),
)
_OF_RUNTIME = {"LayerNormalization", "SimplifiedLayerNormalization"}  # the first was ONNX Runtime's before version 17
_LOOPS_WITHIN = 4  # loops
_LARGEST = 2_000_000_000  # bytes; ONNX's encoding ends at 2 GiB, names and shapes included
_FOREIGN = "Export the model to ONNX again, and check that the file was copied completely."


def parse(content: bytes, name: str, folder: Path | None) -> tuple[onnx.ModelProto, bytes]:
    """The model in `content`, and `content` with weights from other files folded in.

    Such files are read from `folder`, never from outside it.

    Raises:
        UserError: not ONNX, cut off, too large, or refers to files that are missing or elsewhere.
    """
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise UserError(f"{name} is not an ONNX model, or it is cut off.", _FOREIGN) from error
    if not model.graph.node or not model.graph.output:
        raise UserError(f"{name} is not an ONNX model: it has no graph.", _FOREIGN)
    if external := [t for t in _tensors(model) if external_data_helper.uses_external_data(t)]:
        parts = [_part_of(tensor, name, folder) for tensor in external]
        size = len(content) + sum(part.length for part in parts)
        refuse_beyond_memory(name, size)
        if size > _LARGEST:
            raise UserError(f"{name} has {size >> 20} MB with its weights, more than can be imported.", "")
        for tensor, part in zip(external, parts, strict=True):
            _read_external(tensor, part, name)
        content = model.SerializeToString()
    _sort(model.graph)
    try:
        _check(model)
    except Exception as error:  # the checker raises more kinds than it documents
        raise UserError(f"{name} is not a valid ONNX model: {first_line(error)}", _FOREIGN) from error
    return model, content


def _sort(graph: onnx.GraphProto) -> None:
    """Put nodes behind those whose outputs they read, which some converters do not; ONNX Runtime takes both."""
    made = {output: at for at, node in enumerate(graph.node) for output in node.output if output}
    needed = {at: {made[name] for name in _read_by(node) if name in made} for at, node in enumerate(graph.node)}
    if all(before < at for at, others in needed.items() for before in others):
        return
    try:
        order = [*TopologicalSorter(needed).static_order()]
    except CycleError:
        return  # which the checker says
    nodes = [onnx.NodeProto.FromString(graph.node[at].SerializeToString()) for at in order]
    del graph.node[:]
    graph.node.extend(nodes)


def _check(model: onnx.ModelProto) -> None:
    """Raises what ONNX's checker raises; it does not know what the runtime has among ONNX's operators.

    Like the runtime, it is to take inputs and outputs that say nothing of their shape.
    """
    opset = opset_of(model)
    unknown = [
        node
        for graph in graphs_within(model.graph)
        for node in graph.node
        if is_standard(node.domain) and node.op_type in _OF_RUNTIME and not onnx.defs.has(node.op_type, opset, "")
    ]
    held, imported = [(node, node.domain) for node in unknown], len(model.opset_import)
    for node in unknown:
        node.domain = "com.microsoft"
    if unknown:
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    silent = [
        (value, value.type.SerializeToString())
        for value in (*model.graph.input, *model.graph.output)
        if value.type.WhichOneof("value") in (None, "tensor_type") and not value.type.tensor_type.HasField("shape")
    ]
    for value, _ in silent:
        value.type.CopyFrom(helper.make_tensor_type_proto(value.type.tensor_type.elem_type or TensorProto.FLOAT, []))
    try:
        onnx.checker.check_model(model)
    finally:
        for node, domain in held:
            node.domain = domain
        for value, told in silent:
            value.type.ParseFromString(told)
        del model.opset_import[imported:]


def _read_by(node: onnx.NodeProto) -> set[str]:
    """Names of the values that a node reads, and the graphs that it runs."""
    within = [inner for own in inner_graphs(node) for graph in graphs_within(own) for inner in graph.node]
    return {name for one in (node, *within) for name in one.input}


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


def to_relax(model: onnx.ModelProto, name: str, shapes: Mapping[str, tuple[int, ...]]) -> tvm.IRModule:
    """The model as a Relax module with weights as constants.

    Raises:
        UserError: it uses what TVM's importer cannot do.
    """
    for output in model.graph.output:
        kind = output.type.WhichOneof("value")
        if kind not in (None, "tensor_type") or output.type.tensor_type.elem_type == TensorProto.STRING:
            raise UserError(f'Output "{output.name}" is not a tensor of numbers.', "Export it with outputs that are.")
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    # before version 4 weights had to be inputs too, and rewriting would leave those behind as inputs without a weight
    fixed.ir_version = max(model.ir_version, 4)
    weights = {w.name for w in model.graph.initializer}
    del fixed.graph.input[:]
    fixed.graph.input.extend(value for value in model.graph.input if value.name not in weights)
    for value in fixed.graph.input:
        if value.name in shapes:
            del value.type.tensor_type.shape.dim[:]
            for extent in shapes[value.name]:
                value.type.tensor_type.shape.dim.add().dim_value = extent
    with importing(name):
        fixed = _simplify(_inlined(fixed))
        for _ in range(_LOOPS_WITHIN):
            if not has_loops(fixed):
                break
            fixed = _simplify(_inlined(unrolled(fixed)))
        if has_recurrent(fixed):
            fixed = _simplify(write_out(fixed))  # again: their weights are constants in another shape
        fixed = replaced(corrected(dequantised(fixed)), _split_sum)
        try:
            mod = from_onnx(fixed, shape_dict={k: list(v) for k, v in shapes.items()}, keep_params_in_input=False)
        except Exception as error:
            if not (operator := _operator_in(error)):
                raise
            raise UserError(
                f"{name} has a {operator} in a form that cannot be imported: {first_line(error)}",
                "Export it with another version of the operators, or without that operator.",
            ) from error
    _check_outputs(mod, model, name)
    return mod


def _operator_in(error: Exception) -> str:
    """What TVM's importer was at when it raised this, which it does not say; "" where it was at none."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    found = (frame.f_locals.get("node") for frame in frames if frame.f_code.co_name == "_construct_nodes")
    return next((node.op_type for node in found if isinstance(node, onnx.NodeProto)), "")


def _check_outputs(mod: tvm.IRModule, model: onnx.ModelProto, name: str) -> None:
    """Raises UserError where the importer made an output of another shape or type than the file says."""
    for declared, ty in zip(model.graph.output, fields_of(mod["main"].ret_ty), strict=False):
        tensor, made = declared.type.tensor_type, extents_of(ty)
        if made is None:
            continue
        said = [dim.dim_value for dim in tensor.shape.dim] if tensor.HasField("shape") else made
        alike = len(said) == len(made) and all(s <= 0 or s == m for s, m in zip(said, made, strict=True))
        dtype = str(ty.dtype)
        kind = str(helper.tensor_dtype_to_np_dtype(tensor.elem_type)) if tensor.elem_type else dtype
        if not alike or kind != dtype:
            pair = (f"{dtype} {made}", f"{kind} {said}")
            raise UserError(
                f'{name} cannot be imported rightly: "{declared.name}" would be {pair[0]}, the file says {pair[1]}.',
                "Export it with another version of the operators.",
            )


def output_names(model: onnx.ModelProto) -> list[str]:
    return [o.name for o in model.graph.output]


def _tensors(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    return list(external_data_helper._get_all_tensors(model))


class _Part(NamedTuple):
    """Where a tensor's bytes are, in a file that holds so many."""

    path: Path
    offset: int
    length: int


def _part_of(tensor: onnx.TensorProto, name: str, folder: Path | None) -> _Part:
    entry = {e.key: e.value for e in tensor.external_data}
    location = entry.get("location", "")
    if folder is None:
        raise UserError(f"{name} keeps weights in another file, {location}.", "Open it from its own folder.")
    try:
        path = (folder / location).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UserError(f"{name} asks for weights outside its own folder, {location}.", "Do not trust this file.")
        size, offset = path.stat().st_size, int(entry.get("offset", 0))
        length = int(entry.get("length", size - offset))
    except (OSError, ValueError) as error:
        raise _unreadable(location, name) from error
    if offset < 0 or length < 0 or offset + length > size:
        raise UserError(f"{location}, which holds weights of {name}, is cut off.", _FOREIGN)
    return _Part(path, offset, length)


def _read_external(tensor: onnx.TensorProto, part: _Part, name: str) -> None:
    try:
        with part.path.open("rb") as file:
            file.seek(part.offset)
            tensor.raw_data = file.read(part.length)
    except OSError as error:
        raise _unreadable(part.path.name, name) from error
    del tensor.external_data[:]
    tensor.data_location = TensorProto.DEFAULT


def _unreadable(location: str, name: str) -> UserError:
    return UserError(f"{name} keeps weights in {location}, which cannot be read.", _FOREIGN)


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without functions: its own, and operators that ONNX defines as such and TVM's importer lacks."""
    if model.functions:
        model = inliner.inline_local_functions(model)
    if not any(node.op_type in _FUNCTIONS and is_standard(node.domain) for node in model.graph.node):
        return model
    typed = onnx.shape_inference.infer_shapes(model, data_prop=True)
    for node in typed.graph.node:
        if node.op_type in _FUNCTIONS and is_standard(node.domain):
            _say_defaults(node, opset_of(model))
    for weight in typed.graph.initializer:  # whose types the inliner does not look for
        typed.graph.value_info.append(helper.make_tensor_value_info(weight.name, weight.data_type, weight.dims))
    try:
        return inliner.inline_selected_functions(typed, [("", n) for n in _FUNCTIONS], inline_schema_functions=True)
    except Exception:  # it knows no inputs that are left out; the importer then says which operator that is
        return model


def _say_defaults(node: onnx.NodeProto, opset: int) -> None:
    """Give a node the attributes that it lacks, which the inliner leaves out of what it writes."""
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in onnx.defs.get_schema(node.op_type, opset).attributes.items():
        if name not in given and attribute.default_value.name:
            node.attribute.append(attribute.default_value)


def _simplify(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model after ONNX Runtime's basic rewriting, which folds constants and batch norm and drops dropout.

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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "simplified.onnx"
        options.optimized_model_filepath = str(path)
        try:
            ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return onnx.load(path)
        except Exception:  # ONNX Runtime's own exceptions share no base but this
            return model


def _has_halves(model: onnx.ModelProto) -> bool:
    kinds = {tensor.data_type for tensor in _tensors(model)}
    kinds |= {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)}
    nodes = [node for graph in graphs_within(model.graph) for node in graph.node]
    kinds |= {attributes_of(node).get("to") for node in nodes if node.op_type == "Cast"}
    return bool(kinds & {TensorProto.FLOAT16, TensorProto.BFLOAT16})


def _split_sum(nodes: Nodes, node: onnx.NodeProto) -> bool:
    """Write a Sum as Adds: ConvertLayout only knows the latter."""
    many = node.op_type == "Sum" and len(node.input) > 1
    if many:
        nodes.named(nodes.sum(*node.input), node.output[0])
    return many


def _dtype(name: str, elem_type: int) -> str:
    if elem_type not in _DTYPES:
        raise UserError(f'Input "{name}" has elements of a kind that is not supported.', "Use numbers or booleans.")
    return str(helper.tensor_dtype_to_np_dtype(elem_type))
