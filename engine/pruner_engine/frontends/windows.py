"""Where the members of an image's windows are, for poolings that tell where their maxima were and windows put back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Places = np.ndarray


def windows_along(after: int, width: int, step: int, before: int, apart: int) -> Places:
    """The windows along one axis, as rows; some members may be outside.

    Args:
        after: number of windows.
        width: members of a window.
        step: between windows.
        before: members of the first window that are outside, so much padding there is.
        apart: steps between the members of a window.
    """
    return (np.arange(after) * step - before)[:, None] + np.arange(width) * apart


def members(places: Sequence[Places], sizes: Sequence[int]) -> Places:
    """Where in the flat image the members of each window are, as rows.

    What is outside is the first again that is inside, which changes no maximum and no place of one.

    Args:
        places: for each axis of the image the windows along it, as rows.
        sizes: of the image.
    """
    table, inside = _all(places, sizes)
    return np.where(inside, table, table[np.arange(len(table)), inside.argmax(1)][:, None])


def readers(places: Sequence[Places], sizes: Sequence[int]) -> Places:
    """For each element of the flat image the members of windows that are there, counted through all windows.

    Rows are filled up with the number of all members, which is none of them. Arguments as of `members`.
    """
    table, inside = _all(places, sizes)
    found = np.flatnonzero(inside)
    at = table.reshape(-1)[found]
    order = np.argsort(at, kind="stable")
    found, at = found[order], at[order]
    count = np.bincount(at, minlength=math.prod(sizes))
    made = np.full((len(count), max(int(np.max(count)), 1)), table.size, "int64")
    made[at, np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)] = found
    return made


def _all(places: Sequence[Places], sizes: Sequence[int]) -> tuple[Places, Places]:
    """Window by member: where in the flat image, and whether it is inside."""
    table, inside = np.zeros((1, 1), "int64"), np.ones((1, 1), bool)
    for place, size in zip(places, sizes, strict=True):
        shape = (len(table) * len(place), table.shape[1] * place.shape[1])
        table = (table[:, None, :, None] * size + place[None, :, None]).reshape(shape)
        inside = (inside[:, None, :, None] & ((place >= 0) & (place < size))[None, :, None]).reshape(shape)
    return table, inside
