"""Images resized with antialiasing, as products with matrices: each pixel is a mean of those that it stands for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, extents_of

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

_MOST_WEIGHTS = 1 << 24  # of a matrix, which a program of a few bytes could ask any number of
_Filter = Callable[[np.ndarray], np.ndarray]


def _linear(x: np.ndarray) -> np.ndarray:
    return np.maximum(1 - np.abs(x), 0)


def _cubic(x: np.ndarray) -> np.ndarray:
    x = np.abs(x)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


_OF_NAME: dict[str, tuple[_Filter, int]] = {  # and how far it reaches
    "_upsample_bilinear2d_aa.default": (_linear, 1),
    "_upsample_bicubic2d_aa.default": (_cubic, 2),
}


def _smoothed(importer: Conversion, node: Node) -> relax.Expr:
    x, corners, *factors = arguments(node, "self", "align_corners", "scales_h", "scales_w")
    before, after, dtype = extents_of(x), extents_of(node), dtype_of(node)
    if before is None or after is None or not dtype.is_floating_point:
        raise ValueError("it resizes images of whole numbers or of an open size with antialiasing")
    grown = all(old <= new for old, new in zip(before, after, strict=True))
    if _OF_NAME[node.target.__name__][0] is _linear and grown and not corners and factors == [None, None]:
        return importer.stock(node)  # of a larger image it is no other than without, by fewer products
    if max(map(math.prod, zip(before[2:], after[2:], strict=True))) > _MOST_WEIGHTS:
        raise ValueError("it resizes larger images with antialiasing than matrices are made for")
    tall, wide = (
        _weights(old, new, corners, factor, *_OF_NAME[node.target.__name__])
        for old, new, factor in zip(before[2:], after[2:], factors, strict=True)
    )
    held = torch.float64 if dtype == torch.float64 else torch.float32
    made = importer.as_type(importer.env[x], held)
    name = str(made.ty.dtype)
    made = importer.emit(relax.op.matmul(made, relax.const(wide.T.astype(name), name)))
    made = importer.emit(relax.op.matmul(relax.const(tall.astype(name), name), made))
    return importer.as_type(made, dtype)


def _weights(before: int, after: int, corners: bool, factor: float | None, filtered: _Filter, reach: int) -> np.ndarray:
    """What each of the pixels before counts in each of those after, which are the rows."""
    if corners:
        scale = (before - 1) / (after - 1) if after > 1 else 0.0
    else:
        scale = before / after if factor is None else 1 / factor
    wide = max(scale, 1.0)
    centre = scale * (np.arange(after)[:, None] + 0.5)
    first = np.maximum(np.trunc(centre - reach * wide + 0.5), 0)
    end = np.minimum(np.trunc(centre + reach * wide + 0.5), before)
    place = np.arange(before)
    weights = np.where((place >= first) & (place < end), filtered((place - centre + 0.5) / wide), 0)
    total = weights.sum(1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


SMOOTHED: dict[str, Callable[[Any, Node], relax.Expr]] = dict.fromkeys(_OF_NAME, _smoothed)
