"""Scattering by indices that are fewer than the data's elements along other axes than the one they are of.

TVM's kernel walks through the data by the extents of the indices, as if both had the same. So such indices become ones
of the flat data, which has no other axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def suits_tvm(data: Sequence[object], indices: Sequence[object], axis: int) -> bool:
    """Whether TVM's kernel does what it should.

    It merges the axes before the scattered one, and those behind it: of each the first may be shorter.
    """
    return all(n in (0, axis, axis + 1) or indices[n] == extent for n, extent in enumerate(data))


def flat_places(data: Sequence[int], indices: Sequence[int], axis: int) -> tuple[int, np.ndarray[Any, Any]]:
    """How far apart elements along an axis are in the flat data, and where there each index counts from."""
    own = [1 if n == axis else extent for n, extent in enumerate(indices)]
    steps = [math.prod(data[n + 1 :]) for n in range(len(data))]
    starts = sum((at * step for at, step in zip(np.indices(own), steps, strict=True)), np.zeros(own, np.int64))
    return steps[axis], starts.astype(np.int64)
