"""Matrix products with constant weights of few bits, which are made real numbers in registers or beside their use."""

from __future__ import annotations

import functools
import operator

from tvm import te, tirx

from pruner_engine.tasks.rewrites.widen import appended
from pruner_engine.tasks.words.blocks import WORD_BITS, least_step


def few_bit_product(
    x: te.Tensor, words: te.Tensor, scales: te.Tensor, middles: te.Tensor | None = None, *, bits: int
) -> te.Tensor:
    """The product [..., rows, columns] with what `BlockWeights` stand for.

    A step is not shifted out of its word, which takes as long as to convert it, but masked: so it counts 2^(bits·place)
    times, and the number that it meets is made as much smaller before, which is exact. A word's steps are summed up
    before they meet their scale, and the sum of the numbers that they meet is multiplied by their middle.
    """
    *rows, depth = (int(n) for n in x.shape)
    blocks, each, columns = (int(n) for n in words.shape)
    several = WORD_BITS // bits
    b, k = te.reduce_axis((0, blocks), "block"), te.reduce_axis((0, each), "k")

    def smaller(*i: tirx.Var) -> tirx.Expr:
        power = tirx.const(1, "float32")
        for place in range(1, several - 1):
            power = tirx.Select(i[-1] % several == place, tirx.const(2.0 ** (-bits * place), "float32"), power)
        return x(*i).astype("float32") * power

    numbers = te.compute((*rows, depth), smaller, name="numbers")

    def scaled(*i: tirx.Var) -> tirx.Expr:
        *row, column = i
        steps = [_step(words(b, k, column), place, bits) for place in range(several)]
        at = [(*row, (b * each + k) * several + place) for place in range(several)]
        middle = float(least_step(bits)) if middles is None else middles(b, column)
        total = _sum([numbers(*one) * step for one, step in zip(at, steps, strict=True)])
        return (total + _sum([x(*one).astype("float32") for one in at]) * middle) * scales(b, column)

    return te.compute((*rows, columns), lambda *i: te.sum(scaled(*i), axis=[b, k]), name="matmul")


def unpacked_product(
    x: te.Tensor,
    words: te.Tensor,
    scales: te.Tensor,
    middles: te.Tensor | None = None,
    *,
    bits: int,
    rows: int,
    apart: bool,
) -> te.Tensor:
    """The product [..., rows, columns] with what `BlockWeights` stand for, words [words, columns].

    The weights are a stage of their own, which a schedule computes for what it multiplies next: all rows read them
    then. Rows that `x` lacks are zeros.

    Args:
        apart: the steps of a word lie apart along the depth, as `words_apart` has them, or else beside each other.
    """
    *batch, _, depth = (int(n) for n in x.shape)
    each, columns = (int(n) for n in words.shape)
    several, size = WORD_BITS // bits, depth // int(scales.shape[0])
    outer, inner = (several, each) if apart else (each, several)

    def real(o: tirx.Var, i: tirx.Var, column: tirx.Var) -> tirx.Expr:
        (place, word), block = (o, i) if apart else (i, o), (o * inner + i) // size
        middle = float(least_step(bits)) if middles is None else middles(block, column)
        shift = (place * bits).astype("int32")  # of the words' type, to which vectors would be widened
        step = (words(word, column) >> shift) & tirx.const((1 << bits) - 1, "int32")
        return (step.astype("float32") + middle) * scales(block, column)

    weights = te.compute((outer, inner, columns), real, name="weights")
    x = appended(x, -2, rows, "pad_rows")
    o, i = te.reduce_axis((0, outer), "outer"), te.reduce_axis((0, inner), "inner")

    def product(*at: tirx.Var) -> tirx.Expr:
        number = x(*at[:-1], o * inner + i).astype("float32")
        return te.sum(number * weights(o, i, at[-1]), axis=[o, i])

    return te.compute((*batch, rows, columns), product, name="matmul")


def _sum(terms: list[tirx.Expr]) -> tirx.Expr:
    return functools.reduce(operator.add, terms)


def _step(word: tirx.Expr, place: int, bits: int) -> tirx.Expr:
    """What is at a place of a word, as a real number; the last is shifted down, whose highest bit would be a sign."""
    mask = (1 << bits) - 1
    if (place + 1) * bits == WORD_BITS:
        return ((word >> (place * bits)) & tirx.const(mask, "int32")).astype("float32")
    return (word & tirx.const(mask << (place * bits), "int32")).astype("float32")
