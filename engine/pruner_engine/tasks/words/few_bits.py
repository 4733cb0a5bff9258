"""Products of a few rows by constant weights of few bits, which stay so in memory.

A product of one row takes as long as its weights take to come from memory. Weights that lie on grids of 16 or 256
steps, however they got there, are kept as 4 or 8 bits a number, and made real ones in registers. Many rows are worth
real numbers, which are multiplied faster.
"""

from __future__ import annotations

import functools
import math
import operator
from functools import partial

import tvm
from tvm import relax, te, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import operator_of, shape_of
from pruner_engine.tasks.rewrites.halves import SUMMED_AS
from pruner_engine.tasks.words.blocks import WORD_BITS, block_weights, least_step
from pruner_engine.tasks.words.products import cut_columns, deepened, emit_outer, with_products

_MOST_ROWS = 16
_LEAST = 1 << 18  # weights: fewer stay in a cache, where real numbers are read as fast


def few_bit_products(mod: tvm.IRModule) -> tvm.IRModule:
    """Multiply a few rows by the steps of quantised weights in "main"; itself where there are no such products."""
    return with_products(mod, _Rewriter(mod))


@mutator
class _Rewriter(PyExprMutator):
    """`found` tells whether there was such a product."""

    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self.found = False

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.matmul" or not _is_worth_it(visited):
            return visited
        x, weights = visited.args
        found = block_weights(weights.value.numpy())
        if found is None:
            return visited
        self.found = True
        known = [relax.const(a, "float32") for a in (found.scales, found.middles) if a is not None]
        operands = deepened(self, x, found.depth), relax.const(found.words, "int32"), *known
        total = emit_outer(self, partial(few_bit_product, bits=found.bits), "matmul", *operands)
        return cut_columns(self, total, weights.value.shape[1])


def _is_worth_it(call: relax.Call) -> bool:
    """Whether it multiplies few rows of known number by a large constant matrix of real numbers."""
    x, weights = call.args
    shape = shape_of(x)
    if not isinstance(weights, GenericConst) or shape is None or len(shape) < 2 or len(weights.value.shape) != 2:
        return False
    kinds = {str(value.ty.dtype) for value in (x, weights)}
    real = str(call.ty.dtype) == "float32" and len(kinds) == 1 and kinds <= {"float32", *SUMMED_AS}
    return real and math.prod(shape[:-1]) <= _MOST_ROWS and math.prod(weights.value.shape) >= _LEAST


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


def _sum(terms: list[tirx.Expr]) -> tirx.Expr:
    return functools.reduce(operator.add, terms)


def _step(word: tirx.Expr, place: int, bits: int) -> tirx.Expr:
    """What is at a place of a word, as a real number; the last is shifted down, whose highest bit would be a sign."""
    mask = (1 << bits) - 1
    if (place + 1) * bits == WORD_BITS:
        return ((word >> (place * bits)) & tirx.const(mask, "int32")).astype("float32")
    return (word & tirx.const(mask << (place * bits), "int32")).astype("float32")
