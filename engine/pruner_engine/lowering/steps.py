"""How an index moves with a variable."""

from __future__ import annotations

from tvm.ir import Expr
from tvm.sym import detect_linear_equation
from tvm.tirx import IntImm, Var


def step_along(index: Expr, variable: Var) -> int | None:
    """By how much an index grows with a variable; None where that is not constant."""
    linear = detect_linear_equation(index, [variable])
    return int(linear[0]) if linear and isinstance(linear[0], IntImm) else None
