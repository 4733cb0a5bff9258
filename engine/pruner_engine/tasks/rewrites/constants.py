"""Constants of a graph computed by NumPy: TVM's FoldConstant compiles a kernel for each, which takes minutes where a
network has hundreds of batch norms. What is not known here is left to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import (
    bound,
    constant,
    ends_of_parts,
    extents_of,
    fields_of,
    nodes_of,
    operator_of,
    order_of,
    rewritten,
    shape_of,
)
from pruner_engine.tasks.kernels.norms import is_beyond_tvm

_Rule = Callable[..., Any]


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Of whole numbers towards 0, which their quotient as doubles is not beyond 2^53; by 0 it is not known."""
    if np.result_type(x, y).kind not in "iu":
        return np.divide(x, y)
    if not np.all(y):
        return None
    return (x - np.fmod(x, y)) // y


def _power(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Of whole numbers only with exponents of which it is one."""
    return None if np.result_type(x, y).kind in "iu" and np.any(np.less(y, 0)) else np.power(x, y)


# of the operands; the result takes the type and the shape that the graph says
_ELEMENTWISE: dict[str, _Rule] = {
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "maximum", "minimum")},
    "divide": _quotient,
    "power": _power,
    **{name: getattr(np, name) for name in ("negative", "sqrt", "square", "exp", "log", "abs", "tanh", "sin", "cos")},
    **{name: getattr(np, name) for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")},
    **{name: getattr(np, name) for name in ("floor", "ceil", "floor_divide", "logical_and", "logical_or")},
    **{name: getattr(np, name) for name in ("logical_not", "logical_xor", "clip", "where")},
    **{name: getattr(np, name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")},
    **{name: getattr(np, name) for name in ("sign", "isnan", "isfinite", "isinf")},
    "floor_mod": np.mod,
    "nn.relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    "sigmoid": lambda x: np.reciprocal(1 + np.exp(-x)),
    **{name: lambda x: x for name in ("astype", "reshape", "expand_dims", "squeeze", "flatten")},
}


def fold_constants(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with results in place of arithmetic, sums, types, shapes and selections of constants in "main"."""
    return rewritten(mod, _Folder(mod))


def fold_the_rest(mod: tvm.IRModule) -> tvm.IRModule:
    """The same of operators that are not known here, by TVM, which lowers each of a graph to look at it.

    Where it cannot lower one they stay what each inference computes.
    """
    calls = [node for node in nodes_of(mod["main"]) if operator_of(node)]
    folds = any(map(_is_of_constants, calls)) and not any(map(is_beyond_tvm, calls))
    return relax.transform.FoldConstant()(mod) if folds else mod


def _is_of_constants(call: relax.Call) -> bool:
    fields = [field for arg in call.args for field in (arg.fields if isinstance(arg, relax.Tuple) else [arg])]
    return not any(isinstance(field, relax.Var) for field in fields)


def _arange(call: relax.Call, *bounds: np.ndarray) -> np.ndarray:
    return np.arange(*(bound.item() for bound in bounds))


def _permuted(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.transpose(x, order_of(call))


def _broadcast(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x, shape_of(call) or ())


def _joined(call: relax.Call, *parts: np.ndarray) -> np.ndarray:
    axis = call.attrs.axis
    return np.concatenate(parts, None if axis is None else int(axis))


def _taken(call: relax.Call, x: np.ndarray, places: np.ndarray) -> np.ndarray | None:
    axis, mode = call.attrs.axis, str(call.attrs.mode)
    if mode not in ("fast", "clip", "wrap"):
        return None
    return np.take(x, places, None if axis is None else int(axis), mode="wrap" if mode == "wrap" else "clip")


def _repeated(call: relax.Call, x: np.ndarray) -> np.ndarray:
    return np.tile(x, [int(many) for many in call.attrs.repeats])


def _summed_so_far(call: relax.Call, x: np.ndarray) -> np.ndarray | None:
    axis = call.attrs.axis
    wide = np.float64 if x.dtype.kind == "f" else str(call.ty.dtype)
    return None if call.attrs.exclusive else np.cumsum(x, None if axis is None else int(axis), wide)


def _filled(number: int | None = None) -> _Rule:
    """A tensor of one number, or of what is said."""

    def rule(call: relax.Call, *values: np.ndarray) -> np.ndarray:
        return np.full(shape_of(call) or (), values[-1] if number is None else number)

    return rule


def _product(call: relax.Call, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    wide = str(call.ty.dtype)
    return np.matmul(a.astype(wide), b.astype(wide)) if wide in ("float32", "float64") else None


def _parts(call: relax.Call, x: np.ndarray) -> list[np.ndarray]:
    """Those of a split."""
    axis = int(call.attrs.axis)
    return np.split(x, ends_of_parts(call, x.shape[axis])[:-1], axis)


def _sliced(call: relax.Call, x: np.ndarray, *bounds: np.ndarray) -> np.ndarray | None:
    if not isinstance(call.args[1], relax.Tuple):
        return None
    count = len(call.args[1].fields)
    axes, begins, ends, *steps = ([int(n) for n in bounds[i : i + count]] for i in range(0, len(bounds), count))
    apart = steps[0] if steps else [1] * count
    if min(apart, default=1) < 1:
        return None
    places = [slice(None)] * x.ndim
    for axis, begin, end, step in zip(axes, begins, ends, apart, strict=True):
        places[axis] = slice(begin, end, step)
    return x[tuple(places)]


_REDUCTIONS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _scattered(call: relax.Call, x: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    how, at = str(call.attrs.reduction), tuple(np.moveaxis(places, -1, 0))
    if any(((axis < 0) | (axis >= extent)).any() for axis, extent in zip(at, x.shape, strict=False)):
        return None
    made = x.copy()
    if how in _REDUCTIONS:
        _REDUCTIONS[how].at(made, at, values)
    else:
        made[at] = values
    return made


def _reduced(reduce: _Rule) -> _Rule:
    """Over some axes or all; of floats as doubles, so that many halves are summed up rightly."""

    def rule(call: relax.Call, x: np.ndarray) -> np.ndarray:
        axis = call.attrs.axis
        axes = None if axis is None else tuple(int(n) for n in axis)
        wide = x if x.dtype.kind in "biu" else x.astype(np.float64)
        return np.asarray(reduce(wide, axis=axes, keepdims=bool(call.attrs.keepdims)))

    return rule


# the same of operators that have attributes; None is not known
_OTHERS: dict[str, _Rule] = {
    "arange": _arange,
    "broadcast_to": _broadcast,
    "concat": _joined,
    "cumsum": _summed_so_far,
    **dict.fromkeys(("full", "full_like"), _filled()),
    **dict.fromkeys(("ones", "ones_like"), _filled(1)),
    **dict.fromkeys(("zeros", "zeros_like"), _filled(0)),
    **{name: _reduced(getattr(np, name)) for name in ("sum", "mean", "max", "min")},
    "matmul": _product,
    "permute_dims": _permuted,
    "scatter_nd": _scattered,
    "split": _parts,
    "strided_slice": _sliced,
    "take": _taken,
    "tile": _repeated,
}


@mutator
class _Folder(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name, types = operator_of(visited).removeprefix("relax."), fields_of(visited.ty)
        if name == "shape_to_tensor":
            return _extents(visited) or visited
        if (name not in _ELEMENTWISE and name not in _OTHERS) or None in map(extents_of, types):
            return visited
        known = self._operands(visited)
        if not all(isinstance(value, GenericConst | tirx.IntImm | tirx.FloatImm) for value in known):
            return visited
        operands = [_numbers(value) for value in known]
        with np.errstate(all="ignore"):
            made = _ELEMENTWISE[name](*operands) if name in _ELEMENTWISE else _OTHERS[name](visited, *operands)
        if made is None:
            return visited
        if isinstance(made, list):
            return relax.Tuple([_constant(part, ty) for part, ty in zip(made, types, strict=True)])
        return _constant(made, types[0])

    def visit_tuple_getitem_(self, item: relax.TupleGetItem) -> relax.Expr:
        """Called for each field of a tuple."""
        visited = super().visit_tuple_getitem_(item)
        whole = bound(self, visited.tuple_value)
        known = whole.fields[visited.index] if isinstance(whole, relax.Tuple) else None
        return known if isinstance(known, GenericConst) else visited

    def _operands(self, call: relax.Call) -> list[relax.Expr]:
        """What its arguments stand for, those of tuples one by one."""
        found = []
        for argument in call.args:
            value = bound(self, argument)
            if isinstance(value, relax.Tuple):
                found += [bound(self, field) for field in value.fields]
            elif not isinstance(value, relax.ShapeExpr):
                found.append(value)
        return found


def _extents(call: relax.Call) -> relax.Expr | None:
    """A shape as a tensor, where it is known."""
    extents = call.args[0].ty.values
    known = extents is not None and all(isinstance(extent, tirx.IntImm) for extent in extents)
    return constant(np.array([int(extent) for extent in extents], np.int64)) if known else None


def _constant(made: Any, ty: relax.TensorType) -> relax.Expr:
    dtype = str(ty.dtype)  # said, as TVM would narrow numbers of 64 bits
    # no np.ascontiguousarray, which gives a number without axes one
    return relax.const(np.asarray(made, dtype, order="C").reshape(extents_of(ty) or ()), dtype)


def _numbers(value: relax.Expr) -> np.ndarray:
    if isinstance(value, GenericConst):
        return np.asarray(value.value.numpy())
    return np.asarray(value.value, str(value.ty.dtype))
