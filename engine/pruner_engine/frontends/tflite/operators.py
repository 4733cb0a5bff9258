"""Operators of TensorFlow Lite that TVM refuses, or converts to something that it cannot compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import tflite
from tvm import relax
from tvm.relax import op as R

from pruner_engine.frontends.tflite.complex_numbers import COMPLEX
from pruner_engine.frontends.tflite.options import constant_of, inputs_of, options_of
from pruner_engine.frontends.tflite.transposed import TRANSPOSED

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter

_MOST = 1 << 26  # elements that are written out as constants


def batched_product(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Of matrices, whose other axes are broadcast."""
    options = options_of(op, tflite.BatchMatMulOptions)
    a, b = inputs_of(converter, op)
    left = _turned(converter, a) if options.AdjX() else a
    right = _turned(converter, b) if options.AdjY() else b
    return R.matmul(left, right)


def _turned(converter: Converter, x: relax.Expr) -> relax.Expr:
    rank = len(converter.extents(x))
    return converter.bb.normalize(R.permute_dims(x, [*range(rank - 2), rank - 1, rank - 2]))


def space_to_batch(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Blocks of an image, as images of their own."""
    x, blocks, padding = inputs_of(converter, op)
    block, pads = constant_of(blocks).tolist(), constant_of(padding).tolist()
    k, others = len(block), len(converter.extents(x)) - 1 - len(block)
    x = converter.bb.normalize(R.nn.pad(x, [0, 0, *(n for pair in pads for n in pair), *[0, 0] * others]))
    batch, *extents = converter.extents(x)
    counts = [size // b for size, b in zip(extents[:k], block, strict=True)]
    parted = [batch, *(part for pair in zip(counts, block, strict=True) for part in pair), *extents[k:]]
    order = [*range(2, 2 * k + 1, 2), 0, *range(1, 2 * k, 2), *range(2 * k + 1, len(parted))]
    out = R.permute_dims(converter.bb.normalize(R.reshape(x, parted)), order)
    return R.reshape(out, [batch * math.prod(block), *counts, *extents[k:]])


def batch_to_space(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Images that are blocks of larger ones, put together."""
    x, blocks, cropped = inputs_of(converter, op)
    block, crops = constant_of(blocks).tolist(), constant_of(cropped).tolist()
    images, *extents = converter.extents(x)
    k, batch = len(block), images // math.prod(block)
    out = converter.bb.normalize(R.reshape(x, [*block, batch, *extents]))
    order = [k, *(axis for i in range(k) for axis in (k + 1 + i, i)), *range(2 * k + 1, k + 1 + len(extents))]
    out = converter.bb.normalize(R.permute_dims(out, order))
    sizes = [size * b for size, b in zip(extents[:k], block, strict=True)]
    out = converter.bb.normalize(R.reshape(out, [batch, *sizes, *extents[k:]]))
    ends = [size - crop[1] for size, crop in zip(sizes, crops, strict=True)]
    return R.strided_slice(out, list(range(1, 1 + k)), [crop[0] for crop in crops], ends)


def gather(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """What indices select along an axis, in each of a batch its own."""
    options = options_of(op, tflite.GatherOptions)
    x, indices = inputs_of(converter, op)
    extents, selected = converter.extents(x), converter.extents(indices)
    axis, batch = options.Axis() % len(extents), options.BatchDims() % (len(selected) + 1)
    if not batch:
        return R.take(x, indices, axis)
    before = list(range(batch, axis))
    first = R.permute_dims(x, [*range(batch), axis, *before, *range(axis + 1, len(extents))])
    images = math.prod(extents[:batch])
    rest = [*(extents[i] for i in before), *extents[axis + 1 :]]
    rows = converter.bb.normalize(R.reshape(first, [images * extents[axis], *rest]))
    starts = np.arange(images).reshape([*extents[:batch], *[1] * (len(selected) - batch)]) * extents[axis]
    places = R.add(R.astype(indices, "int64"), relax.const(starts.astype("int64"), "int64"))
    out = converter.bb.normalize(R.take(rows, converter.bb.normalize(places), 0))
    inner = len(selected) - batch
    moved = range(batch + inner, batch + inner + len(before))
    order = [*range(batch), *moved, *range(batch, batch + inner), *range(moved.stop, len(converter.extents(out)))]
    return R.permute_dims(out, order)


def gather_points(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """What each row of indices selects."""
    x, indices = inputs_of(converter, op)
    return R.gather_nd(x, R.astype(indices, "int64"))


def scatter_points(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Zeros, and at each row of indices the sum of what is put there."""
    indices, updates, shape = inputs_of(converter, op)
    dtype = str(converter.bb.normalize(updates).ty.dtype)
    return R.scatter_nd(R.zeros(constant_of(shape).tolist(), dtype), R.astype(indices, "int64"), updates, "add")


def diagonal(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Matrices of zeros with such diagonals."""
    (x,) = inputs_of(converter, op)
    extents, dtype = converter.extents(x), str(converter.bb.normalize(x).ty.dtype)
    return R.where(_eye(extents[-1], extents[-1]), R.expand_dims(x, -1), relax.const(0, dtype))


def set_diagonal(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Matrices with other diagonals."""
    x, values = inputs_of(converter, op)
    rows, columns = converter.extents(x)[-2:]
    rank = len(converter.extents(x))
    if columns < rows:  # as many values as rows, the last of which are not read
        values = converter.bb.normalize(R.nn.pad(values, [*[0] * (2 * rank - 3), rows - columns]))
    return R.where(_eye(rows, columns), R.expand_dims(values, -1), x)


def _eye(rows: int, columns: int) -> relax.Expr:
    """Where the diagonal of a matrix is."""
    _refuse_beyond(rows * columns)
    return relax.const(np.eye(rows, columns, dtype=bool), "bool")


def mirrored(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Padding by what lies behind the edge, with or without the edge itself."""
    mode = options_of(op, tflite.MirrorPadOptions).Mode()
    x, padding = inputs_of(converter, op)
    for axis, (first, last) in enumerate(constant_of(padding).tolist()):
        if first or last:
            kind: Any = "reflect" if mode == tflite.MirrorPadMode.REFLECT else "symmetric"
            there = converter.extents(x)[axis]
            _refuse_beyond(first + there + last)
            x = _taken(converter, x, np.pad(np.arange(there), (first, last), mode=kind), axis)
    return x


def sum_so_far(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Along an axis, from either end, with or without the number itself."""
    options = options_of(op, tflite.CumsumOptions)
    x, axis = inputs_of(converter, op)
    along = int(constant_of(axis).reshape(())) % len(converter.extents(x))
    turned = R.flip(x, along) if options.Reverse() else x
    summed = R.cumsum(converter.bb.normalize(turned), along, exclusive=bool(options.Exclusive()))
    return R.flip(converter.bb.normalize(summed), along) if options.Reverse() else summed


def nearest(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Pixels nearest to where an image of another size has its own, as the runtime rounds."""
    options = options_of(op, tflite.ResizeNearestNeighborOptions)
    x, size = inputs_of(converter, op)
    corners, centred = bool(options.AlignCorners()), bool(options.HalfPixelCenters())
    for axis, wanted in enumerate(constant_of(size).tolist(), start=1):
        _refuse_beyond(wanted)
        there = converter.extents(x)[axis]
        ends = corners and wanted > 1
        scale = np.float32(there - 1) / np.float32(wanted - 1) if ends else np.float32(there) / np.float32(wanted)
        at = (np.arange(wanted, dtype="float32") + np.float32(0.5 if centred else 0)) * scale
        places = np.floor(at + np.float32(0.5)) if corners else np.floor(at)
        x = _taken(converter, x, np.clip(places, 0, there - 1), axis)
    return x


def _taken(converter: Converter, x: relax.Expr, places: np.ndarray, axis: int) -> relax.Expr:
    """What lies in these places along an axis."""
    return converter.bb.normalize(R.take(x, relax.const(places.astype("int64"), "int64"), axis))


def mean(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Of whole numbers, too, without what is behind the point."""
    keep = bool(options_of(op, tflite.ReducerOptions).KeepDims())
    x, axes = inputs_of(converter, op)
    numbers = R.astype(x, "float32") if "int" in str(converter.bb.normalize(x).ty.dtype) else x
    return R.mean(converter.bb.normalize(numbers), [int(axis) for axis in constant_of(axes).reshape(-1)], keep)


def gelu(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """With the error function, or with the hyperbolic tangent."""
    (x,) = inputs_of(converter, op)
    return R.nn.gelu_tanh(x) if options_of(op, tflite.GeluOptions).Approximate() else R.nn.gelu(x)


def with_axis(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """A tensor with one more axis, of which there is one place."""
    x, axis = inputs_of(converter, op)
    return R.expand_dims(x, int(constant_of(axis).item()))


def shape(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """The shape of a tensor, which is known."""
    (x,) = inputs_of(converter, op)
    dtype = converter.get_tensor_type_str(options_of(op, tflite.ShapeOptions).OutType())
    return relax.const(np.array(converter.extents(x), dtype), dtype)


OPERATORS: dict[str, Callable[[Converter, tflite.Operator], relax.Expr]] = {
    **COMPLEX,
    **TRANSPOSED,
    "BATCH_MATMUL": batched_product,
    "SPACE_TO_BATCH_ND": space_to_batch,
    "BATCH_TO_SPACE_ND": batch_to_space,
    "GATHER": gather,
    "GATHER_ND": gather_points,
    "SCATTER_ND": scatter_points,
    "MATRIX_DIAG": diagonal,
    "MATRIX_SET_DIAG": set_diagonal,
    "MIRROR_PAD": mirrored,
    "CUMSUM": sum_so_far,
    "RESIZE_NEAREST_NEIGHBOR": nearest,
    "MEAN": mean,
    "GELU": gelu,
    "EXPAND_DIMS": with_axis,
    "SHAPE": shape,
}


def _refuse_beyond(count: int) -> None:
    """Raises a ValueError where a file asks for more places than any image or matrix has."""
    if not 0 <= count <= _MOST:
        raise ValueError(f"an operator is to make {count} elements along an axis")
