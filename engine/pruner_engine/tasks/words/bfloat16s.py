"""Convolutions and matrix products of bfloat16, two numbers in a step of a lane where the processor multiplies them.

Sums are float32. Pairs of numbers along the depth are read as words; weights are paired when the model is compiled,
what is computed by a kernel of its own.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.tasks.graph import is_nhwc, operator_of, shape_of
from pruner_engine.tasks.words import kernels
from pruner_engine.tasks.words.products import emit_conv2d, emit_matmul, is_product, with_products, words_of
from pruner_engine.tasks.words.weights import LANES

_PAIR = 2


def bfloat16_products(mod: tvm.IRModule, products: WordProducts) -> tvm.IRModule:
    """Multiply pairs of bfloat16 in "main": matrices, and convolutions in NHWC.

    Args:
        products: how.

    Returns:
        The module itself where it multiplies none.
    """
    return with_products(mod, _Rewriter(mod, products))


@mutator
class _Rewriter(PyExprMutator):
    """`found` tells whether there was a product."""

    def __init__(self, mod: tvm.IRModule, products: WordProducts) -> None:
        super().__init__(mod)
        self.found = False
        self.products = products

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name, shape = operator_of(visited), shape_of(call)
        if name not in ("relax.matmul", "relax.nn.conv2d") or shape is None or not _sums_up(call):
            return visited
        if name == "relax.matmul" and is_product(visited):
            emit = emit_matmul
        elif name == "relax.nn.conv2d" and is_nhwc(visited) and int(visited.attrs.groups) == 1:
            emit = partial(emit_conv2d, window=kernels.window_of(visited))
        else:
            return visited
        self.found = True
        words = words_of(self, visited.args[0], _PAIR)
        return emit(self, words, self._factor(visited.args[1]), shape[-1], self.products)

    def _factor(self, value: relax.Expr) -> relax.Expr:
        if isinstance(value, GenericConst):
            return relax.const(paired(value.value.numpy()), "int32")
        return self.builder_.emit_te(kernels.paired, value, primfunc_name_hint="pack_pairs")


def paired(weights: np.ndarray) -> np.ndarray:
    """Numbers of 16 bits [..., depth, columns] as words int32 [..., depth / 2, columns], with zeros up to vectors."""
    *kept, depth, columns = weights.shape
    around = np.pad(weights.view(np.int16), [*[(0, 0)] * len(kept), (0, depth % _PAIR), (0, -columns % LANES)])
    pairs = around.reshape(*kept, -(-depth // _PAIR), _PAIR, around.shape[-1])
    return np.ascontiguousarray(np.swapaxes(pairs, -1, -2)).view("<i4")[..., 0]


def _sums_up(call: relax.Call) -> bool:
    """Whether a product is one of bfloat16 in float32."""
    kinds = [str(value.ty.dtype) for value in (call, *call.args)]
    return kinds == ["float32", "bfloat16", "bfloat16"]
