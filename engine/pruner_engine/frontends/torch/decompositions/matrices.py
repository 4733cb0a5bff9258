"""Inverses, solutions, determinants and Cholesky factors of small matrices, written out as steps of elimination.

After each step the rows and columns move up by one, so that all steps work on the first: they are the same few kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_MOST_ROWS = 64  # as many steps
_aten = torch.ops.aten


def _steps(a: Tensor) -> int:
    rows = a.shape[-1]
    if type(rows) is not int or rows > _MOST_ROWS:
        raise ValueError(f"it factors matrices of {rows} rows, more than {_MOST_ROWS}")
    return rows


def _eliminated(m: Tensor, steps: int) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """Matrices [A B] as [A⁻¹B ...] by Gauss and Jordan, their pivots, and whether rows were exchanged for each.

    The pivot is the largest number of its column among the rows that had none yet, which come first.
    """
    places, pivots, exchanged = torch.arange(steps), [], []
    for step in range(steps):
        left = torch.arange(steps) < steps - step
        chosen = torch.where(left, m[..., 0].abs(), -1.0).argmax(-1, keepdim=True).unsqueeze(-1)
        found = m.gather(-2, chosen.expand(*m.shape[:-2], 1, m.shape[-1]))
        pivots.append(found[..., 0, 0])
        exchanged.append(chosen[..., 0, 0] != 0)
        row = found / found[..., :1]
        others = torch.where(places.unsqueeze(-1) == chosen, m[..., :1, :], m)[..., 1:, :]
        m = torch.cat([others - others[..., :1] * row, row], -2)
        m = torch.cat([m[..., 1:], m[..., :1]], -1)
    return m, pivots, exchanged


def _solution(a: Tensor, b: Tensor, *, left: bool = True) -> Tensor:
    if b.dim() == 1 or b.shape == a.shape[:-1]:  # vectors
        return _solution(a, b.unsqueeze(-1)).squeeze(-1)
    if not left:
        return _solution(a.mT, b.mT).mT
    outer = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    joined = torch.cat([part.expand(*outer, *part.shape[-2:]) for part in (a, b)], -1)
    return _eliminated(joined, _steps(a))[0][..., : b.shape[-1]]


def _inverse(a: Tensor) -> Tensor:
    return _solution(a, torch.eye(_steps(a), dtype=a.dtype))


def _triangular(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    part = a.triu(int(unitriangular)) if upper else a.tril(-int(unitriangular))
    return _solution(part + torch.eye(_steps(a), dtype=a.dtype) if unitriangular else part, b, left=left)


def _sign_and_logarithm(a: Tensor) -> tuple[Tensor, Tensor]:
    """Of the determinant."""
    sign, size = torch.ones(a.shape[:-2], dtype=a.dtype), torch.zeros(a.shape[:-2], dtype=a.dtype)
    _, pivots, exchanged = _eliminated(a, _steps(a))
    for pivot, turned in zip(pivots, exchanged, strict=True):
        # behind a pivot of 0 come no numbers
        sign = torch.where(sign == 0, 0.0, sign * torch.where(turned, -pivot.sign(), pivot.sign()))
        size = torch.where(sign == 0, -math.inf, size + pivot.abs().log())
    return sign, size


def _logarithm(a: Tensor) -> Tensor:
    sign, size = _sign_and_logarithm(a)
    return torch.where(sign < 0, math.nan, size)


def _determinant(a: Tensor) -> Tensor:
    total = torch.ones(a.shape[:-2], dtype=a.dtype)
    _, pivots, exchanged = _eliminated(a, _steps(a))
    for pivot, turned in zip(pivots, exchanged, strict=True):
        total = torch.where(total == 0, 0.0, total * torch.where(turned, -pivot, pivot))
    return total


def _factor(a: Tensor, *, upper: bool = False) -> Tensor:
    """Cholesky's: of its lower triangle."""
    rows, columns = _steps(a), []
    rest = a.mT if upper else a
    rest = rest.tril() + rest.tril(-1).mT
    for _ in range(rows):
        column = rest[..., :1] / rest[..., :1, :1].sqrt()
        columns.append(column)
        rest = rest - column @ column.mT
        rest = torch.cat([rest[..., 1:], rest[..., :1]], -1)
        rest = torch.cat([rest[..., 1:, :], rest[..., :1, :]], -2)
    places = torch.arange(rows)
    moved = ((places.unsqueeze(-1) - places) % rows).expand(a.shape)
    found = torch.cat(columns, -1).gather(-2, moved).tril()
    return found.mT if upper else found


def _with(function: Callable[..., Any], *others: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """The same as an operator that gives more: whether it failed, and factors on the way, which no program reads."""

    def rule(a: Tensor, *given: Tensor, check_errors: bool = False, **form: Any) -> tuple[Any, ...]:
        made = function(a, *given, **form)
        return (*(made if isinstance(made, tuple) else (made,)), *(other(a) for other in others))

    return rule


def _no_failure(a: Tensor) -> Tensor:
    return torch.zeros(a.shape[:-2], dtype=torch.int32)


def _no_factors(a: Tensor) -> Tensor:
    return torch.zeros_like(a)


def _no_pivots(a: Tensor) -> Tensor:
    return torch.zeros(a.shape[:-1], dtype=torch.int32)


#: by whatever name a program calls them
MATRICES: dict[Any, Callable[..., Any]] = {
    _aten._linalg_det.default: _with(_determinant, _no_factors, _no_pivots),
    _aten._linalg_slogdet.default: _with(_sign_and_logarithm, _no_factors, _no_pivots),
    _aten._linalg_solve_ex.default: _with(_solution, _no_factors, _no_pivots, _no_failure),
    _aten.det.default: _determinant,
    _aten.inverse.default: _inverse,
    _aten.linalg_cholesky.default: _factor,
    _aten.linalg_cholesky_ex.default: _with(_factor, _no_failure),
    _aten.linalg_det.default: _determinant,
    _aten.linalg_inv.default: _inverse,
    _aten.linalg_inv_ex.default: _with(_inverse, _no_failure),
    _aten.linalg_slogdet.default: _sign_and_logarithm,
    _aten.linalg_solve.default: _solution,
    _aten.linalg_solve_ex.default: _with(_solution, _no_failure),
    _aten.linalg_solve_triangular.default: _triangular,
    _aten.logdet.default: _logarithm,
    _aten.slogdet.default: _sign_and_logarithm,
}
