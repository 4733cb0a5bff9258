"""What a node of an exported PyTorch program says of itself."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node


def arguments(node: Node, *names: str) -> list[Any]:
    """Arguments by position or name, defaults for those that are not given."""
    given = dict(node.kwargs)
    for argument, value in zip(node.target._schema.arguments, node.args, strict=False):
        given[argument.name] = value
    defaults = {a.name: a.default_value for a in node.target._schema.arguments if a.has_default_value()}
    return [given.get(name, defaults.get(name)) for name in names]


def extents_of(node: Node) -> list[int] | None:
    """Of a tensor; None where one is open."""
    shape = list(node.meta["val"].shape)
    return shape if all(type(extent) is int for extent in shape) else None


def dtype_of(node: Node) -> torch.dtype:
    """The type of a tensor's numbers."""
    dtype: torch.dtype = node.meta["val"].dtype
    return dtype


def type_name(dtype: torch.dtype) -> str:
    """TVM's name of a type."""
    return str(dtype).removeprefix("torch.")


def summed_as(node: Node) -> torch.dtype:
    """What sums of products are held in: float32 where the result is of halves, as PyTorch does it."""
    dtype = dtype_of(node)
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def replace_uses(node: Node, value: Any) -> None:
    """Put another node, or a number, wherever one is read."""
    for user in list(node.users):
        user.args, user.kwargs = torch.fx.map_arg(
            (user.args, user.kwargs), lambda given: value if given is node else given
        )
