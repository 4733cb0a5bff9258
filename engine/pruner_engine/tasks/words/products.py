"""Products of words in a graph: convolutions and matrix products as kernels that multiply them."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import tvm
from tvm import relax, te
from tvm.ir.expr import GenericConst
from tvm.ir.transform import Sequential
from tvm.relax.expr_functor import PyExprMutator

from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.tasks.graph import OUTER, rewritten, shape_of
from pruner_engine.tasks.rewrites.widen import tileable
from pruner_engine.tasks.words import kernels

_CLEAN = Sequential([relax.transform.DeadCodeElimination(), relax.transform.CanonicalizeBindings()])
_FEW_ROWS = 8  # below it packing takes as long as the products


class Finding(Protocol):
    """A rewriter that puts products of words into a graph; `found` tells whether there was one."""

    found: bool


def with_products(mod: tvm.IRModule, rewriter: Finding) -> tvm.IRModule:
    """The module with what the rewriter, which was made for it, puts into "main"; itself where that is nothing."""
    made = rewritten(mod, rewriter)
    return _CLEAN(made) if rewriter.found else mod


def is_product(call: relax.Call) -> bool:
    """Whether it multiplies matrices of known shapes by one matrix, or each by one of its own.

    One that is no constant is packed first, which few rows do not repay.
    """
    data, weights = (shape_of(arg) for arg in call.args)
    if data is None or weights is None or min(len(data), len(weights)) < 2:
        return False
    if isinstance(call.args[1], GenericConst):
        return len(weights) == 2
    return data[-2] >= _FEW_ROWS and (len(weights) == 2 or weights[:-2] == data[:-2])


def words_of(rewriter: PyExprMutator, x: relax.Expr, numbers: int) -> relax.Expr:
    """A tensor as words of some numbers along the last axis, the last of which zeros fill."""
    *outer, depth = shape_of(x) or [0]
    words = -(-depth // numbers)
    x, shape = deepened(rewriter, x, words * numbers), [*outer, words]
    # one operator that TVM's planner knows: of a call it would hand out the tensor's memory while the view is read
    return rewriter.builder_.emit(relax.op.memory.view(x, shape, "int32", 0))


def deepened(rewriter: PyExprMutator, x: relax.Expr, depth: int) -> relax.Expr:
    """A tensor with zeros at the end of its last axis, up to so many; itself where it has them."""
    *outer, there = shape_of(x) or [depth]
    if there == depth:
        return x
    return rewriter.builder_.emit(relax.op.nn.pad(x, [0, 0] * len(outer) + [0, depth - there]))


def emit_matmul(
    rewriter: PyExprMutator, words: relax.Expr, factor: relax.Expr, columns: int, products: WordProducts
) -> relax.Expr:
    """The sums of a matrix product of words, [..., rows, columns].

    Args:
        columns: of the result, as of the factor or fewer.
    """
    rows = (shape_of(words) or [0, 0])[-2]
    kernel = partial(kernels.matmul, rows=tileable(rows), products=products)
    return cut(rewriter, emit_outer(rewriter, kernel, "matmul", words, factor), columns, rows)


def emit_conv2d(
    rewriter: PyExprMutator,
    words: relax.Expr,
    factor: relax.Expr,
    columns: int,
    products: WordProducts,
    *,
    window: kernels.Window,
    outside: int = 0,
) -> relax.Expr:
    """The sums of a convolution of words in NHWC; `outside` is the byte around the image."""
    kernel = partial(kernels.conv2d, window=window, outside=outside, products=products)
    return cut(rewriter, emit_outer(rewriter, kernel, "conv2d", words, factor), columns)


def emit_outer(rewriter: PyExprMutator, kernel: partial[te.Tensor], name: str, *operands: relax.Expr) -> relax.Expr:
    """A kernel that takes element-wise consumers."""
    return rewriter.builder_.emit_te(kernel, *operands, primfunc_name_hint=name, primfunc_attrs=OUTER)


def cut(rewriter: PyExprMutator, total: relax.Expr, columns: int, rows: int | None = None) -> relax.Expr:
    """A result [..., rows, columns] without what fills up vectors and, where their number is given, rows of tiles."""
    shape = shape_of(total) or [0, 0]
    for axis, kept in ((len(shape) - 2, rows), (len(shape) - 1, columns)):
        if kept is not None and shape[axis] != kept:
            total = rewriter.builder_.emit(relax.op.strided_slice(total, [axis], [0], [kept]))
    return total
