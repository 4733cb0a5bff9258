"""Calls of a graph that a pass of TVM's is not to change: to it they are calls of functions that nobody knows."""

from __future__ import annotations

from collections.abc import Callable

import tvm
from tvm import relax
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import operator_of, rewritten

_HIDDEN = "hidden."  # what the names of such functions begin with, the operator's follows


def hidden(mod: tvm.IRModule, hides: Callable[[relax.Call], bool]) -> tvm.IRModule:
    """The module without the operators in "main" that `hides` says."""
    return rewritten(mod, _Hiding(mod, hides))


def shown(mod: tvm.IRModule) -> tvm.IRModule:
    """The module with the operators again that were hidden."""
    return rewritten(mod, _Showing(mod))


@mutator
class _Hiding(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, hides: Callable[[relax.Call], bool]) -> None:
        super().__init__(mod)
        self.hides = hides

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        if not operator_of(call) or not self.hides(call):
            return visited
        unknown = relax.ExternFunc(_HIDDEN + operator_of(call), relax.FuncType.opaque_func(ret=call.ty, purity=True))
        return relax.Call(unknown, visited.args, visited.attrs, visited.ty_args)


@mutator
class _Showing(PyExprMutator):
    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        name = str(visited.op.global_symbol) if isinstance(visited.op, relax.ExternFunc) else ""
        if not name.startswith(_HIDDEN):
            return visited
        operator = tvm.ir.Op.get(name.removeprefix(_HIDDEN))
        return relax.Call(operator, visited.args, visited.attrs, visited.ty_args)
