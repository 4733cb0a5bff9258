"""Products of rows with the matrix of the group that they belong to, as mixtures of experts have them."""

from __future__ import annotations

import torch
from torch import Tensor


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
