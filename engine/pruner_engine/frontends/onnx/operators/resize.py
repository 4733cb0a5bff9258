"""Resize and Upsample of ONNX files, for any number of axes, and as ONNX Runtime computes where the source of an
element lies: TVM's importer takes scales as the ratio of the extents, which they are not where those were rounded
down, leaves the first two axes out, and ignores `axes`, `antialias` and `keep_aspect_ratio_policy`.

TVM's own kernels stay where they are right. Elsewhere the nearest elements are gathered along each axis, and the
other modes are a product with constant weights along each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of
from pruner_engine.frontends.onnx.graph.values import Values, refused

_Array = np.ndarray[Any, Any]
_NEAREST: dict[str, Callable[[_Array], _Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
# of which TVM's kernels, given the right extents, make what ONNX says
_OF_TVM = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}


def write_resize(nodes: Nodes, node: onnx.NodeProto, values: Values) -> bool:
    """Write a Resize or an Upsample anew.

    Raises:
        UserError: its extents are known only when it runs, or it interpolates whole numbers.
    """
    attributes = attributes_of(node)
    if nodes.opset < 11:  # has no attribute but the mode
        attributes |= {"coordinate_transformation_mode": b"asymmetric", "nearest_mode": b"simple"}
    mode = attributes.get("mode", b"nearest").decode()
    where = attributes.get("coordinate_transformation_mode", b"half_pixel").decode()
    x, axes = node.input[0], _axes(node, nodes.opset, attributes, values)
    dtype = values.dtype(x)
    if mode != "nearest" and dtype.kind in "iub":
        raise refused(node, f"is {mode} on whole numbers")
    if _suits_tvm(axes, mode, where, attributes):
        x = nodes("Resize", x, "", "", nodes.constant([axis.size for axis in axes]), **_explicit(attributes, axes))
    else:
        for number, axis in enumerate(axes):
            if axis.size == axis.extent and axis.scale == 1 and where != "tf_crop_and_resize":
                continue
            sources = axis.sources(where)
            if mode == "nearest":
                nearest = _NEAREST[axis.nearest(attributes)](sources).clip(0, axis.extent - 1)
                x = nodes("Gather", x, nodes.constant(nearest), axis=number)
            else:
                shape = [a.size for a in axes[:number]] + [a.extent for a in axes[number:]]
                x = _product(nodes, x, shape, number, axis.weights(sources, mode, attributes).astype(dtype))
            outside = (sources < 0) | (sources > axis.extent - 1)
            if where == "tf_crop_and_resize" and outside.any():
                mask = nodes.constant(outside.reshape(-1, *[1] * (len(axes) - 1 - number)), np.bool_)
                x = nodes("Where", mask, nodes.constant(attributes.get("extrapolation_value", 0.0), dtype), x)
    nodes.named(x, node.output[0])
    return True


@dataclass(frozen=True)
class _Axis:
    extent: int  # before
    size: int  # after
    scale: np.float32
    roi: tuple[float, float]

    def nearest(self, attributes: dict[str, Any]) -> str:
        rounding = attributes.get("nearest_mode", b"round_prefer_floor").decode()
        return rounding if rounding != "simple" else "floor" if self.scale >= 1 else "ceil"

    def sources(self, where: str) -> _Array:
        """Where along the input each element lies, in 32 bits: what is rounded there must be what others round."""
        at = np.arange(self.size, dtype=np.float32)
        half = np.float32(0.5)
        if where == "asymmetric":
            found = at / self.scale
        elif where == "tf_half_pixel_for_nn":
            found = (at + half) / self.scale
        elif where == "align_corners":
            found = at * (self.extent - 1) / max(self.size - 1, 1)
        elif where == "tf_crop_and_resize":
            start, end = (side * (self.extent - 1) for side in self.roi)
            found = start + at * (end - start) / (self.size - 1) if self.size > 1 else at + (start + end) / 2
        elif where == "pytorch_half_pixel" and self.size == 1:
            found = at
        elif where == "half_pixel_symmetric":  # in which elements lie right between two, so in all bits
            scale = float(self.scale)
            found = (
                self.extent / 2 * (1 - self.size / (scale * self.extent)) + (np.arange(self.size) + 0.5) / scale - 0.5
            )
        else:
            found = (at + half) / self.scale - half
        return found.astype(np.float64)

    def weights(self, sources: _Array, mode: str, attributes: dict[str, Any]) -> _Array:
        """What each element of the input weighs in each of the output, [size, extent]."""
        # an antialiasing kernel is as wide as what becomes one element
        narrow = min(float(self.scale), 1.0) if attributes.get("antialias") else 1.0
        reach = (1 if mode == "linear" else 2) / narrow
        taps = np.floor(sources - reach)[:, None] + 1 + np.arange(math.ceil(2 * reach) + 1)
        distance = np.abs(taps - sources[:, None]) * narrow
        if mode == "linear":
            weights = np.maximum(1 - distance, 0)
        else:
            weights = _cubic(distance, attributes.get("cubic_coeff_a", -0.75))
        if attributes.get("exclude_outside"):
            weights[(taps < 0) | (taps >= self.extent)] = 0
        total = weights.sum(axis=1, keepdims=True)
        weights /= np.where(total == 0, 1, total)
        matrix = np.zeros((self.size, self.extent))
        np.add.at(matrix, (np.arange(self.size)[:, None], taps.clip(0, self.extent - 1).astype(int)), weights)
        return matrix


def _cubic(x: _Array, a: float) -> _Array:
    near = ((a + 2) * x - (a + 3)) * x**2 + 1
    return np.where(x <= 1, near, np.where(x < 2, a * (((x - 5) * x + 8) * x - 4), 0))


def _axes(node: onnx.NodeProto, opset: int, attributes: dict[str, Any], values: Values) -> list[_Axis]:
    """All axes of a node's input."""
    shape = values.shape_for(node)
    given = [*node.input, *[""] * 3]
    if opset < 11:  # Upsample and the first Resize: no region, no sizes
        given[1:4] = ["", given[1], ""]
    roi, scales, sizes = (values.constant(name) for name in given[1:4])
    if "scales" in attributes:
        scales = np.array(attributes["scales"], np.float32)
    which = [int(axis) % len(shape) for axis in attributes.get("axes", range(len(shape)))]
    policy = attributes.get("keep_aspect_ratio_policy", b"stretch").decode()
    if given[3] and sizes is None and policy == "stretch":  # computed from shapes, which the inference follows
        made = values.shape(node.output[0])
        sizes = None if made is None else np.array([made[axis] for axis in which])
    if not given[3] and scales is not None:
        ratios = dict(zip(which, scales.astype(np.float32), strict=True))
        extents = {axis: int(np.float32(shape[axis]) * ratio) for axis, ratio in ratios.items()}
    elif sizes is not None:
        extents, ratios = _sized(shape, dict(zip(which, map(int, sizes), strict=True)), policy)
    else:
        raise refused(node, "has an output whose size is known only when it runs")
    region = {} if roi is None or not roi.size else dict(zip(which, roi.reshape(2, -1).T.tolist(), strict=True))
    if not region and attributes.get("coordinate_transformation_mode") == b"tf_crop_and_resize":
        raise refused(node, "has a region that is known only when it runs")
    return [
        _Axis(extent, extents.get(axis, extent), ratios.get(axis, np.float32(1)), tuple(region.get(axis, (0.0, 1.0))))
        for axis, extent in enumerate(shape)
    ]


def _sized(shape: list[int], sizes: dict[int, int], policy: str) -> tuple[dict[int, int], dict[int, np.float32]]:
    """Extents and scales by axis, of the sizes that a node asks for."""
    ratios = {axis: np.float32(size) / np.float32(shape[axis]) for axis, size in sizes.items()}
    if policy == "stretch":
        return sizes, ratios
    ratio = (min if policy == "not_larger" else max)(ratios.values())
    return {axis: math.floor(ratio * shape[axis] + np.float32(0.5)) for axis in sizes}, dict.fromkeys(sizes, ratio)


def _suits_tvm(axes: list[_Axis], mode: str, where: str, attributes: dict[str, Any]) -> bool:
    outer, inner = axes[:2], axes[2:]
    if where not in _OF_TVM or attributes.get("antialias") or not 1 <= len(inner) <= 3:
        return False
    if any(axis.size != axis.extent or axis.scale != 1 for axis in outer):
        return False
    if where == "align_corners":  # which does not look at the scale; TVM divides by the size less one
        return mode != "nearest" and all(axis.size > 1 for axis in inner)
    if mode == "nearest":  # where the ratio is no whole number, TVM's may round to the element beside
        return all(axis.size == axis.extent * axis.scale and axis.size % axis.extent == 0 for axis in inner)
    return all(np.isclose(axis.scale, axis.size / axis.extent, rtol=1e-6) for axis in inner)


def _explicit(attributes: dict[str, Any], axes: list[_Axis]) -> dict[str, Any]:
    """What TVM reads of the attributes."""
    read = ("mode", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside")
    return {k: v for k, v in attributes.items() if k in read} | {"nearest_mode": axes[-1].nearest(attributes)}


def _product(nodes: Nodes, x: str, shape: list[int], axis: int, weights: _Array) -> str:
    """`weights` [new extent, extent] times `x` along one of its axes."""
    outer, inner = shape[:axis], shape[axis + 1 :]
    if not inner:
        return nodes("MatMul", x, nodes.constant(weights.T, weights.dtype))
    rows = nodes.reshape(x, math.prod(outer), shape[axis], math.prod(inner))
    product = nodes("MatMul", nodes.constant(weights, weights.dtype), rows)
    return nodes.reshape(product, *outer, len(weights), *inner)
