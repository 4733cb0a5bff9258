"""Constants of a graph computed by NumPy: TVM's FoldConstant compiles a kernel for each, which takes minutes where a
network has hundreds of batch norms. What is not known here is left to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import (
    bound,
    constant,
    extents_of,
    fields_of,
    nodes_of,
    operator_of,
    rewritten,
)
from pruner_engine.tasks.kernels.norms import is_beyond_tvm
from pruner_engine.tasks.rewrites.constant_rules import computed, is_known


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


@mutator
class _Folder(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        types = fields_of(visited.ty)
        if operator_of(visited) == "relax.shape_to_tensor":
            return _extents(visited) or visited
        if not is_known(visited) or None in map(extents_of, types):
            return visited
        known = self._operands(visited)
        if not all(isinstance(value, GenericConst | tirx.IntImm | tirx.FloatImm) for value in known):
            return visited
        made = computed(visited, [_numbers(value) for value in known])
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
