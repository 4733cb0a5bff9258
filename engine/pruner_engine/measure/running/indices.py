"""Which arguments of a kernel are indices, and how far they may reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tvm
from tvm.ir.expr import TensorLoad
from tvm.tirx import BufferStore

_UNKNOWN = 2  # 0 and 1 stay small whatever is computed with them
# an index below zero counts from the end: what is added to it then says nothing about the others
_KEEPING = (tvm.tirx.Cast, tvm.tirx.Select, tvm.tirx.Min, tvm.tirx.Max, tvm.tirx.Add, tvm.tirx.Sub)
_OPERANDS = ("a", "b", "value", "true_value", "false_value")


def index_bounds(stores: Sequence[BufferStore], params: Sequence[Any]) -> dict[int, int]:
    """Argument index to the number that all its elements have to be below, for arguments that address others.

    Follows indices through intermediate buffers. Where more is computed with an index than a wrap from the end, 0 and 1
    are all that is known to be harmless.

    Args:
        stores: of the kernel's blocks.
        params: its arguments.
    """
    bounds: dict[int, int] = {}  # by a buffer's hash, which is its identity; comparing two makes an expression
    for store in stores:
        for access in (store, *(load for part in (store.value, *store.indices) for load in _loads(part))):
            for index, extent in zip(access.indices, _buffer(access).ty.shape, strict=True):
                if isinstance(extent, tvm.tirx.IntImm):
                    _narrow(bounds, index, int(extent))
    while any([_narrow(bounds, s.value, bounds[hash(s.buffer)]) for s in stores if hash(s.buffer) in bounds]):
        pass
    return {i: bounds[hash(p)] for i, p in enumerate(params) if hash(p) in bounds}


def _narrow(bounds: dict[int, int], expr: Any, bound: int) -> bool:
    """Bound what an expression takes from buffers of whole numbers; returns whether that is news."""
    news = False
    for load, known in _values(expr, True):
        buffer, below = _buffer(load), bound if known else min(bound, _UNKNOWN)
        if "int" in str(buffer.ty.dtype) and below < bounds.get(hash(buffer), below + 1):
            bounds[hash(buffer)] = below
            news = True
    return news


def _values(expr: Any, known: bool) -> Iterator[tuple[TensorLoad, bool]]:
    """Loads that an expression is computed from, and whether it takes their values as they are."""
    if isinstance(expr, TensorLoad):
        yield expr, known
        return
    for part in _parts(expr):
        yield from _values(part, known and isinstance(expr, _KEEPING))


def _loads(expr: Any) -> Iterator[TensorLoad]:
    """All loads in an expression, those in the indices of others too."""
    if isinstance(expr, TensorLoad):
        yield expr
    condition = getattr(expr, "condition", None)
    for part in [*_parts(expr), *([] if condition is None else [condition])]:
        yield from _loads(part)


def _parts(expr: Any) -> list[Any]:
    """What an expression is computed from, without the condition of a choice."""
    if isinstance(expr, TensorLoad):
        return list(expr.indices)
    if isinstance(expr, tvm.ir.Call):
        return list(expr.args)
    if isinstance(expr, tvm.tirx.IntImm | tvm.tirx.FloatImm):
        return []
    return [part for name in _OPERANDS if (part := getattr(expr, name, None)) is not None]


def _buffer(access: Any) -> Any:
    return access.source if isinstance(access, TensorLoad) else access.buffer
