"""Deformable convolutions of ONNX files, which TVM lacks: samples at the places of each window, times the weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused


def _convolution(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    form, (x, weight, offset, bias, mask) = attributes_of(node), [*node.input, "", ""][:5]
    batch, channels, *sizes = values.shape_for(node)
    made, inner, *window = values.shape_for(node, 1)
    if len(sizes) != 2:
        raise refused(node, "is of other tensors than images")
    out, many = values.shape_for(node, 2)[2:], math.prod(window)
    groups, parts = form.get("group", 1), form.get("offset_group", 1)
    dtype, spots = values.dtype(x), math.prod(out)
    moved = nodes.reshape(offset, batch * parts, many, 2, *out)
    moved = nodes("Add", moved, nodes.constant(_places(out, window, form), dtype))
    # from -1 to 1 across the pixels, columns before rows, as samples are asked for
    extents = np.array(sizes).reshape(2, 1, 1)
    unit = nodes("Mul", moved, nodes.constant(2 / extents, dtype))
    unit = nodes("Add", unit, nodes.constant(1 / extents - 1, dtype))
    unit = nodes.transpose(nodes("Gather", unit, nodes.constant([1, 0]), axis=2), 0, 1, 3, 4, 2)
    grid = nodes.reshape(unit, batch * parts, many * out[0], out[1], 2)
    image = nodes.reshape(x, batch * parts, channels // parts, *sizes)
    linear = "linear" if nodes.opset >= _LINEAR else "bilinear"
    found = nodes("GridSample", image, grid, mode=linear, padding_mode="zeros", align_corners=0)
    if mask:
        found = nodes.reshape(found, batch, parts, channels // parts, many, spots)
        found = nodes("Mul", found, nodes.reshape(mask, batch, parts, 1, many, spots))
    found = nodes.reshape(found, batch, groups, inner * many, spots)
    total = nodes("MatMul", nodes.reshape(weight, groups, made // groups, inner * many), found)
    total = nodes.reshape(total, batch, made, *out)
    nodes.named(nodes("Add", total, nodes.reshape(bias, made, 1, 1)) if bias else total, node.output[0])
    return True


def _places(out: Sequence[int], window: Sequence[int], form: dict[str, Any]) -> np.ndarray:
    """Where the members of all windows are before they are moved: [member, row or column, *out]."""
    steps, pads, spread = form.get("strides", [1, 1]), form.get("pads", [0, 0]), form.get("dilations", [1, 1])
    members, starts = np.indices(window).reshape(2, -1, 1, 1), np.indices(out)[:, None]
    step, pad, apart = (np.array(numbers[:2]).reshape(2, 1, 1, 1) for numbers in (steps, pads, spread))
    return (members * apart + starts * step - pad).transpose(1, 0, 2, 3)


_LINEAR = 20  # version of GridSample that calls it so
DEFORMED: dict[str, Writer] = {"DeformConv": _convolution}
