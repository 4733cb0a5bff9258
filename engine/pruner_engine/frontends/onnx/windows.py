"""Pools and convolutions of ONNX files: pads that follow from the extents of what comes in or goes out."""

from __future__ import annotations

import onnx

from pruner_engine.frontends.onnx.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.values import Values, Writer


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
    nodes.again(node, *node.input, **attributes)


WINDOWS: dict[str, Writer] = {"ConvTranspose": _transposed_convolution, "MaxPool": _max_pool}
