"""Exponentials and error functions in arithmetic that every vector unit has, where LLVM calls the C library by element.

The kernels keep the plain operators; these expansions take their place when a kernel for a CPU is built.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from tvm import tirx
from tvm.ir import Call, Expr, Op
from tvm.tirx.op import register_intrin_lowering

_HIGH = 355 / 512  # of ln 2; so few digits that its products with exponents are exact
_LOW = math.log(2) - _HIGH
_TERMS = 7  # of the series on half an octave: the next one is below the last place of a float
_LEAST, _MOST = -87.3, 88.37  # where results leave the range of normal numbers
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)  # Abramowitz and Stegun, 7.1.26
_ERF_STEP = 0.3275911


def exponential(x: Expr) -> Expr:
    """e to the power of float32 numbers: 0 below the normal numbers, infinity above; NaN stays."""
    kind = str(x.ty)
    argument, octaves, rest = (tirx.Var(name, kind) for name in ("argument", "octaves", "rest"))

    def number(value: float) -> Expr:
        return tirx.const(value, kind)

    series = number(1 / math.factorial(_TERMS))
    for power in reversed(range(_TERMS)):
        series = series * rest + number(1 / math.factorial(power))
    whole = kind.replace("float32", "int32")
    scale = tirx.reinterpret(kind, (octaves.astype(whole) + tirx.const(127, whole)) << tirx.const(23, whole))
    limited = tirx.Select(argument > number(_MOST), number(math.inf), series * scale)
    result = tirx.Select(argument < number(_LEAST), number(0.0), limited)
    result = tirx.Let(rest, argument - octaves * number(_HIGH) - octaves * number(_LOW), result)
    result = tirx.Let(octaves, tirx.floor(argument * number(1 / math.log(2)) + number(0.5)), result)
    return tirx.Let(argument, x, result)


def error_function(x: Expr) -> Expr:
    """erf of float32 numbers, with an error of at most 5e-7; NaN stays."""
    kind = str(x.ty)
    argument, size, t, result = (tirx.Var(name, kind) for name in ("argument", "size", "t", "result"))

    def number(value: float) -> Expr:
        return tirx.const(value, kind)

    series = number(0.0)
    for coefficient in reversed(_ERF):
        series = (series + number(coefficient)) * t
    signed = tirx.Select(argument < number(0.0), -result, result)
    signed = tirx.Let(result, number(1.0) - series * exponential(-size * size), signed)
    signed = tirx.Let(t, number(1.0) / (number(1.0) + number(_ERF_STEP) * size), signed)
    signed = tirx.Let(size, tirx.Select(argument < number(0.0), -argument, argument), signed)
    return tirx.Let(argument, x, signed)


@functools.cache
def register_vector_math() -> None:
    """Let kernels for CPUs be built with these; `import_tvm` calls it."""
    for name, expand in (("tirx.exp", exponential), ("tirx.erf", error_function)):
        register_intrin_lowering(name, target="llvm", f=_lowering(name, expand), level=99)


def _lowering(name: str, expand: Callable[[Expr], Expr]) -> Callable[[Call], Expr]:
    operator = Op.get(name)
    stock: Any = operator.get_attr("llvm.FLowerIntrinsic") or operator.get_attr("default.FLowerIntrinsic")

    def lower(call: Call) -> Expr:
        return expand(call.args[0]) if str(call.ty).partition("x")[0] == "float32" else stock(call)

    return lower
