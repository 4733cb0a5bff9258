"""A tensor of complex numbers, of which TVM has no type: a pair of real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.fx import Node
from tvm import relax

from pruner_engine.frontends.torch.nodes import dtype_of, type_name

if TYPE_CHECKING:
    from pruner_engine.frontends.torch.operators.conversion import Conversion


class Pair(NamedTuple):
    """Real and imaginary parts, of one shape."""

    real: relax.Expr
    imaginary: relax.Expr


def is_complex(node: Node) -> bool:
    """Whether a node gives complex numbers."""
    value = node.meta.get("val")
    values = value if isinstance(value, tuple | list) else [value]
    return any(isinstance(one, torch.Tensor) and one.is_complex() for one in values)


def pair_of(importer: Conversion, operand: Any, like: Node | None = None) -> Pair:
    """An operand as a pair, in the type of the real parts of `like`."""
    if isinstance(operand, Node):
        found = importer.env[operand]
        if isinstance(found, Pair):
            return found
        real = found if like is None else importer.as_type(found, real_type(like))
        return Pair(real, importer.emit(relax.op.zeros_like(real)))
    dtype = type_name(torch.float32 if like is None else real_type(like))
    value = complex(operand)
    return Pair(relax.const(value.real, dtype), relax.const(value.imag, dtype))


def real_type(node: Node) -> torch.dtype:
    """The type of a node's numbers, or of their parts."""
    dtype = dtype_of(node)
    return dtype.to_real() if dtype.is_complex else dtype
