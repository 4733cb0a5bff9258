"""Images resized and pooled as PyTorch does it, where TVM's importer computes something else or a part only.

It resizes by the ratio of the sizes, where PyTorch goes by the factor that is given (5 pixels times 1.5 are 7, each
1/1.5 of a pixel, not 5/7), takes the pixel nearest to the centre instead of the one at the corner, and gives zeros as
the places of maxima.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, type_name
from pruner_engine.frontends.windows import members, windows_along

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def _nearest(importer: Conversion, node: Node) -> relax.Expr:
    x, factors = arguments(node, "input", "scale_factors")
    places = []
    spans = list(zip(_inner(x, 2), _inner(node, 2), factors or (None, None), strict=True))
    for before, after, factor in spans:
        by_sizes = after in (before, 2 * before)  # then PyTorch leaves the factor alone
        scale = _scale(before, after, None if by_sizes else factor)
        place = np.floor(np.arange(after, dtype="float32") * scale).astype("int64")
        places.append(np.minimum(place, before - 1))
    # all pixels repeated equally often: there TVM's choice is the same, in one pass
    if all(
        np.array_equal(place, np.arange(before).repeat(after // before))
        for place, (before, after, _) in zip(places, spans, strict=True)
    ):
        return importer.stock(node)
    made = importer.env[x]
    for axis, place in enumerate(places, 2):
        made = importer.emit(relax.op.take(made, relax.const(place, "int64"), axis=axis))
    return made


def _bilinear(importer: Conversion, node: Node) -> relax.Expr:
    x, corners, factors = arguments(node, "input", "align_corners", "scale_factors")
    dtype = dtype_of(node)
    if not dtype.is_floating_point:
        raise ValueError("it interpolates between whole numbers")
    if factors is None and not corners:  # by the ratio of the sizes, as TVM does it
        return importer.stock(node)
    name, spans = type_name(dtype), list(zip(_inner(x, 2), _inner(node, 2), factors or (None, None), strict=True))
    if all(before == after for before, after, _ in spans):  # whatever the factors are
        return importer.env[x]
    if all(after > 1 if corners else factor in (None, after / before) for before, after, factor in spans):
        return importer.stock(node)
    made = importer.env[x]
    for axis, (before, after, factor) in enumerate(spans, 2):
        step = np.arange(after, dtype="float32")
        if corners:
            place = step * np.float32((before - 1) / max(after - 1, 1))
        else:
            place = np.maximum((step + np.float32(0.5)) * _scale(before, after, factor) - np.float32(0.5), 0)
        low = np.minimum(place.astype("int64"), before - 1)
        weight = (place - low).reshape([-1, *[1] * (3 - axis)])
        parts = [
            relax.op.multiply(relax.op.take(made, relax.const(at, "int64"), axis=axis), relax.const(by, name))
            for at, by in ((low, 1 - weight), (np.minimum(low + 1, before - 1), weight))
        ]
        made = importer.emit(relax.op.add(*parts))
    return made


def _scale(before: int, after: int, factor: float | None) -> np.float32:
    """Pixels before for one after, to PyTorch's precision."""
    return np.float32(before) / np.float32(after) if factor is None else np.float32(1 / factor)


def _max_pool(importer: Conversion, node: Node) -> Any:
    """Also without steps of its own, which a program says as steps of no axis: those are as wide as the windows."""
    if not _asks_where(node):
        if len(node.args) > 2 and not node.args[2]:
            node.update_arg(2, node.args[1])
        return importer.stock(node)
    x, kernel, stride, padding, dilation = arguments(node, "self", "kernel_size", "stride", "padding", "dilation")
    rank = int(node.target.__name__[len("max_pool")])
    given = (_each(numbers, rank) for numbers in (kernel, stride or kernel, padding, dilation))
    places = [windows_along(*numbers) for numbers in zip(_inner(node, rank), *given, strict=True)]
    return _maxima(importer, node, x, places)


def _adaptive_max_pool(importer: Conversion, node: Node) -> list[relax.Expr]:
    x, rank = node.args[0], int(node.target.__name__[len("adaptive_max_pool")])
    places = []
    for before, after in zip(_inner(x, rank), _inner(node, rank), strict=True):
        step = np.arange(after)
        first, end = step * before // after, -(-(step + 1) * before // after)
        place = first[:, None] + np.arange(np.max(end - first))
        places.append(np.where(place < end[:, None], place, -1))
    return _maxima(importer, node, x, places)


def _maxima(importer: Conversion, node: Node, x: Node, places: list[np.ndarray]) -> list[relax.Expr]:
    """The maxima of windows, and where in the image they are if that is asked.

    `places` has for each axis of the image the windows along it, as rows; some of a row may be outside.
    """
    sizes = _inner(x, len(places))
    table = members(places, sizes)
    windows, many = table.shape
    image = importer.env[x]
    outer = list(image.ty.shape)[: -len(places)]
    made = [*outer, *_inner(node, len(places))]
    image = importer.emit(relax.op.reshape(image, [*outer, math.prod(sizes)]))
    found = importer.emit(relax.op.take(image, relax.const(table, "int64"), axis=len(outer)))
    maxima = importer.emit(relax.op.reshape(relax.op.max(found, axis=-1), made))
    if not _asks_where(node):
        return [maxima]
    member = relax.op.add(relax.op.argmax(found, axis=-1), relax.const(np.arange(windows) * many, "int64"))
    where = importer.emit(relax.op.take(relax.const(table.reshape(-1), "int64"), importer.emit(member), axis=0))
    return [maxima, importer.emit(relax.op.reshape(where, made))]


def _asks_where(node: Node) -> bool:
    """Whether the second result of a pooling is used."""
    return any(user.args[1] == 1 for user in node.users)


def _avg_pool(importer: Conversion, node: Node) -> relax.Expr:
    """Windows whose sums are divided by a number of its own: averages of what is inside and zeros, times a factor.

    Those of whole numbers are rounded towards 0 once, at the end.
    """
    names = ("self", "kernel_size", "stride", "padding", "ceil_mode", "divisor_override")
    x, kernel, stride, padding, ceil, divisor = arguments(node, *names)
    if divisor is None:
        return importer.stock(node)
    if ceil:
        raise ValueError("it divides sums of windows that reach over the edge by a number of its own")
    count = math.prod(_each(kernel, int(node.target.__name__[len("avg_pool")])))
    given, whole = (node.args, node.kwargs), not dtype_of(node).is_floating_point
    node.args, node.kwargs = (x, kernel, stride, padding, False, True), {}
    try:
        made = importer.stock(node, {x: importer.as_type(importer.env[x], torch.float64)} if whole else None)
    finally:
        node.args, node.kwargs = given
    if whole:
        sums = importer.emit(relax.op.round(relax.op.multiply(made, relax.const(float(count), "float64"))))
        return importer.emit(relax.op.trunc(relax.op.divide(sums, relax.const(float(divisor), "float64"))))
    factor = relax.const(count / divisor, type_name(dtype_of(node)))
    return importer.emit(relax.op.multiply(made, factor))


def _each(value: Any, rank: int) -> list[int]:
    """One number for each axis, where one may be given for all."""
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * rank if len(numbers) == 1 else numbers


def _inner(node: Node, rank: int) -> list[int]:
    """Height and width of images, or as many extents as `rank` says."""
    value = node.meta["val"]
    sizes = list((value[0] if isinstance(value, tuple | list) else value).shape)[-rank:]
    if not all(type(size) is int for size in sizes):
        raise ValueError("it resizes or pools images whose size is open")
    return sizes


def _grid_sampler(importer: Conversion, node: Node) -> relax.Var:
    """TVM has the coordinates on the second axis, PyTorch on the last."""
    names = ("input", "grid", "interpolation_mode", "padding_mode", "align_corners")
    x, grid, method, outside, corners = arguments(node, *names)
    return importer.emit(
        relax.op.image.grid_sample(
            importer.env[x],
            importer.emit(relax.op.permute_dims(importer.env[grid], [0, 3, 1, 2])),
            method=("bilinear", "nearest", "bicubic")[method],
            layout="NCHW",
            padding_mode=("zeros", "border", "reflection")[outside],
            align_corners=corners,
        )
    )


IMAGES: dict[str, Callable[[Conversion, Node], Any]] = {
    "adaptive_max_pool2d.default": _adaptive_max_pool,
    "adaptive_max_pool3d.default": _adaptive_max_pool,
    "avg_pool2d.default": _avg_pool,
    "avg_pool3d.default": _avg_pool,
    "grid_sampler_2d.default": _grid_sampler,
    "max_pool2d_with_indices.default": _max_pool,
    "max_pool3d_with_indices.default": _max_pool,
    "upsample_bilinear2d.vec": _bilinear,
    "upsample_nearest2d.vec": _nearest,
}
