"""Give kernels sizes that register tiles divide: convolutions whole vectors of channels, products a number of rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import tvm
from tvm import relax, te, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

_TILE = 4  # vectors that a register tile can well divide
_LITTLE = 0.05  # share of the work
_ROW_TILES = range(6, 15)  # rows of a good register tile
_LEAST_CHANNELS = 32  # with fewer, the vectors that are added cost more than partial ones


def widen_channels(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Append filters of zeros to convolutions with constant weights, and cut the result; NCHW, in "main".

    Args:
        lanes: of a vector of the target.
    """
    widener = _Widener(mod, lanes)
    widener.builder_.update_func(mod.get_global_var("main"), widener.visit_expr(mod["main"]))
    return widener.builder_.get()


def widen_rows(mod: tvm.IRModule) -> tvm.IRModule:
    """Append rows of zeros to what constant matrices are multiplied with, where no good tile divides their number.

    The result is cut again, in "main".
    """
    widener = _RowWidener(mod)
    widener.builder_.update_func(mod.get_global_var("main"), widener.visit_expr(mod["main"]))
    return widener.builder_.get()


@mutator
class _RowWidener(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if not isinstance(visited.op, tvm.ir.Op) or visited.op.name != "relax.matmul":
            return visited
        left, right = visited.args
        if not isinstance(right, GenericConst) or len(call.ty.shape) != 2 or str(call.ty.dtype) != "float32":
            return visited
        if not all(isinstance(n, (int, tirx.IntImm)) for n in call.ty.shape):
            return visited
        rows = int(call.ty.shape[0])
        wide = _tileable(rows)
        if wide == rows:
            return visited
        product = self.builder_.emit_te(partial(_product, rows=wide), left, right, primfunc_name_hint="matmul")
        return relax.op.strided_slice(product, [0], [0], [rows])


def _tileable(rows: int) -> int:
    """The least number from `rows` on that a good tile divides; `rows` itself where they make no more than a tile."""
    if rows <= _ROW_TILES[-1]:
        return rows
    return next(n for n in range(rows, 2 * rows) if any(n % tile == 0 for tile in _ROW_TILES))


def _product(left: te.Tensor, right: te.Tensor, rows: int) -> te.Tensor:
    """A matrix product of more rows than the left matrix has."""
    given, depth = (int(n) for n in left.shape)
    padded = te.compute(
        (rows, depth),
        lambda i, k: tirx.if_then_else(i < given, left(i, k), tirx.const(0, left.dtype)),
        name="pad_rows",
    )
    k = te.reduce_axis((0, depth), name="k")
    return te.compute((rows, right.shape[1]), lambda i, j: te.sum(padded(i, k) * right(k, j), axis=k), name="matmul")


@mutator
class _Widener(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def _missing(self, filters: int) -> int:
        """Filters to append: up to a number of vectors that has many factors where that is little work."""
        many = -filters % (_TILE * self.lanes)
        return many if many <= filters * _LITTLE else -filters % self.lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if not isinstance(visited.op, tvm.ir.Op) or visited.op.name != "relax.nn.conv2d":
            return visited
        weight, attrs = visited.args[1], visited.attrs
        if not isinstance(weight, GenericConst) or (attrs.data_layout, attrs.kernel_layout) != ("NCHW", "OIHW"):
            return visited
        filters = weight.value.numpy()
        if attrs.groups != 1 or len(filters) < _LEAST_CHANNELS or len(filters) % self.lanes == 0:
            return visited
        missing = self._missing(len(filters))
        wide = np.concatenate([filters, np.zeros((missing, *filters.shape[1:]), filters.dtype)])
        result = relax.Call(visited.op, [visited.args[0], relax.const(wide, str(filters.dtype))], visited.attrs)
        return relax.op.strided_slice(self.builder_.emit(result), [1], [0], [len(filters)])
