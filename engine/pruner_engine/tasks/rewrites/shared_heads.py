"""Attention whose heads share keys and values: each group of heads meets its keys once, where they lie.

Exporters repeat keys and values for each head before they multiply them, which writes and reads a cache several times
over. The queries of the heads of a group are rows of one product instead.
"""

from __future__ import annotations

import math
from collections import defaultdict

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import BINARY, bindings_of, bound, operator_of, order_of, rewritten, shape_of

_MATRIX = 2  # axes


def heads_together(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with products of matrices and repeated ones in "main" as products with those that are repeated.

    Not where a result of several rows goes on to arithmetic with tensors, such as a mask: the rows of other heads would
    be between them, and it could not follow the product in its kernel.
    """
    return relax.transform.DeadCodeElimination()(rewritten(mod, _Rewriter(mod)))


def _is_number(value: relax.Expr) -> bool:
    shape = shape_of(value)
    return shape is not None and len(shape) <= _MATRIX and math.prod(shape) == 1


@mutator
class _Rewriter(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self._readers: defaultdict[relax.Expr, list[relax.Var]] = defaultdict(list)
        self._calls: dict[relax.Var, relax.Call] = {}
        self._present: relax.Var | None = None  # that is being bound

        for var, value in bindings_of(mod["main"]).items():
            if isinstance(value, relax.Call):
                self._calls[var] = value
                for argument in value.args:
                    self._readers[argument].append(var)

    def visit_var_binding_(self, binding: relax.VarBinding) -> None:
        """Called for each value of the graph, in order."""
        self._present = binding.var
        super().visit_var_binding_(binding)

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        shape = shape_of(call)
        if operator_of(visited) != "relax.matmul" or shape is None:
            return visited
        rows = shape_of(visited.args[0])
        if rows is None or len(rows) < _MATRIX or (rows[-2] > 1 and self._meets_tensors(self._present)):
            return visited
        found = self._repeated(visited.args[1])
        if found is None or math.prod(rows[:-2]) != math.prod(shape[:-2]):
            return visited
        once, times = found
        groups = (shape_of(once) or [])[0]
        if groups * times != math.prod(shape[:-2]):
            return visited
        together = self.builder_.emit(relax.op.reshape(visited.args[0], (groups, times * rows[-2], rows[-1])))
        made = relax.op.matmul(together, once, out_dtype=str(call.ty.dtype))
        return relax.op.reshape(self.builder_.emit(made), shape)

    def _meets_tensors(self, value: relax.Var | None) -> bool:
        """Whether arithmetic with more than a number reads a value, or what is another shape of it."""
        for reader in self._readers[value]:
            call = self._calls[reader]
            if operator_of(call) == "relax.reshape" and self._meets_tensors(reader):
                return True
            if operator_of(call) in BINARY:
                others = [shape_of(one) for one in call.args if not one.same_as(value)]
                if any(other is None or math.prod(other) > 1 for other in others) or self._meets_tensors(reader):
                    return True
        return False

    def _repeated(self, value: relax.Expr) -> tuple[relax.Expr, int] | None:  # noqa: PLR0911 (one case a kind)
        """The matrices [group, row, column] that are repeated in a value, and how often; None where none are."""
        call, shape = bound(self, value), shape_of(value)
        name = operator_of(call)
        if shape is None or len(shape) < _MATRIX:
            return None
        if name == "relax.broadcast_to" and shape_of(call.args[0]) != shape:
            return self._spread(call.args[0], shape)
        if name in ("relax.broadcast_to", "relax.reshape"):
            same = (shape_of(call.args[0]) or [])[-2:] == shape[-2:]
            return self._repeated(call.args[0]) if same else None
        if name == "relax.permute_dims":
            rank = len(shape)
            if order_of(call) != [*range(rank - 2), rank - 1, rank - 2]:
                return None
            found = self._repeated(call.args[0])
            return found and (self.builder_.emit(relax.op.permute_dims(found[0], [0, 2, 1])), found[1])
        if name in ("relax.multiply", "relax.divide") and _is_number(call.args[1]):
            found = self._repeated(call.args[0])
            return found and (self.builder_.emit(relax.Call(call.op, [found[0], call.args[1]], call.attrs)), found[1])
        return None

    def _spread(self, source: relax.Expr, shape: list[int]) -> tuple[relax.Expr, int] | None:
        own = shape_of(source)
        if own is None or len(own) != len(shape) or len(shape) <= _MATRIX:
            return None
        times = shape[-3]
        if times == 1 or own != [*shape[:-3], 1, *shape[-2:]]:
            return None
        return self.builder_.emit(relax.op.reshape(source, (math.prod(shape[:-3]), *shape[-2:]))), times
