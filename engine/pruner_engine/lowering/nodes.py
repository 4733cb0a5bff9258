"""Nodes of kernels, looked up and changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm import IRModule
from tvm.ir import Expr, StringImm, TensorLoad
from tvm.tirx import AttrStmt, Bind, For, ForKind, IntImm, PrimFunc, Stmt, Var
from tvm.tirx.analysis import undefined_vars


def nodes_in(value: PrimFunc | Stmt | Expr, *kinds: type) -> list[Any]:
    """All nodes of these kinds in a function, a statement or an expression, inner ones first."""
    found: list[Any] = []
    tvm_ffi.structural_walk(value, (kinds, found.append))
    return found


def loads_of(value: Stmt | Expr) -> list[TensorLoad]:
    """What it reads."""
    return nodes_in(value, TensorLoad)


def depends_on(value: Expr, variable: Var) -> bool:
    """Whether a variable is in an expression."""
    return any(variable.same_as(used) for used in undefined_vars(value))


def part_of_loop(loop: For, begin: int, length: int, body: Stmt | None = None) -> For:
    """So many iterations of a loop, from `begin` on; what its body gives names to has names of its own in each part.

    Args:
        body: of the iterations, over the loop's variable; the loop's own if not given.
    """
    whole, variable = loop.body if body is None else body, Var(loop.loop_var.name, loop.loop_var.ty)
    named = {bind.var: Var(bind.var.name, bind.var.ty) for bind in nodes_in(whole, Bind)}

    def moved(used: Var) -> Expr:
        return variable + begin if used.same_as(loop.loop_var) else named.get(used, used)

    kind = ForKind.SERIAL if length == 1 and loop.kind == ForKind.VECTORIZED else loop.kind
    made = tvm_ffi.structural_map(whole, (Var, moved))
    return For(variable, loop.min, IntImm(loop.extent.ty, length), kind, made, None, loop.annotations)


def mapped(mod: IRModule, callback: tuple[type, Callable[[Any], Expr | Stmt]]) -> IRModule:
    """The module with what the callback makes of each node of its type, inner ones first."""
    return each_function(mod, lambda function: tvm_ffi.structural_map(function, callback))


def each_function(mod: IRModule, change: Callable[[PrimFunc], PrimFunc]) -> IRModule:
    """The module with what `change` makes of each of its functions."""
    return IRModule({variable: change(function) for variable, function in mod.functions.items()}, attrs=mod.attrs)


def with_llvm(function: PrimFunc, code: str) -> PrimFunc:
    """The function with those that it calls, in LLVM's language; TVM links them in and has them inlined."""
    return function.with_body(AttrStmt(IntImm("int32", 0), "pragma_import_llvm", StringImm(code), function.body))
