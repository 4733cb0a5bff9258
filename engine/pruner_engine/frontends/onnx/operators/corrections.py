"""Operators that TVM's importer takes but computes wrongly in some of their forms, in a form that it has right.

What has no such form is refused. Each was found by comparison with ONNX Runtime, and is so tested.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import numpy_helper

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.fused.operators import FUSED
from pruner_engine.frontends.onnx.graph.following import FollowedValues
from pruner_engine.frontends.onnx.graph.nodes import (
    Nodes,
    attributes_of,
    drop_unread,
    inner_graphs,
    is_standard,
    nodes_within,
    opset_of,
    replace,
)
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refuse_outputs, refused, refusing_unfit
from pruner_engine.frontends.onnx.operators.alignment import ALIGNMENT, WITHOUT_ALIGNMENT
from pruner_engine.frontends.onnx.operators.deformed import DEFORMED
from pruner_engine.frontends.onnx.operators.fourier import FOURIER
from pruner_engine.frontends.onnx.operators.halves import HALVES
from pruner_engine.frontends.onnx.operators.numbers import NUMBERS
from pruner_engine.frontends.onnx.operators.resize import write_resize
from pruner_engine.frontends.onnx.operators.selection import SELECTION
from pruner_engine.frontends.onnx.operators.tables import TABLES, known_of_tables
from pruner_engine.frontends.onnx.operators.windows import WINDOWS
from pruner_engine.frontends.onnx.unrolled.sequences import Sequences

_RUNTIME = "com.microsoft"
_MODE_AS_ATTRIBUTE = 14  # version of BatchNormalization


def corrected(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with what TVM's importer would compute wrongly in another form.

    Raises:
        UserError: there is none.
    """
    nodes = [*nodes_within(model.graph)]
    for node in nodes:
        known = is_standard(node.domain) or node.domain == _RUNTIME or known_of_tables(node)
        if not known:  # TVM's importer only reads the operator's name
            raise UserError(
                f"{node.op_type} is an operator of {node.domain}, which is not known.",
                "Export the model with ONNX's own operators.",
            )
    opset = opset_of(model)
    first = HALVES if opset >= WITHOUT_ALIGNMENT else HALVES | ALIGNMENT
    # fused operators first: behind them ONNX knows no shape
    of_sequences = Sequences().writers()
    telling = of_sequences.keys() - {"Identity"}  # which is of tensors, too
    unknown = FUSED | TABLES | (of_sequences if any(node.op_type in telling for node in nodes) else {})
    for writers in (unknown, first, _WRITERS):
        if any(node.op_type in writers for node in nodes_within(model.graph)):
            model = onnx.shape_inference.infer_shapes(model, data_prop=True)
            values = FollowedValues(model.graph) if writers is unknown else Values(model.graph)
            _correct(model.graph, values, opset, writers)
    drop_unread(model.graph)
    return model


def _correct(graph: onnx.GraphProto, values: Values, opset: int, writers: Mapping[str, Writer]) -> None:
    """The same within a graph and those inside."""

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        with refusing_unfit(node):
            written = node.op_type in writers and writers[node.op_type](nodes, node, values)
        if isinstance(values, FollowedValues):
            values.follow(nodes.nodes if written else [node], nodes.constants, opset)
        return written

    replace(graph, opset, write)
    for node in graph.node:
        for inner in inner_graphs(node):
            _correct(inner, type(values)(inner, values), opset, writers)


def _scalar(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """ConstantOfShape of no dimensions, which TVM takes for one of one."""
    if values.shape(node.input[0]) != [0]:
        return False
    given = attributes_of(node).get("value")
    value = np.zeros(1, np.float32) if given is None else numpy_helper.to_array(given)
    nodes.named(nodes.constant(value.reshape(()), value.dtype), node.output[0])
    return True


def _layer_norm(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Scale and bias of fewer axes than are normalised: TVM normalises as many as they have."""
    _only_first_output(nodes, node, values)
    axis, weights = attributes_of(node).get("axis", -1), list(filter(None, node.input[1:]))
    shapes = [values.shape(weight) for weight in weights]
    if values.shape(node.input[0]) is None and all(shape and len(shape) == -axis for shape in shapes):
        return False  # behind an operator of which nothing is known
    inner = values.shape_for(node)[axis:]
    if all(shape == inner for shape in shapes):
        return False
    size = nodes.constant(inner)
    x = nodes(
        "LayerNormalization",
        node.input[0],
        *(nodes("Expand", weight, size) for weight in weights),
        **attributes_of(node),
    )
    nodes.named(x, node.output[0])
    return True


def _align_regions(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """RoiAlign: TVM shifts by half an element before it scales, ONNX after."""
    attributes = attributes_of(node)
    if attributes.get("mode") == b"max":  # of ONNX: of the products with the weights, not of their sums
        raise refused(node, "takes a maximum")
    scale = attributes.pop("spatial_scale", 1.0)
    if scale == 1:
        return False
    x, regions, batch = node.input
    scaled = nodes("Mul", regions, nodes.constant(scale, values.dtype(regions)))
    nodes.again(node, x, scaled, batch, **attributes)
    return True


def _only_first_output(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """TVM fills further outputs with zeros or other wrong values."""
    refuse_outputs(node, values, node.output[1:])
    return False


def _batch_norm(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """In training mode, as exporters write norms of weights: by the mean and variance of what comes in."""
    refuse_outputs(node, values, node.output[1:])
    form = attributes_of(node)
    by_outputs = nodes.opset < _MODE_AS_ATTRIBUTE and len(node.output) > 1 and not form.get("is_test")
    if not by_outputs and not form.get("training_mode"):
        return False
    (x, scale, bias), shape = node.input[:3], values.shape_for(node)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    apart = nodes("Sub", x, nodes.reduced("ReduceMean", x, axes))
    spread = nodes.reduced("ReduceMean", nodes("Mul", apart, apart), axes)
    epsilon = nodes.constant(form.get("epsilon", 1e-5), values.dtype(x))
    normed = nodes("Div", apart, nodes("Sqrt", nodes("Add", spread, epsilon)))
    scale, bias = (nodes.reshape(weight, -1, *[1] * (len(shape) - 2)) for weight in (scale, bias))
    nodes.named(nodes("Add", nodes("Mul", normed, scale), bias), node.output[0])
    return True


def _no_training(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    flag = values.constant(node.input[2]) if len(node.input) > 2 and node.input[2] else np.array(False)
    if flag is None or flag.any():
        raise refused(node, "is in training mode")
    return _only_first_output(nodes, node, values)


def _no_whole_mean(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if values.dtype(node.input[0]).kind in "iu":
        raise refused(node, "is of whole numbers")
    return False


def _no_even_size(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node)["size"] % 2 == 0:
        raise refused(node, "has an even size")
    return False


def _no_pads(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if any(attributes_of(node).get("pads", ())):
        raise refused(node, "has pads")
    return False


def _no_columns_first(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node).get("mode", b"DCR") != b"DCR":
        raise refused(node, "has its depth outermost (mode CRD)")
    return False


def _no_wrapped_cuts(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node).get("mode") == b"wrap":
        pads = values.constant(node.input[1])
        if pads is not None and (pads < 0).any():
            raise refused(node, "wraps and cuts")
    return False


_WRITERS: dict[str, Writer] = {
    **DEFORMED,
    **FOURIER,
    **NUMBERS,
    **SELECTION,
    **WINDOWS,
    "BatchNormalization": _batch_norm,
    "ConstantOfShape": _scalar,
    "Dropout": _no_training,
    "LRN": _no_even_size,
    "LayerNormalization": _layer_norm,
    "MaxUnpool": _no_pads,
    "Pad": _no_wrapped_cuts,
    "ReduceMean": _no_whole_mean,
    "Resize": write_resize,
    "RoiAlign": _align_regions,
    "SpaceToDepth": _no_columns_first,
    "Upsample": write_resize,
}
