"""Give kernels sizes that register tiles divide: convolutions whole vectors of channels, products a number of rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import tvm
from tvm import relax, te, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import constant, operator_of, rewritten

_TILE = 4  # vectors that a register tile can well divide
_LITTLE = 0.05  # share of the work
_ROW_TILES = range(6, 15)  # rows of a good register tile
_SHORT = 4  # lanes of the shortest vector that is worth it
_CHANNELS_FIRST = {"relax.nn.conv2d": ("NCHW", "OIHW"), "relax.nn.conv3d": ("NCDHW", "OIDHW")}
_LEAST_CHANNELS = 32  # with fewer, whole vectors cost more than shorter ones


def widen_channels(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Append filters of zeros to convolutions with constant weights, and cut the result; channels first, in "main".

    Args:
        lanes: of a vector of the target.
    """
    return rewritten(mod, _Widener(mod, lanes))


def widen_products(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Append rows of zeros to matrices where no good tile divides their number, columns where vectors would be partial.

    The result is cut again, in "main".

    Args:
        lanes: of a vector of the target.
    """
    return rewritten(mod, _ProductWidener(mod, lanes))


@mutator
class _ProductWidener(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) != "relax.matmul":
            return visited
        shapes = [list(operand.ty.shape) for operand in (*visited.args, call)]
        known = all(isinstance(n, (int, tirx.IntImm)) for shape in shapes for n in shape)
        if not known or any(len(shape) < 2 for shape in shapes):
            return visited
        (*batch, rows, _), (*same, _, columns) = ([int(n) for n in shape] for shape in shapes[:2])
        left, right = visited.args
        dtype = str(call.ty.dtype)
        if same not in ([], batch) or "float" not in dtype:
            return visited
        wide = (tileable(rows), self._whole(rows, columns, isinstance(right, GenericConst), dtype))
        if wide == (rows, columns):
            return visited
        if isinstance(right, GenericConst):
            missing = [(0, 0)] * (len(same) + 1) + [(0, wide[1] - columns)]
            right = constant(np.pad(right.value.numpy(), missing))
        kernel = partial(_product, wide=wide, dtype=dtype)
        product = self.builder_.emit_te(kernel, left, right, primfunc_name_hint="matmul")
        axes = [len(batch) + axis for axis in (0, 1) if wide[axis] != (rows, columns)[axis]]
        return relax.op.strided_slice(product, axes, [0] * len(axes), [int(call.ty.shape[axis]) for axis in axes])

    def _whole(self, rows: int, columns: int, known: bool, dtype: str) -> int:
        """Columns of whole vectors; a constant matrix, which is read but once a row of tiles, may have shorter ones.

        One that is no constant is copied for it, which few rows are not worth.
        """
        short = columns % _SHORT == 0 if known else rows < _ROW_TILES[0]
        if columns < _LEAST_CHANNELS or short:
            return columns
        return columns + -columns % (self.lanes * 32 // tvm.DataType(dtype).bits)


def tileable(rows: int) -> int:
    """The least number from `rows` on that a good tile divides; `rows` itself where they make no more than a tile."""
    if rows <= _ROW_TILES[-1]:
        return rows
    return next(n for n in range(rows, 2 * rows) if any(n % tile == 0 for tile in _ROW_TILES))


def _product(left: te.Tensor, right: te.Tensor, wide: tuple[int, int], dtype: str) -> te.Tensor:
    """A matrix product of more rows than the left matrix has, or more columns than the right one.

    A right matrix without batches is the same for each.

    Args:
        dtype: of the result, in which it is multiplied and summed: operands may be of a smaller type.
    """
    *batch, depth = (int(n) for n in left.shape)
    *batch, _ = batch
    same = len(right.shape) - 2
    left, right = appended(left, -2, wide[0], "pad_rows"), appended(right, -1, wide[1], "pad_columns")
    k = te.reduce_axis((0, depth), name="k")
    return te.compute(
        (*batch, *wide),
        lambda *i: te.sum(left(*i[:-1], k).astype(dtype) * right(*i[:same], k, i[-1]).astype(dtype), axis=k),
        name="matmul",
    )


def appended(matrix: te.Tensor, axis: int, wide: int, name: str) -> te.Tensor:
    """The matrix with zeros at the end of an axis."""
    shape = [int(n) for n in matrix.shape]
    given, shape[axis] = shape[axis], wide
    if given == wide:
        return matrix
    return te.compute(
        tuple(shape),
        lambda *i: tirx.if_then_else(i[axis] < given, matrix(*i), tirx.const(0, matrix.dtype)),
        name=name,
    )


@mutator
class _Widener(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def _missing(self, filters: int) -> int:
        """Filters to append: up to a number of vectors that has many factors where that is little work.

        Few filters, as of a network that ends in an image, get a whole number of half vectors, or a single short one.
        """
        if filters < _LEAST_CHANNELS:
            return -filters % (_SHORT if filters <= _SHORT else max(_SHORT, self.lanes // 2))
        if filters % self.lanes == 0:
            return 0
        many = -filters % (_TILE * self.lanes)
        return many if many <= filters * _LITTLE else -filters % self.lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if operator_of(visited) not in _CHANNELS_FIRST:
            return visited
        weight, attrs, layouts = visited.args[1], visited.attrs, _CHANNELS_FIRST[operator_of(visited)]
        if not isinstance(weight, GenericConst) or (attrs.data_layout, attrs.kernel_layout) != layouts:
            return visited
        filters = weight.value.numpy()
        missing = self._missing(len(filters))
        if attrs.groups != 1 or not missing:
            return visited
        wide = np.concatenate([filters, np.zeros((missing, *filters.shape[1:]), filters.dtype)])
        result = relax.Call(visited.op, [visited.args[0], relax.const(wide, str(filters.dtype))], visited.attrs)
        return relax.op.strided_slice(self.builder_.emit(result), [1], [0], [len(filters)])
