"""Operators that other libraries have of their own, said in PyTorch's or converted as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from pruner_engine.affine_quantisation import OPERATORS as _OF_TORCHAO
from pruner_engine.frontends.torch.decompositions import deformed
from pruner_engine.frontends.torch.decompositions.experts import product_of_groups
from pruner_engine.frontends.torch.operators import regions

_made: list[torch.library.Library] = []  # an operator lives as long as its library does
# library, name: arguments and result, and what it computes; guard.py lets these through
_OPERATORS: dict[tuple[str, str], tuple[str, Callable[..., Any]]] = {
    **{("torchao", name): operator for name, operator in _OF_TORCHAO.items()},
    ("torchvision", "deform_conv2d"): (deformed.SCHEMA, deformed.deformable_convolution),
    ("transformers", "grouped_mm_fallback"): (
        "(Tensor input, Tensor weight, Tensor offs) -> Tensor",
        product_of_groups,
    ),
}
# the same of those that are converted as they are: only what shape they give is computed
_WHOLE: dict[tuple[str, str], tuple[str, Callable[..., Any]]] = {
    ("torchvision", "roi_align"): (regions.SCHEMA, regions.empty_regions),
}


def know_operators_of_libraries(archive: bytes) -> None:
    """Register those that an archive names, but where the library itself is there."""
    for operators, key in ((_OPERATORS, "CompositeImplicitAutograd"), (_WHOLE, "Meta")):
        for (library, name), (schema, function) in operators.items():
            if f"{library}.{name}".encode() not in archive or _known(library, name) is not None:
                continue
            made = torch.library.Library(library, "FRAGMENT")
            made.define(f"{name}{schema}")
            made.impl(name, function, key)
            _made.append(made)


def decompositions_of_libraries() -> dict[Any, Callable[..., Any]]:
    """Those that are known in other operators."""
    known = ((_known(*operator), function) for operator, (_, function) in _OPERATORS.items())
    return {found.default: function for found, function in known if found is not None}


def _known(library: str, name: str) -> Any:
    """The operator, be it ours or, in a process that has imported it, the library's; None without either."""
    return getattr(getattr(torch.ops, library), name, None)
