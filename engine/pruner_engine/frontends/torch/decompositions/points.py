"""What PyTorch takes along the axis that a tensor without axes is said to have: TVM takes nothing along none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

_aten = torch.ops.aten
_Rule = Callable[..., Any]

_ALONG_AN_AXIS = (
    *(_aten._log_softmax.default, _aten._softmax.default, _aten.logsumexp.default),
    *(_aten.amax.default, _aten.amin.default, _aten.argmax.default, _aten.argmin.default),
    *(_aten.max.dim, _aten.min.dim, _aten.mean.dim, _aten.prod.dim_int, _aten.sum.dim_IntList),
    *(_aten.any.dim, _aten.linalg_vector_norm.default, _aten.var.correction, _aten.var_mean.correction),
    *(_aten.cummax.default, _aten.cummin.default, _aten.cumprod.default, _aten.cumsum.default),
    _aten.logcumsumexp.default,
    *(_aten.kthvalue.default, _aten.median.default, _aten.median.dim),
    *(_aten.sort.default, _aten.sort.stable, _aten.topk.default),
    *(_aten.gather.default, _aten.scatter.reduce, _aten.scatter.src, _aten.scatter.value, _aten.scatter.value_reduce),
    *(_aten.scatter_add.default, _aten.scatter_reduce.two),
)


def with_points(rules: dict[Any, _Rule]) -> dict[Any, _Rule]:
    """Decompositions, and those of what is taken along an axis where there is none."""
    return rules | {target: partial(_along_one, target, rules.get(target)) for target in _ALONG_AN_AXIS}


def _along_one(target: Any, otherwise: _Rule | None, x: Tensor, *given: Any, **named: Any) -> Any:
    """Along an axis of one element, for a tensor that has none."""
    if x.dim():
        return NotImplemented if otherwise is None else otherwise(x, *given, **named)
    rows = tree_map_only(Tensor, _as_row, (x, given, named))
    return tree_map_only(Tensor, _as_point, target(rows[0], *rows[1], **rows[2]))


def _as_row(x: Tensor) -> Tensor:
    return x.reshape(1)


def _as_point(x: Tensor) -> Tensor:
    return x.reshape(())
