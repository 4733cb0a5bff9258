"""Transposed convolutions of TensorFlow Lite, and of MediaPipe, to the sizes that the file tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import tflite
from tvm import relax
from tvm.relax import op as R

from pruner_engine.frontends.tflite.options import constant_of, inputs_of, options_of

if TYPE_CHECKING:
    from pruner_engine.frontends.tflite.converter import Converter

_SAME_IN_C = 1  # kTfLitePaddingSame


def _of_images(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """Of images, to a size that the file tells."""
    options = options_of(op, tflite.TransposeConvOptions)
    strides = [options.StrideH(), options.StrideW()]
    return _to_a_size(converter, op, options, R.nn.conv2d_transpose, strides, [3, 0, 1, 2])


def _of_volumes(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """The same of volumes."""
    options = options_of(op, tflite.Conv3DOptions)
    strides = [options.StrideD(), options.StrideH(), options.StrideW()]
    return _to_a_size(converter, op, options, R.nn.conv3d_transpose, strides, [4, 3, 0, 1, 2])


def _of_mediapipe(converter: Converter, op: tflite.Operator) -> relax.Expr:
    """MediaPipe's own, which always has a bias; its attributes are TensorFlow Lite's in C: padding and two strides."""
    padding, *strides = (int(n) for n in np.frombuffer(bytes(op.CustomOptionsAsNumpy()), "<i4", 3))
    x, weights, bias = inputs_of(converter, op)
    (made,) = converter.get_output_tensors(op)
    sizes = [int(n) for n in made.tensor.ShapeAsNumpy()[1:3]]
    same, across = padding == _SAME_IN_C, strides[::-1]  # the width's comes first
    out = _transposed(converter, x, weights, R.nn.conv2d_transpose, across, [3, 0, 1, 2], sizes, same=same)
    return R.add(out, bias)


def _to_a_size(
    converter: Converter,
    op: tflite.Operator,
    options: Any,
    make: Callable[..., relax.Expr],
    strides: list[int],
    order: list[int],
) -> relax.Expr:
    """A transposed convolution whose first operand is the size that it makes, with what TensorFlow Lite does behind it.

    Other arguments are those of `_transposed`.
    """
    wanted, weights, x, *bias = inputs_of(converter, op)
    sizes = [int(n) for n in constant_of(wanted)[1 : 1 + len(strides)]]
    same = options.Padding() == tflite.Padding.SAME
    out = _transposed(converter, x, weights, make, strides, order, sizes, same=same)
    return converter.convert_fused_activation_function(
        R.add(out, bias[0]) if bias else out, options.FusedActivationFunction()
    )


def _transposed(
    converter: Converter,
    x: relax.Expr,
    weights: relax.Expr,
    make: Callable[..., relax.Expr],
    strides: list[int],
    order: list[int],
    sizes: list[int],
    *,
    same: bool,
) -> relax.Expr:
    """A transposed convolution, which TVM has kernels of with channels first only.

    Args:
        make: the operator with channels first.
        order: of the weights' axes, for channels in, channels out, and space.
        sizes: of what comes out, in space.
        same: it is cut to these sizes at both ends; else all that the windows reach is there.
    """
    space = range(1, 1 + len(strides))
    kernel = converter.bb.normalize(R.permute_dims(weights, order))
    extents, window = converter.extents(x), converter.extents(kernel)[2:]
    spans = [(extents[i] - 1) * strides[i - 1] + window[i - 1] for i in space]
    cut = [max(0, span - size) if same else 0 for span, size in zip(spans, sizes, strict=True)]
    before = [n // 2 for n in cut]
    after = [n - first for n, first in zip(cut, before, strict=True)]
    more = [size - (span - n) for size, span, n in zip(sizes, spans, cut, strict=True)]
    last = len(extents) - 1
    first = R.permute_dims(x, [0, last, *space])
    out = converter.bb.normalize(make(first, kernel, strides=strides, padding=[*before, *after]))
    if any(more):  # pixels that no window reaches: the bias alone
        out = R.nn.pad(out, [0, 0, 0, 0, *(n for extra in more for n in (0, extra))])
    return R.permute_dims(out, [0, *range(2, last + 1), 1])


TRANSPOSED = {
    "TRANSPOSE_CONV": _of_images,
    "Convolution2DTransposeBias": _of_mediapipe,
    "CONV_3D_TRANSPOSE": _of_volumes,
}
