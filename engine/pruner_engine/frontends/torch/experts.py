"""Products of rows with the matrix of the group that they belong to, as mixtures of experts have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_LIBRARY = "transformers"
_OPERATOR = "grouped_mm_fallback"
_made: list[torch.library.Library] = []  # an operator lives as long as its library does


def know_operators_of_experts(archive: bytes) -> None:
    """Register the operator that the Transformers library has of its own, where an archive names it."""
    if _OPERATOR.encode() not in archive or _known() is not None:
        return
    library = torch.library.Library(_LIBRARY, "FRAGMENT")
    library.define(f"{_OPERATOR}(Tensor input, Tensor weight, Tensor offs) -> Tensor")
    library.impl(_OPERATOR, product_of_groups, "CompositeImplicitAutograd")
    _made.append(library)


def decompositions_of_experts() -> dict[Any, Callable[..., Tensor]]:
    """That operator in others, where it is known."""
    found = _known()
    return {} if found is None else {found.default: product_of_groups}


def _known() -> Any:
    """The operator, be it ours or, in a process that has imported it, the library's; None without either."""
    return getattr(getattr(torch.ops, _LIBRARY), _OPERATOR, None)


def product_of_groups(x: Tensor, weights: Tensor, ends: Tensor) -> Tensor:
    """Each row times the matrix of its group; which rows those are is known only when it runs.

    Args:
        x: rows by depth, groups behind each other.
        weights: groups by depth by width.
        ends: behind each group's last row; rows behind the last group become 0.
    """
    rows, groups = x.shape[0], weights.shape[0]
    group = (ends <= torch.arange(rows).unsqueeze(-1)).sum(-1)
    if type(rows) is int and 2 * rows <= groups:  # a matrix for each row is less to read than all of them
        made = (x.unsqueeze(1) @ weights[group.clamp(max=groups - 1)]).squeeze(1)
        return torch.where((group < groups).unsqueeze(-1), made, 0.0)
    # one product, in which a row has zeros for all other groups: more to compute, and each matrix is read once
    member = group.unsqueeze(-1) == torch.arange(groups)
    spread = torch.where(member.unsqueeze(-1), x.unsqueeze(1), 0.0)
    return spread.flatten(1) @ weights.flatten(0, 1)
