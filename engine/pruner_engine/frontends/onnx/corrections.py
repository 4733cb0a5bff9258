"""Operators that TVM's importer takes but computes wrongly in some of their forms, in a form that it has right.

What has no such form is refused. Each was found by comparison with ONNX Runtime, and is so tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of, is_standard, replaced
from pruner_engine.frontends.onnx.resize import write_resize
from pruner_engine.frontends.onnx.values import Values, refused

_RUNTIME = "com.microsoft"


def corrected(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with what TVM's importer would compute wrongly in another form.

    Raises:
        UserError: there is none.
    """
    for node in model.graph.node:
        if not is_standard(node.domain) and node.domain != _RUNTIME:  # TVM's importer only reads the operator's name
            raise UserError(
                f"{node.op_type} is an operator of {node.domain}, which is not known.",
                "Export the model with ONNX's own operators.",
            )
    if not any(node.op_type in _WRITERS for node in model.graph.node):
        return model
    values = Values(model)

    def write(nodes: Nodes, node: onnx.NodeProto) -> bool:
        try:
            return node.op_type in _WRITERS and _WRITERS[node.op_type](nodes, node, values)
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:  # of a file that no exporter wrote
            raise refused(node, "has inputs or attributes that do not fit each other") from error

    return replaced(model, write)


_Writer = Callable[[Nodes, onnx.NodeProto, Values], bool]


def _infinite(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """IsInf of one sign, which TVM takes for both."""
    attributes = attributes_of(node)
    signs = {"detect_positive": np.inf, "detect_negative": -np.inf}
    asked = [sign for name, sign in signs.items() if attributes.get(name, 1)]
    if len(asked) == 2:
        return False
    one = nodes.constant(asked[0] if asked else np.nan, values.dtype(node.input[0]))  # nothing equals NaN
    nodes.named(nodes("Equal", node.input[0], one), node.output[0])
    return True


def _max_pool(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Pads that follow from the extents, for which TVM rounds a size down or cuts rows off."""
    attributes = attributes_of(node)
    kind = attributes.get("auto_pad", b"NOTSET")
    if not kind.startswith(b"SAME"):
        return False
    shape, kernel = values.shape_for(node)[2:], attributes["kernel_shape"]
    ones = [1] * len(kernel)
    steps, spread = attributes.get("strides", ones), attributes.get("dilations", ones)
    pads = [
        max((-(-extent // step) - 1) * step + (width - 1) * apart + 1 - extent, 0)
        for extent, width, step, apart in zip(shape, kernel, steps, spread, strict=True)
    ]
    _padded(nodes, node, {k: v for k, v in attributes.items() if k != "auto_pad"}, pads, kind == b"SAME_UPPER")
    return True


def _transposed_convolution(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """`output_shape`, which TVM does not know, as the pads that lead to it."""
    attributes = attributes_of(node)
    if "output_shape" not in attributes:
        return False
    size = attributes.pop("output_shape")
    shape, kernel = values.shape_for(node)[2:], values.shape_for(node, 1)[2:]
    ones = [1] * len(kernel)
    steps, spread = attributes.get("strides", ones), attributes.get("dilations", ones)
    more = attributes.pop("output_padding", [0] * len(kernel))
    pads = [
        step * (extent - 1) + beyond + (width - 1) * apart + 1 - made
        for extent, width, step, apart, beyond, made in zip(
            shape, kernel, steps, spread, more, size[-len(kernel) :], strict=True
        )
    ]
    # what no window reaches is padding of the output
    attributes["output_padding"] = [beyond + max(-pad, 0) for beyond, pad in zip(more, pads, strict=True)]
    upper = attributes.pop("auto_pad", b"NOTSET") == b"SAME_UPPER"
    _padded(nodes, node, attributes, [max(pad, 0) for pad in pads], upper)
    return True


def _padded(nodes: Nodes, node: onnx.NodeProto, attributes: dict[str, object], pads: list[int], upper: bool) -> None:
    """The node with so much padding of each axis, where the larger half is at the upper end or at the lower."""
    small, large = [pad // 2 for pad in pads], [pad - pad // 2 for pad in pads]
    attributes["pads"] = [*small, *large] if upper else [*large, *small]
    _again(nodes, node, *node.input, **attributes)


def _again(nodes: Nodes, node: onnx.NodeProto, *inputs: str, **attributes: Any) -> None:
    """The node with other inputs or attributes."""
    made = nodes.several(node.op_type, len(node.output), *inputs, **attributes)
    for value, name in zip(made, node.output, strict=True):
        nodes.named(value, name)


def _largest(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """TopK: before version 11 TVM reads an attribute that version 10 has as an input."""
    if nodes.opset != 10:
        return False
    k = values.constant(node.input[1])
    if k is None:
        raise refused(node, "has an output whose size is known only when it runs")
    _again(nodes, node, node.input[0], k=int(k.item()), **attributes_of(node))
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
    _again(nodes, node, x, scaled, batch, **attributes)
    return True


def _only_first_output(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Of others TVM makes zeros, or what they are not."""
    if any(map(values.is_read, node.output[1:])):
        raise refused(node, "has further outputs that are used")
    return False


def _no_training(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    training = bool(attributes_of(node).get("training_mode"))
    if node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
        flag = values.constant(node.input[2])
        training = flag is None or bool(flag.any())
    if training:
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


def _no_open_windows(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node).get("ceil_mode"):
        raise refused(node, "has windows that reach beyond the input (ceil_mode)")
    return False


def _no_pads(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if any(attributes_of(node).get("pads", ())):
        raise refused(node, "has pads")
    return False


def _no_wrapped_cuts(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node).get("mode") == b"wrap":
        pads = values.constant(node.input[1])
        if pads is not None and (pads < 0).any():
            raise refused(node, "wraps and cuts")
    return False


_WRITERS: dict[str, _Writer] = {
    "BatchNormalization": _no_training,
    "ConvTranspose": _transposed_convolution,
    "Dropout": _no_training,
    "IsInf": _infinite,
    "LRN": _no_even_size,
    "LayerNormalization": _layer_norm,
    "LpPool": _no_open_windows,
    "MaxPool": _max_pool,
    "MaxUnpool": _no_pads,
    "Pad": _no_wrapped_cuts,
    "ReduceMean": _no_whole_mean,
    "Resize": write_resize,
    "RoiAlign": _align_regions,
    "SkipLayerNormalization": _only_first_output,
    "TopK": _largest,
    "Upsample": write_resize,
}
