"""Regions of images, sampled as the library torchvision does it (`roi_align`), with an operator of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, dtype_of, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion

SCHEMA = (
    "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
    " int sampling_ratio, bool aligned) -> Tensor"
)
_CORNERS = 4  # behind the number of the image


def empty_regions(x: Tensor, rois: Tensor, scale: float, tall: int, wide: int, samples: int, aligned: bool) -> Tensor:
    """What `roi_align` gives, without its numbers."""
    return x.new_empty(rois.shape[0], x.shape[1], tall, wide)


def _aligned(importer: Conversion, node: Node) -> relax.Expr:
    """Scaled and shifted by half a pixel first, which TVM does the other way round."""
    names = [argument.name for argument in node.target._schema.arguments]
    x, regions, scale, tall, wide, samples, aligned = arguments(node, *names)
    dtype = type_name(dtype_of(regions))
    factors = np.array([1, *[scale] * _CORNERS], dtype)
    shifts = np.array([0, *[0.5 if aligned else 0] * _CORNERS], dtype)
    scaled = importer.emit(relax.op.multiply(importer.env[regions], relax.const(factors, dtype)))
    shifted = importer.emit(relax.op.subtract(scaled, relax.const(shifts, dtype)))
    return relax.op.vision.roi_align(
        importer.env[x],
        shifted,
        pooled_size=(tall, wide),
        spatial_scale=1.0,
        sample_ratio=samples,
        aligned=aligned,
        layout="NCHW",
        mode="avg",
    )


REGIONS: dict[str, Callable[[Any, Node], relax.Expr]] = {"roi_align.default": _aligned}
