"""What a product of bytes multiplies: the bytes behind an operand, and the factor that it meets, as words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator

from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.tasks.graph import bound, operator_of, shape_of
from pruner_engine.tasks.words import kernels
from pruner_engine.tasks.words.weights import MIDDLE, MOST, as_words, byte_weights

_MOVES = ("relax.reshape", "relax.permute_dims")
_DEEPEST = (2**31 - 1) // MOST**2  # sums of products of two bytes that 32 bits hold


@dataclass(frozen=True)
class Bytes:
    """An operand (q - zero) · scale.

    Attributes:
        q: bytes of the sign that products take on their left, of the operand's shape.
        zero: such a byte, or an expression of int32 without axes.
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


@dataclass(frozen=True)
class Factor:
    """The right operand (p + middle) · scale of a product, of signed numbers p.

    Attributes:
        words: of p along the depth; zeros may fill depth and columns up.
        middle: int32, of the columns, of all or of each; None where it is zero.
        sums: int32, of p + middle over the depth, of each column.
        scale: float32, of the columns, of all or of each; None where the factor is a whole number.
    """

    words: relax.Expr
    middle: relax.Expr | None
    sums: relax.Expr
    scale: relax.Expr | None


def bytes_of(rewriter: PyExprMutator, value: relax.Expr, products: WordProducts) -> Bytes | None:
    """The bytes behind an operand, which some moves of data may have followed; None where it is made of none."""
    kind, other, apart = ("int8", "uint8", -MIDDLE) if products.signed else ("uint8", "int8", MIDDLE)
    moves = []
    while operator_of(move := bound(rewriter, value)) in _MOVES:
        moves.append(move)
        value = move.args[0]
    found = _dequantised(rewriter, value)
    if found is None:
        return None
    q, zero = found.q, found.zero
    emit = rewriter.builder_.emit
    if str(q.ty.dtype) == other:
        wide = emit(relax.op.astype(q, "int32"))
        moved = emit(relax.op.add(wide, relax.const(apart, "int32")))
        q, zero = emit(relax.op.astype(moved, kind)), _more(rewriter, zero, apart)
    bounds = np.iinfo(kind)
    if str(q.ty.dtype) != kind or (isinstance(zero, int) and not bounds.min <= zero <= bounds.max):
        return None
    for move in reversed(moves):
        q = emit(relax.Call(move.op, [q, *move.args[1:]], move.attrs))
    return Bytes(q, zero, found.scale)


def _dequantised(rewriter: PyExprMutator, value: relax.Expr) -> Bytes | None:
    """The tensor q, of any type, of which a value is (q - zero) · scale; None where it is not written so."""
    node = bound(rewriter, value)
    scale: relax.Expr | None = None
    if operator_of(node) == "relax.multiply" and _is_number(node.args[1]):
        node, scale = bound(rewriter, node.args[0]), node.args[1]
    zero: int | relax.Expr | None = 0
    if operator_of(node) == "relax.subtract" and _is_number(node.args[1]):
        node, zero = bound(rewriter, node.args[0]), _whole_zero(rewriter, node.args[1])
    if zero is None:
        return None
    if str(value.ty.dtype) in ("int8", "uint8"):  # those are multiplied as they are
        return None if scale is not None or zero != 0 else Bytes(value, 0, None)
    wanted = "int32" if scale is None else "float32"
    if operator_of(node) != "relax.astype" or str(node.ty.dtype) != wanted:
        return None
    return Bytes(node.args[0], zero, scale)


def constant_factor(weights: relax.Constant, products: WordProducts) -> Factor | None:
    """Constant weights as a factor; None where they lie on no grid of bytes, or sums may overflow."""
    found = byte_weights(weights.value.numpy(), products.bits)
    if found is None:
        return None
    return Factor(
        relax.const(as_words(found.steps), "int32"),
        relax.const(found.middle, "int32") if found.middle.any() else None,
        relax.const(found.sums, "int32"),
        None if found.scales is None else relax.const(found.scales, "float32"),
    )


def computed_factor(rewriter: PyExprMutator, value: relax.Expr, products: WordProducts, batch: int) -> Factor | None:
    """What a graph computes as a factor, packed by a kernel of its own; None where it is made of no bytes.

    Numbers of 16 bits multiply whole ones only: real ones are as fast in vectors of their own.

    Args:
        batch: leading axes that have products of their own.
    """
    *extents, columns = shape_of(value) or [0]
    depth = math.prod(extents[batch:])
    if depth > _DEEPEST:
        return None
    found = bytes_of(rewriter, value, products)
    if found is None or (products.widens and found.scale is not None):
        return None
    emit = rewriter.builder_.emit
    emit_te = rewriter.builder_.emit_te
    words = emit_te(partial(kernels.packed, products=products), found.q, primfunc_name_hint="pack_bytes")
    apart = 0 if products.signed else MIDDLE  # of p and the bytes
    middle: relax.Expr | None = None
    if not isinstance(found.zero, int):
        middle = emit(relax.op.subtract(relax.const(apart, "int32"), found.zero))
    elif found.zero != apart:
        middle = relax.const([apart - found.zero], "int32")
    more = None if middle is None else emit(relax.op.multiply(middle, relax.const(depth, "int32")))
    total = partial(kernels.column_sums, products=products, batch=batch, columns=columns)
    sums = emit_te(total, words, more, primfunc_name_hint="sum_of_bytes")
    scale = None if found.scale is None else emit(relax.op.reshape(found.scale, [1]))  # an argument of the kernel
    return Factor(words, middle, sums, scale)


def _whole_zero(rewriter: PyExprMutator, zero: relax.Expr) -> int | relax.Expr | None:
    """A zero as a whole number; None where it may be none, as the mean that is taken from an image."""
    found = bound(rewriter, zero)
    if isinstance(found, GenericConst):
        number = found.value.numpy().item()
        return int(number) if number == round(number) else None
    if str(zero.ty.dtype) == "int32":
        return zero
    whole = operator_of(found) == "relax.astype" and "int" in str(found.args[0].ty.dtype)
    return rewriter.builder_.emit(relax.op.astype(found.args[0], "int32")) if whole else None


def _more(rewriter: PyExprMutator, zero: int | relax.Expr, by: int) -> int | relax.Expr:
    return zero + by if isinstance(zero, int) else rewriter.builder_.emit(relax.op.add(zero, relax.const(by, "int32")))


def _is_number(value: relax.Expr) -> bool:
    """Whether it is one number: a constant of one element, or a tensor without axes."""
    shape = shape_of(value)
    return shape == [] or (isinstance(value, GenericConst) and shape is not None and math.prod(shape) == 1)
