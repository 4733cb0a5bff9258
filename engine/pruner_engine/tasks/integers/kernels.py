"""What multiplies and sums up bytes, which are read as words of four (`byte_products`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tvm import relax, te, tirx

from pruner_engine.byte_products import byte_products
from pruner_engine.tasks.integers.weights import WORD
from pruner_engine.tasks.widen import appended

_EVERY_BYTE = 0x01010101


@dataclass(frozen=True)
class Window:
    """What a convolution reads, rows before columns."""

    kernel: list[int]
    padding: list[int]
    strides: list[int]
    dilation: list[int]


def window_of(call: relax.Call) -> Window:
    return Window(
        kernel=[int(n) for n in list(call.args[1].ty.shape)[:2]],
        padding=[int(n) for n in call.attrs.padding],
        strides=[int(n) for n in call.attrs.strides],
        dilation=[int(n) for n in call.attrs.dilation],
    )


def matmul(x: te.Tensor, weights: te.Tensor, rows: int) -> te.Tensor:
    """Sums of products of bytes [..., rows, columns]; rows that `x` lacks are of no meaning."""
    *batch, _, depth = (int(n) for n in x.shape)
    x = appended(x, -2, rows, "pad_rows")
    k = te.reduce_axis((0, depth), name="k")
    return te.compute(
        (*batch, rows, int(weights.shape[1])),
        lambda *i: te.sum(byte_products(x(*i[:-1], k), weights(k, i[-1])), axis=k),
        name="matmul",
    )


def row_sums(x: te.Tensor, depth: int) -> te.Tensor:
    """Sums of the first `depth` bytes of rows, [..., 1]."""
    *rows, words = (int(n) for n in x.shape)
    k = te.reduce_axis((0, words), name="k")
    return te.compute((*rows, 1), lambda *i: te.sum(_sum_of(x(*i[:-1], k), k, depth), axis=k), name="sum_of_bytes")


def conv2d(x: te.Tensor, weights: te.Tensor, window: Window, outside: int) -> te.Tensor:
    """Sums of products of bytes of a convolution, NHWC and HWIO.

    Args:
        outside: the byte around the image.
    """
    axes, shape, read = _windows(_surrounded(x, window, _word_of(outside)), window)
    return te.compute(
        (*shape, int(weights.shape[3])),
        lambda n, i, j, o: te.sum(byte_products(read(n, i, j), weights(*axes, o)), axis=axes),
        name="conv2d_nhwc",
    )


def window_sums(x: te.Tensor, window: Window, outside: int, depth: int) -> te.Tensor:
    """Sums of the bytes of the first `depth` channels that a convolution reads for each pixel, [n, row, column, 1]."""
    axes, shape, read = _windows(_surrounded(x, window, _word_of(outside)), window)
    return te.compute(
        (*shape, 1),
        lambda n, i, j, _: te.sum(_sum_of(read(n, i, j), axes[-1], depth), axis=axes),
        name="sum_of_bytes",
    )


def _sum_of(word: tirx.Expr, place: te.IterVar, depth: int) -> tirx.Expr:
    """The sum of a word's bytes, the place-th of its row, as far as they are among the first `depth`."""
    ones = tirx.const(_EVERY_BYTE, "int32")
    if depth % WORD:
        ones = tirx.Select(
            place < depth // WORD, ones, tirx.const(_EVERY_BYTE & (1 << 8 * (depth % WORD)) - 1, "int32")
        )
    return byte_products(word, ones)


def depthwise(x: te.Tensor, filters: te.Tensor, zero: te.Tensor, window: Window) -> te.Tensor:
    """A depthwise convolution, NHWC and HWIO, of the bytes less their zero."""
    real = te.compute(x.shape, lambda *i: x(*i).astype("float32") - zero(0), name="real")
    padded = _surrounded(real, window, tirx.const(0, "float32"))
    (h, w, _), shape, read = _windows(padded, window)
    return te.compute(
        (*shape, int(filters.shape[3])),
        lambda n, i, j, c: te.sum(read(n, i, j, c) * filters(h, w, 0, c), axis=[h, w]),
        name="group_conv2d_nhwc",
    )


def _windows(x: te.Tensor, window: Window) -> tuple[list[te.IterVar], tuple[int, ...], Callable[..., tirx.Expr]]:
    """Reduction axes of a convolution, the extents of its result but the channels, and what it reads at a pixel.

    Args:
        x: the image with all around it.
    """
    batch, height, width, channels = (int(n) for n in x.shape)
    reach = [(n - 1) * d + 1 for n, d in zip(window.kernel, window.dilation, strict=True)]
    pixels = [(n - r) // s + 1 for n, r, s in zip((height, width), reach, window.strides, strict=True)]
    h, w, c = (te.reduce_axis((0, n), name) for n, name in zip((*window.kernel, channels), "hwc", strict=True))
    (down, across), (rows, columns) = window.strides, window.dilation
    return (
        [h, w, c],
        (batch, *pixels),
        lambda n, i, j, channel=c: x(n, i * down + h * rows, j * across + w * columns, channel),
    )


def _word_of(byte: int) -> tirx.Expr:
    word = byte * _EVERY_BYTE
    return tirx.const(word - (word >> 31 << 32), "int32")


def _surrounded(x: te.Tensor, window: Window, outside: tirx.Expr) -> te.Tensor:
    """An image with the same element all around it."""
    if not any(window.padding):
        return x
    batch, height, width, channels = (int(n) for n in x.shape)
    top, left, bottom, right = window.padding
    return te.compute(
        (batch, height + top + bottom, width + left + right, channels),
        lambda n, i, j, c: tirx.if_then_else(
            tirx.all(i >= top, i < top + height, j >= left, j < left + width), x(n, i - top, j - left, c), outside
        ),
        name="pad_temp",
    )
