"""Convolutions and matrix products of quantised models on bytes, where the processor multiplies them.

An operand (q - z) · s of unsigned bytes q, with one scale and one zero, meets constant weights (p + m) · t of signed
bytes p, with a scale t and a middle m, mostly 0, for each output channel. Their product is the sum of q · p, plus m
times the sum of q, less z times the sum of p + m, all times s · t: whole numbers until the last step. The bytes are
read as words of four (`byte_products`). Where numbers of 16 bits are multiplied, p has no middle, and the kernel widens
q before.

Depthwise convolutions, which have no sums long enough, multiply real numbers, but read the bytes themselves.

The weights come as real numbers: that they lie on a grid of bytes is found out, however they got there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import tvm
from tvm import relax, te
from tvm.ir.expr import GenericConst
from tvm.ir.transform import Sequential
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.lowering.byte_products import WordProducts
from pruner_engine.tasks.integers import kernels
from pruner_engine.tasks.integers.weights import BYTE, WORD, ByteWeights, as_words, byte_weights
from pruner_engine.tasks.rewriting import OUTER, bound, is_constant_nhwc, operator_of, rewritten, shape_of
from pruner_engine.tasks.widen import tileable
from pruner_engine.tasks.winograd import share_of

_FEW_CHANNELS = 8  # below it widening takes as long as the products
_PAIRS_SHARE = 0.66  # of a plain convolution's time, that one of pairs takes
_MOVES = ("relax.reshape", "relax.permute_dims")


def integer_products(mod: tvm.IRModule, products: WordProducts, winograd_lanes: int = 0) -> tvm.IRModule:
    """Multiply bytes instead of real numbers in "main": matrices by constant ones, and convolutions in NHWC.

    Args:
        products: how.
        winograd_lanes: of a vector of real numbers; 0 where Winograd's convolution is not to be had.

    Returns:
        The module itself where it multiplies no bytes.
    """
    rewriter = _Rewriter(mod, products, winograd_lanes)
    made = rewritten(mod, rewriter)
    clean = Sequential([relax.transform.DeadCodeElimination(), relax.transform.CanonicalizeBindings()])
    return clean(made) if rewriter.found else mod


@dataclass(frozen=True)
class _Bytes:
    """An operand (q - zero) · scale.

    Attributes:
        q: unsigned bytes, of the operand's shape.
        zero: a byte, or an expression of int32 without axes.
        scale: of float32, without axes; None where the operand is the whole number q - zero.
    """

    q: relax.Expr
    zero: int | relax.Expr
    scale: relax.Expr | None

    @property
    def known(self) -> tuple[float, int] | None:
        """Scale and zero of real numbers; None where they are no constants."""
        if not isinstance(self.scale, GenericConst) or not isinstance(self.zero, int):
            return None
        return self.scale.value.numpy().item(), self.zero


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
        if name == "relax.matmul" and _is_product(visited):
            return self._product(visited, call)
        if name == "relax.nn.conv2d" and is_constant_nhwc(visited):
            return self._convolution(visited, call) if int(visited.attrs.groups) == 1 else self._depthwise(visited)
        return visited

    # ------------------------------------------------------------ operators

    def _pooled(self, call: relax.Call) -> relax.Expr:
        """The largest of real numbers is that of the largest byte."""
        x = self._bytes_of(call.args[0])
        if x is None or x.known is None or x.known[0] <= 0:
            return call
        largest = self.builder_.emit(relax.Call(call.op, [x.q], call.attrs))
        number = self.builder_.emit(relax.op.astype(largest, "float32"))
        if x.zero:  # with axes, so that it is an argument of the kernel
            zero = relax.const(np.full([1] * len(shape_of(x.q) or ()), x.zero), "float32")
            number = self.builder_.emit(relax.op.subtract(number, zero))
        return relax.op.multiply(number, x.scale)

    def _product(self, call: relax.Call, original: relax.Call) -> relax.Expr:
        operands = self._operands(call)
        if operands is None:
            return call
        x, weights = operands
        *batch, rows, _ = shape_of(call.args[0]) or [0, 0]
        wide = tileable(rows)
        total = self._emit_products(partial(kernels.matmul, rows=wide), x, weights, "matmul")
        if wide != rows:
            total = self.builder_.emit(relax.op.strided_slice(total, [len(batch)], [0], [rows]))
        return self._result(total, kernels.row_sums, x, weights, original)

    def _convolution(self, call: relax.Call, original: relax.Call) -> relax.Expr:
        operands, window = self._operands(call) if self._gains(original) else None, kernels.window_of(call)
        if operands is None or (any(window.padding) and not isinstance(operands[0].zero, int)):
            return call
        x, weights = operands
        outside = x.zero if isinstance(x.zero, int) else 0
        total = self._emit_products(partial(kernels.conv2d, window=window, outside=outside), x, weights, "conv2d")
        return self._result(total, partial(kernels.window_sums, window=window, outside=outside), x, weights, original)

    def _gains(self, call: relax.Call) -> bool:
        """Whether it is faster than in real numbers: pairs take half the instructions, Winograd's convolution fewer."""
        if self.products.bits == BYTE:
            return True
        *_, channels, _ = shape_of(call.args[1]) or [0, 0]
        winograds = share_of(call, self.winograd_lanes) if self.winograd_lanes else 1.0
        return channels >= _FEW_CHANNELS and winograds > _PAIRS_SHARE

    def _depthwise(self, call: relax.Call) -> relax.Expr:
        *_, inputs, filters = shape_of(call.args[1]) or [0, 0]
        x = self._bytes_of(call.args[0]) if inputs == 1 and int(call.attrs.groups) == filters else None
        if x is None or x.known is None:
            return call
        scale, zero = x.known
        return self.builder_.call_te(
            partial(kernels.depthwise, window=kernels.window_of(call)),
            x.q,
            relax.const(call.args[1].value.numpy() * scale, "float32"),
            relax.const(np.array([zero], "float32")),
            primfunc_name_hint="conv2d",
            primfunc_attrs={"op_pattern": OUTER},
        )

    # ------------------------------------------------------------ operands

    def _operands(self, call: relax.Call) -> tuple[_Bytes, ByteWeights] | None:
        x = self._bytes_of(call.args[0])
        weights = byte_weights(call.args[1].value.numpy(), self.products.bits) if x is not None else None
        if x is None or weights is None or (x.scale is None) != (weights.scales is None):
            return None
        return (x, weights) if str(call.ty.dtype) == ("int32" if x.scale is None else "float32") else None

    def _bytes_of(self, value: relax.Expr) -> _Bytes | None:
        """The bytes behind an operand, which some moves of data may have followed."""
        node, moves = bound(self, value), []
        while operator_of(node) in _MOVES:
            moves.append(node)
            node = bound(self, node.args[0])
        scale: relax.Expr | None = None
        if operator_of(node) == "relax.multiply" and _is_number(node.args[1]):
            node, scale = bound(self, node.args[0]), node.args[1]
        zero: int | relax.Expr | None = 0
        if operator_of(node) == "relax.subtract" and _is_number(node.args[1]):
            node, zero = bound(self, node.args[0]), self._whole_zero(node.args[1])
        wanted = "int32" if scale is None else "float32"
        if zero is None or operator_of(node) != "relax.astype" or str(node.ty.dtype) != wanted:
            return None
        q = node.args[0]
        if str(q.ty.dtype) == "int8":
            wide = self.builder_.emit(relax.op.astype(q, "int32"))
            moved = self.builder_.emit(relax.op.add(wide, relax.const(128, "int32")))
            q, zero = self.builder_.emit(relax.op.astype(moved, "uint8")), self._more(zero, 128)
        if str(q.ty.dtype) != "uint8" or (isinstance(zero, int) and zero not in range(256)):
            return None
        for move in reversed(moves):
            q = self.builder_.emit(relax.Call(move.op, [q, *move.args[1:]], move.attrs))
        return _Bytes(q, zero, scale)

    def _whole_zero(self, zero: relax.Expr) -> int | relax.Expr | None:
        """A zero as a whole number; None where it may be none, as the mean that is taken from an image."""
        found = bound(self, zero)
        if isinstance(found, GenericConst):
            number = found.value.numpy().item()
            return int(number) if number == round(number) else None
        if str(zero.ty.dtype) == "int32":
            return zero
        whole = operator_of(found) == "relax.astype" and "int" in str(found.args[0].ty.dtype)
        return self.builder_.emit(relax.op.astype(found.args[0], "int32")) if whole else None

    def _more(self, zero: int | relax.Expr, by: int) -> int | relax.Expr:
        return zero + by if isinstance(zero, int) else self.builder_.emit(relax.op.add(zero, relax.const(by, "int32")))

    def _words(self, q: relax.Expr) -> relax.Expr:
        """The bytes as words along the last axis, the last of which zeros fill."""
        *outer, depth = shape_of(q) or [0]
        if depth % WORD:
            q = self.builder_.emit(relax.op.nn.pad(q, [0, 0] * len(outer) + [0, -depth % WORD]))
        shape = [*outer, -(-depth // WORD)]
        # one operator that TVM's planner knows: of a call it would hand out the bytes' memory while the view is read
        view = relax.op.memory.view(q, shape, "int32", 0)
        return self.builder_.emit(view)

    # ------------------------------------------------------------ results

    def _emit_products(
        self, kernel: Callable[..., te.Tensor], x: _Bytes, weights: ByteWeights, name: str
    ) -> relax.Expr:
        self.found = True
        words, attrs = relax.const(as_words(weights.steps), "int32"), {"op_pattern": OUTER}
        kernel = partial(kernel, products=self.products)
        return self.builder_.emit_te(kernel, self._words(x.q), words, primfunc_name_hint=name, primfunc_attrs=attrs)

    def _result(
        self,
        total: relax.Expr,
        sums_of: Callable[..., te.Tensor],
        x: _Bytes,
        weights: ByteWeights,
        original: relax.Call,
    ) -> relax.Expr:
        """The sums of products of bytes as the result of the operator that they stand for.

        Args:
            sums_of: what sums up the bytes of the operand that one result reads.
        """
        shape = shape_of(original) or []
        if total.ty.shape[-1] != shape[-1]:
            total = self.builder_.emit(relax.op.strided_slice(total, [len(shape) - 1], [0], [shape[-1]]))
        if weights.middle.any():
            depth = (shape_of(x.q) or [0])[-1]
            sums = self.builder_.emit_te(sums_of, self._words(x.q), depth=depth, primfunc_name_hint="sum_of_bytes")
            more = self.builder_.emit(relax.op.multiply(sums, relax.const(weights.middle, "int32")))
            total = self.builder_.emit(relax.op.add(total, more))
        if not isinstance(x.zero, int):
            off = self.builder_.emit(relax.op.multiply(relax.const(weights.sums, "int32"), x.zero))
            total = self.builder_.emit(relax.op.subtract(total, off))
        elif x.zero:
            total = self.builder_.emit(relax.op.subtract(total, relax.const(x.zero * weights.sums, "int32")))
        if weights.scales is None or x.scale is None:
            return total
        real = self.builder_.emit(relax.op.astype(total, "float32"))
        if isinstance(x.scale, GenericConst):
            return relax.op.multiply(real, relax.const(weights.scales * x.scale.value.numpy().item(), "float32"))
        scale = self.builder_.emit(relax.op.multiply(relax.const(weights.scales, "float32"), x.scale))
        return relax.op.multiply(real, scale)


def _is_number(value: relax.Expr) -> bool:
    """Whether it is one number: a constant of one element, or a tensor without axes."""
    shape = shape_of(value)
    return shape == [] or (isinstance(value, GenericConst) and shape is not None and math.prod(shape) == 1)


def _is_product(call: relax.Call) -> bool:
    """Whether it multiplies matrices of known shapes by one constant matrix."""
    data, weights = (shape_of(arg) for arg in call.args)
    constant = isinstance(call.args[1], GenericConst)
    return constant and data is not None and weights is not None and len(data) >= 2 and len(weights) == 2
