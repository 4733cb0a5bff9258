"""Exponentials, logarithms, error functions and hyperbolic tangents in arithmetic that every vector unit has.

LLVM calls the C library by element for most of them, and the hyperbolic tangent of TVM takes two exponentials.

The kernels keep the plain operators; these expansions take their place when a kernel for a CPU is built.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tvm import tirx
from tvm.ir import Call, Expr, Op
from tvm.tirx.op import register_intrin_lowering

_HIGH = 355 / 512  # of ln 2; so few digits that its products with exponents are exact
_LOW = math.log(2) - _HIGH
# (eˣ - 1 - x) / x² on half an octave: Remez' exchange, weighted so that eˣ is right to 2^-28
_EXP = (0.49999994, 0.166665211, 0.041668389, 0.00836874545, 0.00138145429)
_LEAST, _MOST = -126 * math.log(2), 88.72283172607422  # where results leave the range of normal numbers
_MANTISSA = 23  # bits
_TINY = 2.0**-126  # the least normal number
_HALF_OCTAVE = 0x3F3504F3  # the bits of √½
# (ln(1 + x) - x + x²/2) / x³ between √½ - 1 and √2 - 1: Cephes' logf
_LOG = (
    *(3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1),
    *(-1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2),
)
_ERF_MOST = 4.0  # beyond, error functions are ±1 to the last place
# erf(x) / x in powers of x², one polynomial over another: Eigen's
_ERF_OVER = (
    *(-1.60960333262415e-2, -2.95459980854025e-3, -7.34990630326855e-4, -5.69250639462346e-5, -2.10102402082508e-6),
    *(2.77068142495902e-8, -2.72614225801306e-10),
)
_ERF_UNDER = (
    *(-1.42647390514189e-2, -7.37332916720468e-3, -1.68282697438203e-3, -2.13374055278905e-4, -1.45660718464996e-5),
)
_TANH_MOST = 8.03096867  # where the quotient is 1, and nowhere before it is more
# tanh(x) / x in powers of x², one polynomial over another: least squares, weighted until the largest error is 2^-29
_TANH_OVER = (0.999999999, 0.136803894, 0.00386892238, 2.80194712e-5, 3.06139614e-8, -1.22249721e-11)
_TANH_UNDER = (1.0, 0.470137215, 0.0272480144, 0.000393968004, 1.28820661e-6)


def exponential(x: Expr) -> Expr:
    """e to the power of float32 numbers, to one unit in the last place: 0 below the normal numbers, infinity above all
    numbers; NaN stays.
    """
    kind = str(x.ty)
    argument, octaves, rest, square = (tirx.Var(name, kind) for name in ("argument", "octaves", "rest", "square"))

    def number(value: float) -> Expr:
        return tirx.const(value, kind)

    whole = kind.replace("float32", "int32")
    first, second, third, fourth, fifth = map(number, _EXP)
    # in pairs: Horner's scheme would wait for each of its products
    upper = (first + second * rest) + square * ((third + fourth * rest) + fifth * square)
    series = (upper * square + rest) + number(1.0)
    # added to the exponent itself: a factor of 2^128 would be infinite where the product is not
    bits = tirx.reinterpret(whole, series) + (octaves.astype(whole) << tirx.const(_MANTISSA, whole))
    limited = tirx.Select(argument > number(_MOST), number(math.inf), tirx.reinterpret(kind, bits))
    result = tirx.Select(argument < number(_LEAST), number(0.0), limited)
    result = tirx.Let(square, rest * rest, result)
    result = tirx.Let(rest, argument - octaves * number(_HIGH) - octaves * number(_LOW), result)
    result = tirx.Let(octaves, tirx.floor(argument * number(1 / math.log(2)) + number(0.5)), result)
    return tirx.Let(argument, x, result)


def logarithm(x: Expr) -> Expr:
    """Natural logarithms of float32 numbers, denormal ones too: minus infinity at 0, NaN of NaN and below 0."""
    kind = str(x.ty)
    whole = kind.replace("float32", "int32")
    argument, octaves, rest, square = (tirx.Var(name, kind) for name in ("argument", "octaves", "rest", "square"))
    bits, places = tirx.Var("bits", whole), tirx.Var("places", whole)

    def number(value: float) -> Expr:
        return tirx.const(value, kind)

    def integer(value: int) -> Expr:
        return tirx.const(value, whole)

    small = argument < number(_TINY)
    series = rest * square * _polynomial(_LOG, rest) + octaves * number(_LOW) - number(0.5) * square
    value = tirx.Select(argument < number(math.inf), series + rest + octaves * number(_HIGH), argument)
    outside = tirx.Select(tirx.EQ(argument, number(0.0)), number(-math.inf), number(math.nan))
    result = tirx.Select(argument > number(0.0), value, outside)
    result = tirx.Let(square, rest * rest, result)
    mantissa = tirx.reinterpret(kind, bits - (places << integer(_MANTISSA)))
    result = tirx.Let(rest, mantissa - number(1.0), result)
    missing = tirx.Select(small, number(-float(_MANTISSA)), number(0.0))
    result = tirx.Let(octaves, places.astype(kind) + missing, result)
    result = tirx.Let(places, (bits - integer(_HALF_OCTAVE)) >> integer(_MANTISSA), result)
    normal = tirx.Select(small, argument * number(2.0**_MANTISSA), argument)
    result = tirx.Let(bits, tirx.reinterpret(whole, normal), result)
    return tirx.Let(argument, x, result)


def error_function(x: Expr) -> Expr:
    """erf of float32 numbers; NaN and signs stay, those of zeros too."""
    return _odd(x, _ERF_MOST, _ERF_OVER, _ERF_UNDER)


def hyperbolic_tangent(x: Expr) -> Expr:
    """The same of tanh."""
    return _odd(x, _TANH_MOST, _TANH_OVER, _TANH_UNDER)


def _odd(x: Expr, furthest: float, over: Sequence[float], under: Sequence[float]) -> Expr:
    """An odd function that is constant beyond `furthest`, a quotient of polynomials of the square."""
    kind = str(x.ty)
    argument, near, square = (tirx.Var(name, kind) for name in ("argument", "near", "square"))
    most = tirx.const(furthest, kind)
    result = near * (_polynomial(over, square) / _polynomial(under, square))
    result = tirx.Let(square, near * near, result)
    limited = tirx.Select(argument > most, most, tirx.Select(argument < -most, -most, argument))
    return tirx.Let(argument, x, tirx.Let(near, limited, result))


def _polynomial(coefficients: Sequence[float], x: Expr) -> Expr:
    """Horner's scheme, the constant term first."""
    *lower, value = (tirx.const(coefficient, str(x.ty)) for coefficient in coefficients)
    for coefficient in reversed(lower):
        value = value * x + coefficient
    return value


@functools.cache
def register_vector_math() -> None:
    """Let kernels for CPUs be built with these; `import_tvm` calls it."""
    for name, expand in _EXPANSIONS.items():
        register_intrin_lowering(name, target="llvm", f=_lowering(name, expand), level=99)
    for name in (*_EXPANSIONS, *_OF_VECTORS):
        # TVM does not say so of all, and would compute whole statements with one of these number by number
        Op.get(name).set_attr("TVectorizable", True, 99)


_EXPANSIONS = {
    "tirx.exp": exponential,
    "tirx.log": logarithm,
    "tirx.erf": error_function,
    "tirx.tanh": hyperbolic_tangent,
}
# what LLVM has vectors of: quantised numbers are rounded, and numbers that become bfloat16 asked whether they are any
_OF_VECTORS = ("tirx.nearbyint", "tirx.isnan", "tirx.rsqrt")


def _lowering(name: str, expand: Callable[[Expr], Expr]) -> Callable[[Call], Expr]:
    operator = Op.get(name)
    stock: Any = operator.get_attr("llvm.FLowerIntrinsic") or operator.get_attr("default.FLowerIntrinsic")

    def lower(call: Call) -> Expr:
        kind, _, lanes = str(call.ty).partition("x")
        if kind == "float32":
            return expand(call.args[0])
        made = stock(call)
        # TVM knows the C library's error function of a double, and none of a vector of them
        return _one_by_one(call, int(lanes)) if lanes and made.same_as(call) else made

    return lower


def _one_by_one(call: Call, lanes: int) -> Expr:
    """A vector of what a function makes of each number of a vector."""
    kind = str(call.ty).partition("x")[0]
    argument, places = tirx.Var("argument", str(call.ty)), [tirx.IntImm("int32", lane) for lane in range(lanes)]
    each = [tirx.call_intrin(kind, call.op.name, tirx.Shuffle([argument], [place])) for place in places]
    return tirx.Let(argument, call.args[0], tirx.Shuffle(each, places))
