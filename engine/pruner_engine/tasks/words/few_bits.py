"""Products by constant weights of few bits, which stay so in memory.

A product of one row takes as long as its weights take to come from memory. Weights that lie on grids of 16 or 256
steps, however they got there, are kept as 4 or 8 bits a number. A few rows meet them in registers; many are worth real
numbers, of which each panel is made beside its use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import partial

import numpy as np
import tvm
from tvm import relax, te
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import operator_of, shape_of
from pruner_engine.tasks.rewrites.halves import SUMMED_AS
from pruner_engine.tasks.rewrites.widen import tileable
from pruner_engine.tasks.words.blocks import BlockWeights, block_weights, words_apart
from pruner_engine.tasks.words.few_bit_kernels import few_bit_product, unpacked_product
from pruner_engine.tasks.words.products import cut, deepened, emit_outer, with_products

_FEW_ROWS = 16  # more meet each number so often that it is worth being a real one
_LEAST = 1 << 18  # weights: fewer stay in a cache, where real numbers are read as fast


def few_bit_products(mod: tvm.IRModule, *, faster: Collection[str], gpu: bool) -> tvm.IRModule:
    """Multiply by the steps of quantised weights in "main"; itself where there are no such products.

    Args:
        faster: types of which the target multiplies many rows faster than float32.
        gpu: whether it is one.
    """
    return with_products(mod, _Rewriter(mod, faster, gpu))


@mutator
class _Rewriter(PyExprMutator):
    """`found` tells whether there was such a product."""

    def __init__(self, mod: tvm.IRModule, faster: Collection[str], gpu: bool) -> None:
        super().__init__(mod)
        self.found = False
        self.faster, self.gpu = faster, gpu

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.matmul" or not _is_large(visited):
            return visited
        x, weights = visited.args
        *outer, rows, _ = shape_of(x) or [0, 0]
        few = math.prod(outer) * rows <= _FEW_ROWS
        if not few and str(weights.ty.dtype) in self.faster:
            return visited
        found = block_weights(weights.value.numpy())
        if found is None:
            return visited
        self.found = True
        words, kernel = self._form(found, rows, few)
        known = [relax.const(a, "float32") for a in (found.scales, found.middles) if a is not None]
        operands = deepened(self, x, found.depth), relax.const(words, "int32"), *known
        product = emit_outer(self, partial(kernel, bits=found.bits), "matmul", *operands)
        return cut(self, product, weights.value.shape[1], rows)

    def _form(self, weights: BlockWeights, rows: int, few: bool) -> tuple[np.ndarray, Callable[..., te.Tensor]]:
        """The words as they lie, and the kernel that reads them so."""
        if self.gpu:  # whose threads copy tiles of both operands, of neighbours along the depth
            flat = weights.words.reshape(-1, weights.words.shape[-1])
            return flat, partial(unpacked_product, rows=rows, apart=False)
        if few:
            return weights.words, few_bit_product
        return words_apart(weights), partial(unpacked_product, rows=tileable(rows), apart=True)


def _is_large(call: relax.Call) -> bool:
    """Whether it multiplies rows of known number by a large constant matrix of real numbers."""
    x, weights = call.args
    shape = shape_of(x)
    if not isinstance(weights, GenericConst) or shape is None or len(shape) < 2 or len(weights.value.shape) != 2:
        return False
    kinds = {str(value.ty.dtype) for value in (x, weights)}
    real = str(call.ty.dtype) == "float32" and len(kinds) == 1 and kinds <= {"float32", *SUMMED_AS}
    return real and math.prod(weights.value.shape) >= _LEAST
