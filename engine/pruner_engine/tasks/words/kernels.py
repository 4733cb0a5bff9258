"""What multiplies and sums up numbers that are read as words: bytes, which pairs are widened of, and bfloat16."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tvm import relax, te, tirx

from pruner_engine.lowering.words.products import BYTES
from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.tasks.words.weights import BYTE, LANES, MIDDLE, WORD

_EVERY_BYTE = 0x01010101
_NAN = 0x7FC0  # of bfloat16
_EVEN_BYTES = 0x00FF00FF
_KEPT = {"meta_schedule.inline_rule": "disable"}  # widened once, not for each product


@dataclass(frozen=True)
class Window:
    """What a convolution reads, rows before columns."""

    kernel: list[int]
    padding: list[int]
    strides: list[int]
    dilation: list[int]


def window_of(call: relax.Call) -> Window:
    """The window of a convolution."""
    return Window(
        kernel=[int(n) for n in list(call.args[1].ty.shape)[:2]],
        padding=[int(n) for n in call.attrs.padding],
        strides=[int(n) for n in call.attrs.strides],
        dilation=[int(n) for n in call.attrs.dilation],
    )


def matmul(x: te.Tensor, weights: te.Tensor, rows: int, products: WordProducts) -> te.Tensor:
    """Sums of products of bytes [..., rows, columns]; rows that `x` lacks are of no meaning.

    Args:
        weights: of all rows, or with the leading axes of `x`.
    """
    *batch, given, _ = (int(n) for n in x.shape)
    inside = None if given == rows else lambda *i: i[-1] < given
    x = _operand(x, (*batch, rows), products, lambda *i: i, inside, name="pad_rows")
    depth = [te.reduce_axis((0, int(n)), name="k") for n in x.shape[len(batch) + 1 :]]
    own = len(weights.shape) - len(depth) - 1  # leading axes of the weights
    return te.compute(
        (*batch, rows, int(weights.shape[-1])),
        lambda *i: te.sum(products.of(x(*i[:-1], *depth), weights(*i[:own], *depth, i[-1])), axis=depth),
        name="matmul",
    )


def packed(q: te.Tensor, products: WordProducts) -> te.Tensor:
    """Bytes [..., depth, columns] as words along the depth, as `weights.as_words` lays constants out; unsigned ones
    less 128.
    """
    most = tirx.const((1 << products.bits) - 1, "int32")
    apart = 0 if products.signed else MIDDLE
    return _in_words(q, WORD, products.bits, lambda byte: (byte.astype("int32") - apart) & most)


def paired(x: te.Tensor) -> te.Tensor:
    """Numbers of bfloat16 [..., depth, columns] as words along the depth."""

    def bits(number: tirx.Expr) -> tirx.Expr:
        # the upper half of a float32, to which TVM widens what is computed in bfloat16: it has not been rounded yet
        wide = number.astype("float32")
        whole = tirx.reinterpret("int32", wide)
        rounded = whole + ((whole >> 16) & tirx.const(1, "int32")) + tirx.const(0x7FFF, "int32")
        upper = (rounded >> 16) & tirx.const(0xFFFF, "int32")
        return tirx.Select(tirx.isnan(wide), tirx.const(_NAN, "int32"), upper)

    return _in_words(x, 2, 16, bits)


def _in_words(x: te.Tensor, several: int, bits: int, part_of: Callable[[tirx.Expr], tirx.Expr]) -> te.Tensor:
    """A matrix with words along its depth; zeros fill up words and vectors.

    Args:
        several: numbers along the depth that go into a word, or into one of the even and one of the odd ones.
        bits: of a number.
        part_of: what of a number goes into a word, its other bits 0.
    """
    *outer, depth, columns = (int(n) for n in x.shape)
    apart = several * bits // (WORD * BYTE)
    wide = -(-columns // LANES) * LANES

    def element(*i: tirx.Var) -> tirx.Expr:
        *at, word, column = i
        first = word * several + (at.pop() if apart > 1 else 0)
        places = [first + place * apart for place in range(several // apart)]
        return functools.reduce(operator.or_, (part(at, place, column) << n * bits for n, place in enumerate(places)))

    def part(at: Sequence[tirx.Expr], place: tirx.Expr, column: tirx.Expr) -> tirx.Expr:
        inside = [*([place < depth] if depth % several else []), *([column < columns] if wide > columns else [])]
        value = part_of(x(*at, place, column))
        return tirx.if_then_else(tirx.all(*inside), value, tirx.const(0, "int32")) if inside else value

    return te.compute((*outer, *([apart] if apart > 1 else []), -(-depth // several), wide), element, name="packed")


def column_sums(
    words: te.Tensor, more: te.Tensor | None, products: WordProducts, batch: int, columns: int
) -> te.Tensor:
    """Sums of the numbers of packed columns over all but `batch` leading axes, [..., 1, columns].

    Args:
        more: one number that is added to each; None for 0.
    """
    *extents, wide = (int(n) for n in words.shape)
    depth = [te.reduce_axis((0, n), "k") for n in extents[batch:]]
    ones = tirx.const(_EVERY_BYTE & _EVEN_BYTES if products.widens else _EVERY_BYTE, "int32")
    total = te.compute(
        (*extents[:batch], 1, wide),
        lambda *i: te.sum(products.of(ones, words(*i[:batch], *depth, i[-1])), axis=depth),
        name="sum_of_bytes",
    )
    if more is None and wide == columns:
        return total
    by = 0 if more is None else more(*[0] * len(more.shape))
    return te.compute((*extents[:batch], 1, columns), lambda *i: total(*i) + by, name="moved")


def row_sums(x: te.Tensor, depth: int, products: WordProducts) -> te.Tensor:
    """Sums of the first `depth` bytes of rows, which the products take on their left, [..., 1]."""
    *rows, words = (int(n) for n in x.shape)
    k = te.reduce_axis((0, words), name="k")
    return te.compute(
        (*rows, 1), lambda *i: te.sum(_sum_of(x(*i[:-1], k), k, depth, products), axis=k), name="sum_of_bytes"
    )


def conv2d(x: te.Tensor, weights: te.Tensor, window: Window, outside: int, products: WordProducts) -> te.Tensor:
    """Sums of products of bytes of a convolution, NHWC and HWIO.

    Args:
        outside: the byte around the image.
    """
    axes, shape, read = _windows(_surrounded(x, window, outside, products), window)
    return te.compute(
        (*shape, int(weights.shape[-1])),
        lambda n, i, j, o: te.sum(products.of(read(n, i, j), weights(*axes, o)), axis=axes),
        name="conv2d_nhwc",
    )


def window_sums(x: te.Tensor, window: Window, outside: int, depth: int, products: WordProducts) -> te.Tensor:
    """Sums of the bytes of the first `depth` channels that a convolution reads for each pixel, [n, row, column, 1]."""
    axes, shape, read = _windows(_surrounded(x, window, outside, BYTES), window)
    return te.compute(
        (*shape, 1),
        lambda n, i, j, _: te.sum(_sum_of(read(n, i, j), axes[-1], depth, products), axis=axes),
        name="sum_of_bytes",
    )


def _sum_of(word: tirx.Expr, place: te.IterVar, depth: int, products: WordProducts) -> tirx.Expr:
    """The sum of a word's bytes, the place-th of its row, as far as they are among the first `depth`."""
    ones = tirx.const(_EVERY_BYTE, "int32")
    if depth % WORD:
        ones = tirx.Select(
            place < depth // WORD, ones, tirx.const(_EVERY_BYTE & (1 << 8 * (depth % WORD)) - 1, "int32")
        )
    # who widens bytes has no instruction for words of four
    return BYTES.written_out(word, ones) if products.widens else products.of(word, ones)


def depthwise(x: te.Tensor, filters: te.Tensor, zero: te.Tensor, window: Window) -> te.Tensor:
    """A depthwise convolution, NHWC and HWIO, of the bytes less their zero."""
    real = te.compute(x.shape, lambda *i: x(*i).astype("float32") - zero(0), name="real")
    axes, shape, read = _windows(_surrounded(real, window), window)
    h, w, _ = axes
    return te.compute(
        (*shape, int(filters.shape[3])),
        lambda n, i, j, c: te.sum(read(n, i, j, c) * filters(h, w, 0, c), axis=[h, w]),
        name="group_conv2d_nhwc",
    )


def _windows(x: te.Tensor, window: Window) -> tuple[list[te.IterVar], tuple[int, ...], Callable[..., tirx.Expr]]:
    """Reduction axes of a convolution, the extents of its result but the channels, and what it reads at a pixel.

    Args:
        x: the image with all around it, channels on one axis or several.
    """
    batch, height, width, *channels = (int(n) for n in x.shape)
    reach = [(n - 1) * d + 1 for n, d in zip(window.kernel, window.dilation, strict=True)]
    pixels = [(n - r) // s + 1 for n, r, s in zip((height, width), reach, window.strides, strict=True)]
    h, w = (te.reduce_axis((0, n), name) for n, name in zip(window.kernel, "hw", strict=True))
    depth = [te.reduce_axis((0, n), "c") for n in channels]
    (down, across), (rows, columns) = window.strides, window.dilation
    return (
        [h, w, *depth],
        (batch, *pixels),
        lambda n, i, j, *channel: x(n, i * down + h * rows, j * across + w * columns, *(channel or depth)),
    )


def _surrounded(x: te.Tensor, window: Window, outside: int = 0, products: WordProducts | None = None) -> te.Tensor:
    """An image with the same byte, or number, all around it, as the products read it."""
    batch, height, width, _ = (int(n) for n in x.shape)
    top, left, bottom, right = window.padding

    def inside(_: tirx.Var, i: tirx.Var, j: tirx.Var) -> tirx.Expr:
        return tirx.all(i >= top, i < top + height, j >= left, j < left + width)

    return _operand(
        x,
        (batch, height + top + bottom, width + left + right),
        products,
        lambda n, i, j: (n, i - top, j - left),
        inside if any(window.padding) else None,
        outside,
        name="pad_temp",
    )


def _operand(
    x: te.Tensor,
    extents: tuple[int, ...],
    products: WordProducts | None,
    place: Callable[..., Sequence[tirx.Expr]],
    inside: Callable[..., tirx.Expr] | None,
    outside: int = 0,
    *,
    name: str,
) -> te.Tensor:
    """The left operand of products: of words of bytes, or of their even and then their odd bytes as pairs.

    Args:
        extents: of the result but its words.
        products: None where it is made of real numbers.
        place: where an element of the result comes from.
        inside: which elements come from `x`; None where all do.
        outside: the byte in place of others.
    """
    widens = products is not None and products.widens
    if inside is None and not widens:
        return x
    every = 0 if products is None else _EVEN_BYTES & _EVERY_BYTE if widens else _EVERY_BYTE
    beyond = tirx.const(_signed(outside % (1 << BYTE) * every), x.dtype)

    def element(*i: tirx.Var) -> tirx.Expr:
        *at, word = i[: len(extents)] + i[-1:]
        value = x(*place(*at), word)
        if widens:
            value = (value >> (i[-2] * BYTE)) & tirx.const(_EVEN_BYTES, "int32")
        return value if inside is None else tirx.if_then_else(inside(*at), value, beyond)

    words = int(x.shape[-1])
    return te.compute((*extents, *([2] if widens else []), words), element, name=name, attrs=_KEPT if widens else None)


def _signed(word: int) -> int:
    return word - (word >> 31 << 32)
