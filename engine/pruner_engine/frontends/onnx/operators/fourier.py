"""Fourier transforms of ONNX files, which TVM lacks, as products with matrices of cosines and sines."""

from __future__ import annotations

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, Writer, refused
from pruner_engine.frontends.waves import LONGEST, waves, waves_of_half


def _transform(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """DFT, along one axis of numbers whose last axis is their real part, or both."""
    form, given = attributes_of(node), [*node.input, "", ""]
    shape = values.shape_for(node)
    axis = values.constant(given[2]) if nodes.opset >= _AXIS_AS_INPUT else np.array(form.get("axis", 1))
    axis = np.array(-2) if axis is None and not given[2] else axis
    size = values.constant(given[1]) if given[1] else axis
    if axis is None or size is None:
        raise refused(node, "has a size or an axis that is known only when it runs")
    along = int(axis.item()) % len(shape)
    half, inverse = bool(form.get("onesided")), bool(form.get("inverse"))
    of_half = half and inverse  # real numbers, from complex ones
    length = int(size.item()) if given[1] else 2 * (shape[along] - 1) if of_half else shape[along]
    matrix = _waves(node, length, half, inverse, shape[-1])
    used = min(len(matrix), shape[along])
    matrix = matrix[:used]
    last = [n for n in range(len(shape) - 1) if n != along] + [along, len(shape) - 1]
    x = nodes.transpose(nodes("Gather", given[0], nodes.constant(np.arange(used)), axis=along), *last)
    outer = [shape[n] for n in last[:-2]]
    made = _product(nodes, x, outer, matrix, values.dtype(given[0]))
    nodes.named(nodes.transpose(made, *(last.index(n) for n in range(len(shape)))), node.output[0])
    return True


def _transform_of_frames(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """STFT: the spectrum of each of a signal's frames, times a window."""
    x, step, window, length = [*node.input, "", ""][:4]
    batch, extent, parts = [*values.shape_for(node), 1][:3]  # real signals may come without an axis of parts
    hop, sizes = values.constant(step), values.constant(length)
    size = values.shape_for(node, 2)[0] if window else None if sizes is None else int(sizes.item())
    if hop is None or size is None:
        raise refused(node, "has frames whose size is known only when it runs")
    starts = np.arange(0, extent - size + 1, int(hop.item()))
    places = nodes.constant(starts[:, None] + np.arange(size))
    frames = nodes("Gather", nodes.reshape(x, batch, extent, parts), places, axis=1)
    if window:
        frames = nodes("Mul", frames, nodes.reshape(window, size, 1))
    matrix = _waves(node, size, bool(attributes_of(node).get("onesided", 1)), False, parts)
    nodes.named(_product(nodes, frames, [batch, len(starts)], matrix, values.dtype(x)), node.output[0])
    return True


def _waves(node: onnx.NodeProto, size: int, half: bool, inverse: bool, parts: int) -> np.ndarray:
    if size > LONGEST:
        raise refused(node, f"transforms {size} numbers, more than {LONGEST}")
    if half and inverse:
        return waves_of_half(size)[..., None] / size
    return waves(size, half=half, inverse=inverse, parts=parts)


def _product(nodes: Nodes, x: str, outer: list[int], matrix: np.ndarray, dtype: np.dtype) -> str:
    size, parts, frequencies, made_parts = matrix.shape
    flat = nodes.reshape(x, *outer, size * parts)
    made = nodes("MatMul", flat, nodes.constant(matrix.reshape(size * parts, frequencies * made_parts), dtype))
    return nodes.reshape(made, *outer, frequencies, made_parts)


_AXIS_AS_INPUT = 20  # version of DFT
FOURIER: dict[str, Writer] = {"DFT": _transform, "STFT": _transform_of_frames}
