"""Norms of instances, for which PyTorch makes one image of a batch, with channels by the batch.

Nothing around such a reshape can have its channels last, or be in one kernel with the norm.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import batch_norm, group_norm

_norm = torch.ops.aten.instance_norm.default
_written_out = torch.export.default_decompositions()[_norm]


def norm_of_instances(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    variance: Tensor | None,
    by_itself: bool,
    momentum: float,
    eps: float,
    cudnn: bool,
) -> Any:
    """By what comes in, which is a norm of groups of one channel, or by the statistics of before."""
    if not by_itself:
        return batch_norm(x, mean, variance, weight, bias, eps=eps)
    if mean is None:
        return group_norm(x, x.shape[1], weight, bias, eps)
    return _written_out(x, weight, bias, mean, variance, by_itself, momentum, eps, cudnn)
