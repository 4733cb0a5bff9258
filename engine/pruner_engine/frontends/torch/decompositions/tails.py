"""Functions that are small where what they are computed from is not, to a relative precision.

log(1 + x) and exp(x) - 1 of tiny numbers are 0, as 1 + x is rounded to 1; and so is 1 - erf(x), of large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten


def _log_of_one_more(x: Tensor) -> Tensor:
    """The logarithm of 1 + x as it is rounded, and what is lost then: where it counts, the slope is nearly 1."""
    wide = _wide(x)
    more = wide + 1
    found = more.log()
    return torch.where(wide.abs() < 0.5, found + (wide - (more - 1)), found).to(_result(x))


def _exponential_less_one(x: Tensor) -> Tensor:
    """By a quotient with a numerator and a denominator of the same rounded exponential: Kahan's."""
    wide = _wide(x)
    power = wide.exp()
    near = torch.where(power == 1, wide, (power - 1) * wide / power.log())
    return torch.where(wide.abs() < 0.5, near, power - 1).to(_result(x))


def _area_tangent(x: Tensor) -> Tensor:
    size = _wide(x).abs()
    found = (2 * size / (1 - size)).log1p() / 2
    return torch.where(x < 0, -found, found).to(_result(x))


def _rest_of_error_function(x: Tensor) -> Tensor:
    """1 - erf(x), for large numbers as exp(-x²) times a fraction that a polynomial gives to a part in eight million."""
    wide = _wide(x)
    rest = 1 - wide.erf()
    if wide.dtype == torch.float64:
        return rest
    large = torch.where(wide > 1, wide, 1.0)
    t = 1 / (1 + large / 2)
    power = torch.zeros_like(t)
    for factor in _POLYNOMIAL:
        power = power * t + factor
    return torch.where(wide > 1, t * (power - large * large).exp(), rest).to(_result(x))


# of erfc(x) = t exp(-x² + polynomial of t), t = 1 / (1 + x / 2): Chebyshev's fit, highest power first
_POLYNOMIAL = (
    *(0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807),
    *(-0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223),
)


def _wide(x: Tensor) -> Tensor:
    """In what such a function is computed in: halves and whole numbers in float32."""
    return x if x.dtype == torch.float64 else x.to(torch.float32)


def _result(x: Tensor) -> torch.dtype:
    return x.dtype if x.is_floating_point() else torch.float32


def _of_reals(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Any]:
    return lambda x: NotImplemented if x.is_complex() else function(x)


TAILS: dict[Any, Callable[..., Any]] = {
    _aten.atanh.default: _of_reals(_area_tangent),
    _aten.erfc.default: _of_reals(_rest_of_error_function),
    _aten.expm1.default: _of_reals(_exponential_less_one),
    _aten.log1p.default: _of_reals(_log_of_one_more),
}
