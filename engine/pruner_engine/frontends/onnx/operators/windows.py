"""Pools and convolutions of ONNX files: pads that follow from the extents of what comes in or goes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused
from pruner_engine.frontends.windows import members, readers, windows_along


def _max_pool(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Pads that follow from the extents, for which TVM rounds a size down or cuts rows off; places of maxima."""
    attributes = attributes_of(node)
    if _pads_itself(attributes):
        attributes = _with_pads(attributes, values.shape_for(node)[2:])
    elif len(node.output) == 1:
        return False
    if len(node.output) == 2 and values.is_read(node.output[1]):
        _with_places(nodes, node, values, attributes)
    else:
        nodes.named(nodes("MaxPool", node.input[0], **attributes), node.output[0])
    return True


def _convolution(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Pads that follow from the extents, for which TVM makes a padded copy of the image, by a kernel of its own."""
    attributes = attributes_of(node)
    shape, weights = values.shape(node.input[0]), values.shape(node.input[1])
    if not _pads_itself(attributes) or shape is None or weights is None:
        return False
    nodes.again(node, *node.input, **_with_pads({"kernel_shape": weights[2:], **attributes}, shape[2:]))
    return True


def _average_pool(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Pads that follow from the extents, which TVM takes without the gaps within windows."""
    attributes = attributes_of(node)
    if not _pads_itself(attributes) or all(apart == 1 for apart in attributes.get("dilations", ())):
        return False
    nodes.again(node, node.input[0], **_with_pads(attributes, values.shape_for(node)[2:]))
    return True


def _norm_pool(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    if attributes_of(node).get("ceil_mode"):
        raise refused(node, "has windows that reach beyond the input (ceil_mode)")
    return _average_pool(nodes, node, values)


def _pads_itself(attributes: Mapping[str, Any]) -> bool:
    kind: bytes = attributes.get("auto_pad", b"NOTSET")
    return kind.startswith(b"SAME")


def _steps_and_gaps(attributes: Mapping[str, Any], rank: int) -> tuple[list[int], list[int]]:
    """Strides and dilations of windows along each axis, 1 where a node gives none."""
    ones = [1] * rank
    return attributes.get("strides", ones), attributes.get("dilations", ones)


def _with_pads(attributes: Mapping[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """The attributes of a pool or convolution with the pads that `auto_pad` means for inner extents."""
    kernel = attributes["kernel_shape"]
    steps, spread = _steps_and_gaps(attributes, len(kernel))
    pads = [
        max((-(-extent // step) - 1) * step + (width - 1) * apart + 1 - extent, 0)
        for extent, width, step, apart in zip(shape, kernel, steps, spread, strict=True)
    ]
    return {**attributes, "pads": _halved(pads, attributes["auto_pad"] == b"SAME_UPPER"), "auto_pad": b"NOTSET"}


def _with_places(nodes: Nodes, node: onnx.NodeProto, values: Values, form: dict[str, Any]) -> None:
    """Maxima of windows, and where in all images they are, counted on."""
    shape, made, kernel = values.shape_for(node), values.shape(node.output[0]), form["kernel_shape"]
    if form.get("storage_order"):
        raise refused(node, "counts its places along columns")
    if made is None:
        raise refused(node, "has an output whose shape is known only when it runs")
    sizes, (steps, spread) = shape[2:], _steps_and_gaps(form, len(kernel))
    before = form.get("pads", [0] * len(kernel))[: len(kernel)]
    given = made[2:], kernel, steps, before, spread
    table = members([windows_along(*numbers) for numbers in zip(*given, strict=True)], sizes)
    windows, many = table.shape
    flat = nodes.reshape(node.input[0], *shape[:2], math.prod(sizes))
    found = nodes("Gather", flat, nodes.constant(table), axis=2)
    place = nodes("ArgMax", found, axis=3, keepdims=0)
    maxima = nodes.reduced("ReduceMax", found, [3], keep=False)
    nodes.named(nodes.reshape(maxima, *made), node.output[0])
    place = nodes("Add", place, nodes.constant(np.arange(windows) * many))
    place = nodes("Gather", nodes.constant(table.reshape(-1)), place, axis=0)
    starts = np.arange(math.prod(shape[:2])).reshape(*shape[:2], 1) * math.prod(sizes)
    nodes.named(nodes.reshape(nodes("Add", place, nodes.constant(starts)), *made), node.output[1])


def _columns_to_image(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Col2Im, which TVM lacks: each pixel is the sum of the members of windows that are there."""
    form, (batch, rows, _) = attributes_of(node), values.shape_for(node)
    size, windows = (values.constant(name) for name in node.input[1:])
    if size is None or windows is None:
        raise refused(node, "makes an image whose size is known only when it runs")
    image, block = size.tolist(), windows.tolist()
    steps, spread = _steps_and_gaps(form, len(block))
    pads = form.get("pads", [0] * 2 * len(block))
    counts = [
        (size + before + behind - (width - 1) * apart - 1) // step + 1
        for size, width, step, before, behind, apart in zip(
            image, block, steps, pads[: len(block)], pads[len(block) :], spread, strict=True
        )
    ]
    given = counts, block, steps, pads[: len(block)], spread
    table = readers([windows_along(*numbers) for numbers in zip(*given, strict=True)], image)
    many, channels, dtype = math.prod(block), rows // math.prod(block), values.dtype(node.input[0])
    columns = nodes.reshape(node.input[0], batch, channels, many, math.prod(counts))
    columns = nodes.reshape(nodes.transpose(columns, 0, 1, 3, 2), batch, channels, many * math.prod(counts))
    columns = nodes("Concat", columns, nodes.constant(np.zeros((batch, channels, 1)), dtype), axis=2)
    found = nodes("Gather", columns, nodes.constant(table), axis=2)
    summed = nodes("ReduceSum", found, nodes.constant([3]), keepdims=0)
    nodes.named(nodes.reshape(summed, batch, channels, *image), node.output[0])
    return True


def _transposed_convolution(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """`output_shape`, which TVM does not know, as the pads that lead to it."""
    attributes = attributes_of(node)
    if "output_shape" not in attributes:
        return False
    size = attributes.pop("output_shape")
    shape, kernel = values.shape_for(node)[2:], values.shape_for(node, 1)[2:]
    steps, spread = _steps_and_gaps(attributes, len(kernel))
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
    attributes["pads"] = _halved([max(pad, 0) for pad in pads], upper)
    nodes.again(node, *node.input, **attributes)
    return True


def _halved(pads: list[int], upper: bool) -> list[int]:
    """So much padding of each axis, where the larger half is at the upper end or at the lower."""
    small, large = [pad // 2 for pad in pads], [pad - pad // 2 for pad in pads]
    return [*small, *large] if upper else [*large, *small]


WINDOWS: dict[str, Writer] = {
    "AveragePool": _average_pool,
    "Col2Im": _columns_to_image,
    "Conv": _convolution,
    "ConvTranspose": _transposed_convolution,
    "LpPool": _norm_pool,
    "MaxPool": _max_pool,
}
