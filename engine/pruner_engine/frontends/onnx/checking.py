"""What ONNX itself has against a model: operators that it does not define, and all that its checker finds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import onnx
from onnx import TensorProto, helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import first_line
from pruner_engine.frontends.onnx.aside import Weight
from pruner_engine.frontends.onnx.external import EXPORT_AGAIN
from pruner_engine.frontends.onnx.graph.nodes import is_standard, nodes_within, opset_of
from pruner_engine.frontends.onnx.graph.values import called

_OF_RUNTIME = {"LayerNormalization", "SimplifiedLayerNormalization"}  # the first was ONNX Runtime's before version 17


@contextlib.contextmanager
def valid(name: str) -> Iterator[None]:
    """Whatever is raised about the model of this name says that it is not valid."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # the checker raises more kinds than it documents
        said = f"{first_line(error).rstrip('.')}."
        raise UserError(f"{name} is not a valid ONNX model: {said}", EXPORT_AGAIN) from error


def check(model: onnx.ModelProto, aside: Sequence[Weight], name: str) -> None:
    """Raise where ONNX does not define an operator of the model, or its checker finds something else.

    The checker does not know what the runtime has among ONNX's operators, and is to take inputs and outputs that say
    nothing of their shape, as the runtime does.

    Args:
        aside: weights that are kept aside already: inputs to the checker.
        name: of the model.
    """
    for node, version in _standard_nodes(model):
        _refuse_undefined(node, version, name)
    _check(model, aside)


def _standard_nodes(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, int]]:
    """Nodes of the domains that ONNX defines, but for functions of the model, and which version of these it uses."""
    defined = {schema.domain for schema in onnx.defs.get_all_schemas()}  # the other domains are of libraries
    own = {(function.domain, function.name) for function in model.functions}
    versions = {opset.domain: opset.version for opset in model.opset_import} | {"": opset_of(model)}
    for node in nodes_within(model.graph):
        domain = "" if is_standard(node.domain) else node.domain
        if domain in defined and domain in versions and (node.domain, node.op_type) not in own:
            yield node, versions[domain]


def _refuse_undefined(node: onnx.NodeProto, version: int, name: str) -> None:
    """Raise UserError where ONNX has no such operator in this version of its domain."""
    domain = "" if is_standard(node.domain) else node.domain
    has = onnx.defs.has(node.op_type, version, domain)
    if has and not onnx.defs.get_schema(node.op_type, version, domain).deprecated:
        return
    if domain == "" and node.op_type in _OF_RUNTIME:
        return
    what, place = called(node), domain or "ai.onnx"
    if has:
        raise UserError(
            f"{name} computes {what}, which ONNX has withdrawn from the domain {place} by version {version}, which the"
            " file uses.",
            "Export it with an earlier version of the operators, or without that operator.",
        )
    history = onnx.defs.get_all_schemas_with_history()
    if since := [s.since_version for s in history if (s.name, s.domain) == (node.op_type, domain)]:
        raise UserError(
            f"{name} computes {what}, which ONNX defines from version {min(since)} of the domain {place} on; the file"
            f" uses version {version}.",
            "Export it with that version of the operators.",
        )
    newest = max(s.since_version for s in history if s.domain == domain)
    raise UserError(
        f"{name} computes {what}, which ONNX does not define: the domain {place} has no such operator up to version"
        f" {newest}, the newest known here.",
        "Export it without that operator, or with the domain of the library that defines it.",
    )


def _check(model: onnx.ModelProto, aside: Sequence[Weight]) -> None:
    opset = opset_of(model)
    unknown = [
        node
        for node in nodes_within(model.graph)
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
    inputs = len(model.graph.input)
    model.graph.input.extend(weight.declared for weight in aside)
    try:
        onnx.checker.check_model(model)
    finally:
        del model.graph.input[inputs:]
        for node, domain in held:
            node.domain = domain
        for value, told in silent:
            value.type.ParseFromString(told)
        del model.opset_import[imported:]
