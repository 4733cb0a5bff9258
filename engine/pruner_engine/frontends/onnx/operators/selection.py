"""What ONNX files pick out of tensors, and put into them, in forms that TVM's importer has wrong or lacks."""

from __future__ import annotations

import math

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused
from pruner_engine.frontends.scattered import flat_places, suits_tvm


def _largest(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """TopK: before version 11 TVM reads an attribute that version 10 has as an input; it knows those in order only."""
    attributes = attributes_of(node)
    if nodes.opset == 10:
        k = values.constant(node.input[1])
        if k is None:
            raise refused(node, "has an output whose size is known only when it runs")
        nodes.again(node, node.input[0], k=int(k.item()), **attributes)
        return True
    if attributes.pop("sorted", 1):
        return False
    nodes.again(node, *node.input, **attributes)
    return True


def _split(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Into one part, of which TVM makes a tuple."""
    if len(node.output) > 1:
        return False
    nodes.named(node.input[0], node.output[0])
    return True


def _one_hot(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """OneHot: TVM makes numbers of 64 bits of all; the depth, a number to it, may be a tensor with one axis."""
    indices, depth, pair = node.input
    dtype, number = values.dtype(pair), values.constant(depth)
    if dtype in (np.float64, np.int64, np.bool_) and (number is None or number.ndim == 0):
        return False
    if number is not None:
        depth = nodes.constant(number.item())
    made = nodes("OneHot", indices, depth, pair, **attributes_of(node))
    nodes.named(nodes.cast(made, dtype), node.output[0])
    return True


def _scattered(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """ScatterElements by fewer indices than the data has elements along other axes."""
    attributes = attributes_of(node)
    data, places = values.shape_for(node), values.shape_for(node, 1)
    axis = attributes.pop("axis", 0) % len(data)
    if suits_tvm(data, places, axis):
        return False
    x, indices, updates = node.input
    step, starts = flat_places(data, places, axis)
    # counted from the start, which those of the flat data cannot be
    along = nodes("Mod", nodes.cast(indices, np.int64), nodes.constant(data[axis]))
    flat = nodes("Add", nodes("Mul", along, nodes.constant(step)), nodes.constant(starts))
    made = nodes("ScatterElements", *(nodes.reshape(part, -1) for part in (x, flat, updates)), **attributes)
    nodes.named(nodes.reshape(made, *data), node.output[0])
    return True


def _put_by_mask(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """ScatterND of one number where a mask of the first axes says, as PyTorch's exporter writes `x[mask] = number`: how
    many places that are is known only when it runs.
    """
    data, places, updates = node.input
    turned = values.maker(places, "Transpose")
    found = turned and values.maker(turned.input[0], "NonZero")
    while spread := values.maker(updates, "Reshape", "Expand"):
        updates = spread.input[0]
    given, reduced = values.shape(updates), attributes_of(node).get("reduction", b"none") != b"none"
    if not found or reduced or given is None or math.prod(given) != 1:
        return False
    mask, shape = found.input[0], values.shape_for(node)
    covered = values.shape(mask)
    if covered is None or covered != shape[: len(covered)]:
        return False
    mask = nodes.reshape(nodes.cast(mask, np.bool_), *covered, *[1] * (len(shape) - len(covered)))
    nodes.named(nodes("Where", mask, nodes.reshape(updates), data), node.output[0])
    return True


def _slice(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Slice before version 10, whose bounds are attributes, where TVM looks for inputs; backwards; of a size that is
    known from places that are computed, as JAX writes it, of which TVM knows no shape.
    """
    attributes = attributes_of(node)
    if "starts" not in attributes:
        return _backwards(nodes, node, values) or _window(nodes, node, values)
    bounds = [attributes["starts"], attributes["ends"], attributes.get("axes", range(len(attributes["starts"])))]
    nodes.named(nodes("Slice", node.input[0], *(nodes.constant([*bound]) for bound in bounds)), node.output[0])
    return True


def _backwards(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Bounds beyond what is there, which TVM does not cut off where it goes backwards; to the largest number is then to
    the first element, as ONNX Runtime takes it.
    """
    shape, (starts, ends, axes, steps) = values.shape(node.input[0]), map(values.constant, [*node.input, "", ""][1:5])
    if shape is None or starts is None or ends is None or steps is None or all(steps > 0):
        return False
    if axes is None:
        axes = np.arange(len(starts))
    bounds = [
        _bounds(start, end, step, shape[axis])
        for start, end, step, axis in zip(*(told.tolist() for told in (starts, ends, steps, axes)), strict=True)
    ]
    told = *zip(*bounds, strict=True), axes, steps
    nodes.named(nodes("Slice", node.input[0], *map(nodes.constant, told)), node.output[0])
    return True


def _bounds(start: int, end: int, step: int, extent: int) -> tuple[int, int]:
    """Within an axis; before its first element is said from its end, as numbers below 0 are."""
    if step < 0 and end in _TO_THE_END:
        end = -extent - 1
    low, high = (0, extent) if step > 0 else (-1, extent - 1)
    start, end = (min(max(at + extent if at < 0 else at, low), high) for at in (start, end))
    return max(start, 0), end if end >= 0 else -extent - 1


_TO_THE_END = (np.iinfo(np.int32).max, np.iinfo(np.int64).max)


def _window(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """From a place where as many are left, as the declared shape promises."""
    x, starts, ends, axes, steps = [*node.input, "", ""][:5]
    sizes, made = values.added(ends, starts), values.shape(node.output[0])
    axis_of, step_of = values.constant(axes), values.constant(steps)
    if (
        sizes is None
        or made is None
        or (axes and axis_of is None)
        or (steps and (step_of is None or any(step_of != 1)))
    ):
        return False
    shape = values.shape_for(node)
    for number, axis in enumerate(range(len(sizes)) if axis_of is None else axis_of):
        extent, size = shape[axis], made[axis]
        if size == extent:
            continue
        start = nodes.cast(nodes("Gather", starts, nodes.constant(number)), np.int64)
        counted = nodes("Add", start, nodes.constant(extent))
        start = nodes("Where", nodes("Less", start, nodes.constant(0)), counted, start)
        start = nodes("Min", nodes("Max", start, nodes.constant(0)), nodes.constant(extent - size))
        x = nodes("Gather", x, nodes("Add", start, nodes.constant(np.arange(size))), axis=int(axis))
    nodes.named(x, node.output[0])
    return True


def _turned(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """ReverseSequence, which TVM lacks: of each sequence the first so many steps backwards."""
    attributes, (x, lengths) = attributes_of(node), node.input
    shape, many = values.shape_for(node), values.constant(lengths)
    time, batch = attributes.get("time_axis", 0), attributes.get("batch_axis", 1)
    steps = np.arange(shape[time])
    if many is not None and (many == shape[time]).all():
        nodes.named(nodes("Gather", x, nodes.constant(steps[::-1]), axis=time), node.output[0])
        return True
    order = [time, batch, *range(2, len(shape))]  # these two are the first
    step, one = nodes.constant(steps[:, None]), nodes.constant(1)
    back = nodes("Sub", nodes("Sub", lengths, one), step)
    place = nodes("Where", nodes("Less", step, lengths), back, step)
    place = nodes("Add", nodes("Mul", place, nodes.constant(shape[batch])), nodes.constant(np.arange(shape[batch])))
    flat = nodes.reshape(nodes.transpose(x, *order), shape[time] * shape[batch], *shape[2:])
    nodes.named(nodes.transpose(nodes("Gather", flat, place, axis=0), *order), node.output[0])
    return True


def _not_suppressed(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """NonMaxSuppression: TVM has other defaults, suppresses no box with a score below 0, and says that all boxes were
    selected, which shapes are made of.

    What is chosen by a condition of its own is known to be of open number.
    """
    boxes, scores, *bounds = [*node.input, *[""] * 3][:5]
    known = [values.constant(name) for name in bounds]
    if any(name and bound is None for name, bound in zip(bounds, known, strict=True)):
        raise refused(node, "has bounds that are known only when it runs")
    most, overlap, least = (None if bound is None else bound.item() for bound in known)
    if least is None or least < 0:
        scores, least = _above_zero(nodes, scores), 0 if least is None else _LEAST / (1 - least)
    # by an overlap of 0 TVM selects nothing
    limits = [nodes.constant(limit, np.float32) for limit in (max(overlap or 0, _LEAST), least)]
    found = nodes("NonMaxSuppression", boxes, scores, nodes.constant(most or 0), *limits, **attributes_of(node))
    batch = nodes("Gather", found, nodes.constant(0), axis=1)
    real = nodes("GreaterOrEqual", batch, nodes.constant(0))
    nodes.named(nodes("Compress", found, real, axis=0), node.output[0])
    return True


def _above_zero(nodes: Nodes, scores: str) -> str:
    """Scores in the same order, those of 0 and less as numbers so small that no others are."""
    one, least = (nodes.constant(number, np.float32) for number in (1, _LEAST))
    below = nodes("Div", least, nodes("Sub", one, scores))
    return nodes("Where", nodes("Greater", scores, nodes.constant(0, np.float32)), scores, below)


_LEAST = 1e-30
SELECTION: dict[str, Writer] = {
    "NonMaxSuppression": _not_suppressed,
    "OneHot": _one_hot,
    "ReverseSequence": _turned,
    "Scatter": _scattered,
    "ScatterElements": _scattered,
    "ScatterND": _put_by_mask,
    "Slice": _slice,
    "Split": _split,
    "TopK": _largest,
}
