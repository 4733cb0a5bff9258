"""What a model's graph holds, and what rewriters of it have in common."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator

#: attribute of kernels that take element-wise consumers, and are no one's consumer: relax's pattern of such
OUTER = {"op_pattern": 4}
#: operators on each element of one tensor, and on each pair of elements of two
UNARY = {
    f"relax.{name}"
    for name in ("abs", "clip", "cos", "erf", "exp", "log", "negative", "rsqrt", "sigmoid", "sin", "sqrt", "square")
} | {f"relax.{name}" for name in ("tanh", "nn.gelu", "nn.gelu_tanh", "nn.leakyrelu", "nn.relu", "nn.silu")}
BINARY = {f"relax.{name}" for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum")}
#: operators that give a tensor another shape and leave its elements in their order
RESHAPES = ("relax.reshape", "relax.expand_dims", "relax.squeeze", "relax.flatten")
_COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_SIMPLE = ("isnan", "logical_and", "logical_not", "logical_or", "nn.softplus", "power", "round", "sign", "where")
#: these and others that compute element by element
EACH = UNARY | BINARY | {f"relax.{name}" for name in (*_COMPARED, *_SIMPLE)}


def rewritten(mod: tvm.IRModule, rewriter: PyExprMutator) -> tvm.IRModule:
    """The module with "main" rewritten by a rewriter that was made for the module."""
    rewriter.builder_.update_func(mod.get_global_var("main"), rewriter.visit_expr(mod["main"]))
    return rewriter.builder_.get()


def operator_of(node: relax.Expr) -> str:
    """Name of the operator that a call applies; "" where it calls something else, or is no call."""
    return node.op.name if isinstance(node, relax.Call) and isinstance(node.op, tvm.ir.Op) else ""


def bound(rewriter: PyExprMutator, value: relax.Expr) -> relax.Expr:
    """What a variable stands for in the graph that a rewriter makes, through other variables; other values themselves.

    A variable that is bound to nothing there, such as an input, stays what it is.
    """
    while isinstance(value, relax.Var):
        found = rewriter.lookup_binding(value)
        if found is None:
            break
        value = found
    return value


def bindings_of(function: relax.Function) -> dict[relax.Var, relax.Expr]:
    """What each variable of a function is bound to, in the order of its bindings."""
    blocks = function.body.blocks if isinstance(function.body, relax.SeqExpr) else []
    return {binding.var: binding.value for block in blocks for binding in block.bindings}


def nodes_of(function: relax.Function) -> list[relax.Expr]:
    """All expressions of a function, operands before what is computed from them."""
    found: list[relax.Expr] = []
    relax.analysis.post_order_visit(function, found.append)
    return found


def occurrences(mod: tvm.IRModule) -> Counter[relax.Expr]:
    """How often each variable of "main" is read, as an operand or a result."""
    return Counter(node for node in nodes_of(mod["main"]) if isinstance(node, relax.Var))


def constant(values: np.ndarray) -> relax.Constant:
    """A constant of the array's own type, which is said, as TVM narrows numbers of 64 bits."""
    return relax.const(values, str(values.dtype))


def shape_of(value: relax.Expr) -> list[int] | None:
    """Shape of a tensor; None where an extent is not known, or the value is no tensor."""
    return extents_of(value.ty)


def reshaped(value: relax.Expr, shape: Sequence[int]) -> relax.Call:
    """A tensor in exactly this shape: TVM's own function takes 0 for the extent that was there before."""
    return relax.Call(tvm.ir.Op.get("relax.reshape"), [value, relax.ShapeExpr(shape)])


def order_of(call: relax.Call) -> list[int]:
    """A transposition's axes, which may count from the end, or be none where it turns them all round."""
    rank = len(call.args[0].ty.shape)
    return [int(axis) % rank for axis in call.attrs.axes] if call.attrs.axes else [*reversed(range(rank))]


def keeps_elements(order: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether a transposition of that shape leaves all elements in order: only axes of one element may move."""
    moved = [axis for axis in order if shape[axis] != 1]
    return moved == sorted(moved)


def fields_of(ty: tvm.ir.Type) -> list[tvm.ir.Type]:
    """Types of a tuple's fields; of anything else, itself."""
    return list(ty.fields) if isinstance(ty, relax.TupleType) else [ty]


def extents_of(ty: tvm.ir.Type) -> list[int] | None:
    """As `shape_of`, of a type."""
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        return None
    extents = [*ty.shape.values]
    if not all(isinstance(extent, (int, tvm.tirx.IntImm)) for extent in extents):
        return None
    return [*map(int, extents)]


def size_of(ty: tvm.ir.Type) -> int:
    """Bytes of a tensor of a type; 0 where it is none, or has an extent that is not known."""
    extents = extents_of(ty)
    return 0 if extents is None else math.prod(extents) * tvm.DataType(ty.dtype).itemsize


def ends_of_parts(split: relax.Call, extent: int) -> list[int]:
    """Where each part of a split ends along an axis of so many places: the last of equal ones may be shorter."""
    how = split.attrs.indices_or_sections
    if not isinstance(how, int | tvm.tirx.IntImm):
        return [*(int(at) for at in how), extent]
    each = -(-extent // int(how))
    return [min(extent, each * part) for part in range(1, int(how) + 1)]


def parts_of_reshape(before: list[int], shape: list[int]) -> list[tuple[range, slice]] | None:
    """Axes that a reshape makes of others, as few together as can be; None of no elements."""
    if 0 in before:
        return None
    found, start, made = [], 0, 0
    while start < len(before) or made < len(shape):
        stop, end = min(start + 1, len(before)), min(made + 1, len(shape))
        while (one := math.prod(before[start:stop])) != (other := math.prod(shape[made:end])):
            stop, end = (stop + 1, end) if one < other else (stop, end + 1)
        found.append((range(start, stop), slice(made, end)))
        start, made = stop, end
    return found


def is_nhwc(call: relax.Call) -> bool:
    """Whether a convolution of images has its channels last."""
    return (call.attrs.data_layout, call.attrs.kernel_layout, call.attrs.out_layout) == ("NHWC", "HWIO", "NHWC")


def is_constant_nhwc(call: relax.Call) -> bool:
    """Whether it has constant filters, too."""
    return isinstance(call.args[1], GenericConst) and is_nhwc(call)
