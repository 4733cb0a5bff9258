"""Layers (`nn.Linear`) as products of two matrices.

Where rows do not lie one after another, such as those of an image that was cut into windows, PyTorch repeats the
weights for each of the outer axes instead: those of a layer, 9 MB, became 3 GB.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A product of all rows with the weights; of one row with them."""
    if x.dim() == 1:
        made = weight.mv(x)
        return made if bias is None else made + bias
    rows = x if x.dim() == 2 else x.reshape(-1, x.shape[-1])
    made = rows.mm(weight.t()) if bias is None else torch.addmm(bias, rows, weight.t())
    return made if x.dim() == 2 else made.view([*x.shape[:-1], weight.shape[0]])
