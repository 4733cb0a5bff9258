"""Convolutions and matrix products of quantised models on bytes, where the processor multiplies them.

An operand (q - z) · s of bytes q, unsigned or signed as the processor has it, with one scale and one zero, meets
constant weights (p + m) · t of signed bytes p, with a scale t and a middle m, mostly 0, for each output channel. Their
product is the sum of q · p, plus m times the sum of q, less z times the sum of p + m, all times s · t: whole numbers
until the last step. The bytes are read as words of four (`WordProducts`). Where numbers of 16 bits are multiplied, p
has no middle, and the kernel widens q before.

Depthwise convolutions, which have no sums long enough, multiply real numbers, but read the bytes themselves.

The weights come as real numbers: that they lie on a grid of bytes is found out, however they got there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tvm
from tvm import relax, te
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.tasks.graph import OUTER, is_nhwc, operator_of, shape_of
from pruner_engine.tasks.rewrites.winograd import share_of
from pruner_engine.tasks.words import kernels
from pruner_engine.tasks.words.operands import Bytes, Factor, bytes_of, computed_factor, constant_factor
from pruner_engine.tasks.words.products import emit_conv2d, emit_matmul, is_product, with_products, words_of
from pruner_engine.tasks.words.weights import WORD

_FEW_CHANNELS = 8  # below it widening takes as long as the products
_PAIRS_SHARE = 0.66  # of a plain convolution's time, that one of pairs takes


def integer_products(mod: tvm.IRModule, products: WordProducts, winograd_lanes: int) -> tvm.IRModule:
    """Multiply bytes instead of real numbers in "main": matrices by constant ones, and convolutions in NHWC.

    Args:
        products: how.
        winograd_lanes: of a vector of real numbers; 0 where Winograd's convolution is not to be had.

    Returns:
        The module itself where it multiplies no bytes.
    """
    return with_products(mod, _Rewriter(mod, products, winograd_lanes))


@mutator
class _Rewriter(PyExprMutator):
    """`found` tells whether there was a product of bytes."""

    def __init__(self, mod: tvm.IRModule, products: WordProducts, winograd_lanes: int) -> None:
        super().__init__(mod)
        self.found = False
        self.products = products
        self.winograd_lanes = winograd_lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = operator_of(visited)
        if shape_of(call) is None:
            return visited
        if name == "relax.nn.max_pool2d":
            return self._pooled(visited)
        if name == "relax.matmul" and is_product(visited):
            return self._product(visited, call)
        if name == "relax.nn.conv2d" and is_nhwc(visited):
            return self._convolution(visited, call) if int(visited.attrs.groups) == 1 else self._depthwise(visited)
        return visited

    # ------------------------------------------------------------ operators

    def _pooled(self, call: relax.Call) -> relax.Expr:
        """The largest of real numbers is that of the largest byte."""
        x = bytes_of(self, call.args[0], self.products)
        if x is None or x.known is None or x.known[0] <= 0:
            return call
        largest = self.builder_.emit(relax.Call(call.op, [x.q], call.attrs))
        number = self.builder_.emit(relax.op.astype(largest, "float32"))
        if x.zero:  # with axes, so that it is an argument of the kernel
            zero = relax.const(np.full([1] * len(shape_of(x.q) or ()), x.zero), "float32")
            number = self.builder_.emit(relax.op.subtract(number, zero))
        return relax.op.multiply(number, x.scale)

    def _product(self, call: relax.Call, original: relax.Call) -> relax.Expr:
        operands = self._operands(call, len(shape_of(call.args[1]) or []) - 2)
        return call if operands is None else self._result(emit_matmul, kernels.row_sums, *operands, original)

    def _convolution(self, call: relax.Call, original: relax.Call) -> relax.Expr:
        operands, window = self._operands(call) if self._gains(original) else None, kernels.window_of(call)
        if operands is None or (any(window.padding) and not isinstance(operands[0].zero, int)):
            return call
        x, factor = operands
        around: dict[str, Any] = {"window": window, "outside": x.zero if isinstance(x.zero, int) else 0}
        return self._result(partial(emit_conv2d, **around), partial(kernels.window_sums, **around), x, factor, original)

    def _gains(self, call: relax.Call) -> bool:
        """Whether it is faster than in real numbers: pairs take half the instructions, Winograd's convolution fewer."""
        if not self.products.widens:
            return True
        *_, channels, _ = shape_of(call.args[1]) or [0, 0]
        winograds = share_of(call, self.winograd_lanes) if self.winograd_lanes else 1.0
        return channels >= _FEW_CHANNELS and winograds > _PAIRS_SHARE

    def _depthwise(self, call: relax.Call) -> relax.Expr:
        *_, inputs, filters = shape_of(call.args[1]) or [0, 0]
        single = isinstance(call.args[1], GenericConst) and inputs == 1 and int(call.attrs.groups) == filters
        x = bytes_of(self, call.args[0], self.products) if single else None
        if x is None or x.known is None:
            return call
        scale, zero = x.known
        return self.builder_.call_te(
            partial(kernels.depthwise, window=kernels.window_of(call)),
            x.q,
            relax.const(call.args[1].value.numpy() * scale, "float32"),
            relax.const(np.array([zero], "float32")),
            primfunc_name_hint="conv2d",
            primfunc_attrs=OUTER,
        )

    def _operands(self, call: relax.Call, batch: int = 0) -> tuple[Bytes, Factor] | None:
        """Both operands; None where one is made of no bytes, or the result of something else than their numbers."""
        x = bytes_of(self, call.args[0], self.products)
        wanted = "int32" if x is None or x.scale is None else "float32"
        if x is None or str(call.ty.dtype) != wanted:
            return None
        factor = self._factor(call.args[1], batch)
        return (x, factor) if factor is not None and (x.scale is None) == (factor.scale is None) else None

    def _factor(self, value: relax.Expr, batch: int) -> Factor | None:
        if isinstance(value, GenericConst):
            return constant_factor(value, self.products)
        return computed_factor(self, value, self.products, batch)

    # ------------------------------------------------------------ results

    def _result(
        self,
        emit_product: Callable[..., relax.Expr],
        sums_of: Callable[..., te.Tensor],
        x: Bytes,
        factor: Factor,
        original: relax.Call,
    ) -> relax.Expr:
        """The sums of products of bytes as the result of the operator that they stand for.

        Args:
            emit_product: what multiplies.
            sums_of: what sums up the bytes of the operand that one result reads.
        """
        self.found = True
        emit, words = self.builder_.emit, words_of(self, x.q, WORD)
        total = emit_product(self, words, factor.words, (shape_of(original) or [0])[-1], self.products)
        if factor.middle is not None:
            depth = (shape_of(x.q) or [0])[-1]
            summed = partial(sums_of, depth=depth, products=self.products)
            sums = self.builder_.emit_te(summed, words, primfunc_name_hint="sum_of_bytes")
            total = emit(relax.op.add(total, emit(relax.op.multiply(sums, factor.middle))))
        if x.zero != 0:
            zero = relax.const([x.zero], "int32") if isinstance(x.zero, int) else x.zero
            total = emit(relax.op.subtract(total, emit(relax.op.multiply(factor.sums, zero))))
        if factor.scale is None or x.scale is None:
            return total
        scale = emit(relax.op.multiply(factor.scale, x.scale))
        return relax.op.multiply(emit(relax.op.astype(total, "float32")), scale)
