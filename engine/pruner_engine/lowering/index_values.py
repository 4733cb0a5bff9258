"""What an index is for values of its variables."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

import numpy as np
from tvm.ir import Expr
from tvm.tirx import Add, Broadcast, Cast, FloorDiv, FloorMod, IntImm, Max, Min, Mul, Ramp, Sub, Var

_BINARY: dict[type, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    Add: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    FloorDiv: operator.floordiv,
    FloorMod: operator.mod,
    Min: np.minimum,
    Max: np.maximum,
}


def value_of(  # noqa: PLR0911 (one case a kind)
    index: Expr, values: Mapping[Var, np.ndarray], unknown: np.ndarray | None = None
) -> np.ndarray:
    """An index for these values of its variables, arrays of whole numbers; of a vector with an axis more.

    Args:
        unknown: what stands for other variables, and for what no arithmetic gives, such as what a tensor holds.

    Raises:
        NotImplementedError: there is something of that kind, and nothing to stand for it.
    """
    if isinstance(index, IntImm):
        return np.asarray(index.value, np.int64)
    if isinstance(index, Var) and (known := values.get(index)) is not None:
        return known
    if (binary := _BINARY.get(type(index))) is not None:
        return binary(value_of(index.a, values, unknown), value_of(index.b, values, unknown))
    if isinstance(index, Cast):
        return value_of(index.value, values, unknown)
    if isinstance(index, Broadcast):
        return value_of(index.value, values, unknown)[..., None]
    if isinstance(index, Ramp):
        first, apart = (value_of(part, values, unknown)[..., None] for part in (index.base, index.stride))
        return first + apart * np.arange(int(index.lanes))
    if unknown is None:
        raise NotImplementedError(f"index with {type(index).__name__}")
    return unknown
