"""Fourier transforms as products with matrices of cosines and sines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import arguments, type_name
from pruner_engine.frontends.torch.operators.pairs import Pair, pair_of, real_type
from pruner_engine.frontends.waves import LONGEST, cosines_and_sines, waves_of_half

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


def spectrum(importer: Conversion, node: Node) -> Pair:
    """Of real numbers; of the last axis it may hold the half that says all."""
    x, axes, scaling, half = arguments(node, "self", "dim", "normalization", "onesided")
    size, scale = _extent(x, axes[-1]), _scale(scaling, [_extent(x, axis) for axis in axes])
    cos, sin = _waves(size, size // 2 + 1 if half else size)
    real, imaginary = _along(importer, [importer.env[x]], axes[-1], np.hstack([cos, -sin]) * scale, 2, node)
    made = Pair(real, imaginary)
    for axis in axes[:-1]:
        made = _turn(importer, made, axis, _extent(x, axis), -1, 1, node)
    return made


def complex_spectrum(importer: Conversion, node: Node) -> Pair:
    """Of complex numbers, or back from their spectrum."""
    x, axes, scaling, forward = arguments(node, "self", "dim", "normalization", "forward")
    made, scale = pair_of(importer, x, node), _scale(scaling, [_extent(x, axis) for axis in axes])
    for place, axis in enumerate(axes):
        made = _turn(importer, made, axis, _extent(x, axis), -1 if forward else 1, 1 if place else scale, node)
    return made


def from_spectrum(importer: Conversion, node: Node) -> relax.Expr:
    """Real numbers from the half of their spectrum."""
    x, axes, scaling, size = arguments(node, "self", "dim", "normalization", "last_dim_size")
    made = pair_of(importer, x)
    for axis in axes[:-1]:
        made = _turn(importer, made, axis, _extent(x, axis), 1, 1, node)
    _refuse_longer(size)
    of_parts = [waves_of_half(size)[:, part] for part in range(2)]
    matrix = np.vstack(of_parts) * _scale(scaling, [_extent(node, axis) for axis in axes])
    return _along(importer, list(made), axes[-1], matrix, 1, node)[0]


def _turn(importer: Conversion, x: Pair, axis: int, size: int, sign: int, scale: float, node: Node) -> Pair:
    """The transform along an axis; `sign` is that of the angles."""
    cos, sin = _waves(size, size)
    matrix = np.block([[cos, sign * sin], [-sign * sin, cos]]) * scale
    real, imaginary = _along(importer, list(x), axis, matrix, 2, node)
    return Pair(real, imaginary)


def _waves(size: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of row * column / size turns."""
    _refuse_longer(size)
    return cosines_and_sines(size, columns, size)


def _refuse_longer(size: int) -> None:
    if size > LONGEST:
        raise ValueError(f"it has a Fourier transform of {size} numbers, more than {LONGEST}")


def _along(
    importer: Conversion, parts: Sequence[relax.Expr], axis: int, matrix: np.ndarray, many: int, node: Node
) -> list[relax.Expr]:
    """The parts along an axis, behind each other, times a matrix, in so many parts."""
    rank = len(parts[0].ty.shape)
    order = [at for at in range(rank) if at != axis % rank] + [axis % rank]
    back = [order.index(at) for at in range(rank)]
    last = [importer.emit(relax.op.permute_dims(x, order)) for x in parts]
    joined = importer.emit(relax.op.concat(last, -1)) if len(last) > 1 else last[0]
    made = importer.emit(relax.op.matmul(joined, relax.const(matrix, type_name(real_type(node)))))
    split = importer.emit(relax.op.split(made, many, -1)) if many > 1 else [made]
    return [importer.emit(relax.op.permute_dims(split[part], back)) for part in range(many)]


def _extent(node: Node, axis: int) -> int:
    extent = node.meta["val"].shape[axis]
    if type(extent) is not int:
        raise ValueError("it has a Fourier transform along an open axis")
    return extent


def _scale(scaling: int, extents: Sequence[int]) -> float:
    return (1.0, 1 / math.sqrt(math.prod(extents)), 1 / math.prod(extents))[scaling]
