"""What indices of vectors tell."""

from __future__ import annotations

from tvm.ir import Expr, PrimType
from tvm.tirx import IntImm, Ramp


def lanes_of(value: Expr) -> int:
    """Elements of a vector; 1 of anything else."""
    kind = value.ty
    return kind.dtype.lanes if isinstance(kind, PrimType) else 1


def is_row(index: Expr) -> bool:
    """Whether the elements are neighbours, as nearly always."""
    return isinstance(index, Ramp) and isinstance(index.stride, IntImm) and int(index.stride) == 1
