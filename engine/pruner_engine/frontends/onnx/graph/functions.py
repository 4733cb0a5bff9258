"""ONNX models without functions: their own, and operators that ONNX defines as such and TVM's importer lacks."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx import helper, inliner

from pruner_engine.frontends.onnx.graph.nodes import is_standard, opset_of

_FUNCTIONS = {
    *("Attention", "CausalConvWithState", "Celu", "CenterCropPad", "GroupNormalization", "LinearAttention"),
    *("NegativeLogLikelihoodLoss", "RotaryEmbedding", "SoftmaxCrossEntropyLoss", "SwiGLU", "Swish"),
    *("BlackmanWindow", "HammingWindow", "HannWindow"),
}
_DOMAIN = "pruner.functions"  # of what is a function of the model for as long as it is written out


def without_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with what its functions compute in their place."""
    if model.functions:
        model = inliner.inline_local_functions(model)
    while any(map(_is_function, model.graph.node)):
        written = _written_out(model)
        if written is None:
            break
        model = written
    return model


def _is_function(node: onnx.NodeProto) -> bool:
    return node.op_type in _FUNCTIONS and is_standard(node.domain)


def _written_out(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """The model with one function of its own for each such operator, written out; None where ONNX knows of none.

    By the inliner that takes models' own functions: that of ONNX's knows no inputs that are left out.
    """
    typed = onnx.shape_inference.infer_shapes(model, data_prop=True)
    types = {v.name: v.type for v in (*typed.graph.input, *typed.graph.value_info, *typed.graph.output)}
    types |= {w.name: helper.make_tensor_type_proto(w.data_type, w.dims) for w in typed.graph.initializer}
    opset = opset_of(model)
    for number, node in enumerate(typed.graph.node):
        if not _is_function(node):
            continue
        function = _function_of(node, opset, types)
        if function is None:
            continue
        function.name, function.domain = f"{node.op_type}_{number}", _DOMAIN
        del function.opset_import[:]
        function.opset_import.append(helper.make_opsetid("", opset))
        typed.functions.append(function)
        node.op_type, node.domain = function.name, function.domain
    if not typed.functions:
        return None
    typed.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    return inliner.inline_local_functions(typed)


def _function_of(node: onnx.NodeProto, opset: int, types: Mapping[str, onnx.TypeProto]) -> onnx.FunctionProto | None:
    """What ONNX says that a node computes, whose attributes are all given then; None where it says nothing of such."""
    schema = onnx.defs.get_schema(node.op_type, opset)
    _say_defaults(node, schema)
    by_node = schema.has_context_dependent_function
    versions = schema.context_dependent_function_opset_versions if by_node else schema.function_opset_versions
    version = max((known for known in versions if known <= opset), default=None)
    if version is None:
        return None
    if by_node:
        own = [types.get(name, onnx.TypeProto()).SerializeToString() for name in node.input]
        found = schema.get_context_dependent_function_with_opset_version(version, node.SerializeToString(), own)
    else:
        found = schema.get_function_with_opset_version(version)
    function = onnx.FunctionProto.FromString(found)
    return function if function.node else None


def _say_defaults(node: onnx.NodeProto, schema: onnx.defs.OpSchema) -> None:
    """Give a node the attributes that it lacks, which the inliner leaves out of what it writes."""
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in schema.attributes.items():
        if name not in given and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
