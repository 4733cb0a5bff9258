"""Constant weights as whole numbers of a word: that real ones lie on a grid is found out, however they got there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BYTE = 8  # bits
WORD = 4  # bytes
LANES = 8  # of the shortest vector that is worth it
MIDDLE = 128  # of unsigned bytes
MOST = 255  # of a byte
_NEAR = 1e-6  # of the largest weight: a few roundings to float32


@dataclass(frozen=True)
class ByteWeights:
    """Constant weights (steps + middle) · scale.

    Attributes:
        steps: int8, or int16 where numbers of 16 bits are multiplied, [..., depth, columns], with zeros up to whole
            words and vectors.
        middle: int32 [columns], these and the others without those zeros; zeros where the steps have 16 bits.
        sums: int32 [columns], of steps + middle over all but the columns.
        scales: float32 [columns]; None where the weights are whole numbers.
    """

    steps: np.ndarray
    middle: np.ndarray
    sums: np.ndarray
    scales: np.ndarray | None


def byte_weights(weights: np.ndarray, bits: int) -> ByteWeights | None:
    """Weights [..., depth, columns] as bytes; None where they are none, or sums of products with bytes may overflow.

    Args:
        bits: of a number that is multiplied.
    """
    flat = weights.reshape(-1, weights.shape[-1])
    if weights.dtype == np.int32:
        steps, scales = flat, None
    else:
        found = on_grid(flat)
        if found is None:
            return None
        steps, scales = found
    most, least = steps.max(0), steps.min(0)
    if ((most - least > MOST) | (np.abs(steps, dtype="int64").sum(0) * MOST > np.iinfo("int32").max)).any():
        return None
    middle = np.maximum(most - 127, np.minimum(least + 128, 0)) if bits == BYTE else np.zeros_like(most)
    if bits > BYTE and max(most.max(), -least.min()) > np.iinfo("int16").max:
        return None
    *kept, depth, columns = weights.shape
    missing = [*[(0, 0)] * len(kept), (0, -depth % WORD), (0, -columns % LANES)]
    around = np.pad((steps - middle).astype(f"int{bits}").reshape(weights.shape), missing)
    return ByteWeights(around, middle.astype("int32"), steps.sum(0, dtype="int32"), scales)


def on_grid(weights: np.ndarray, range_of_steps: int = MOST) -> tuple[np.ndarray, np.ndarray] | None:
    """Whole numbers p and scales t by column with p · t = weights; None where there are none.

    Args:
        weights: float32 [rows, columns].
        range_of_steps: most that the numbers of a column may lie apart, as may the largest from zero.
    """
    if weights.dtype != np.float32 or not weights.size or not np.isfinite(weights).all():
        return None
    most = np.abs(weights).max(0)
    unit = weights / np.where(most > 0, most, 1).astype(np.float32)
    first, *others = unit[np.linspace(0, len(unit) - 1, min(len(unit), 16), dtype=int)]
    counts = np.arange(1, range_of_steps + 1, dtype=np.float32)  # steps up to the largest weight
    place, column = np.nonzero(_on(first, counts[:, None]))
    count = counts[place]
    for row in others:
        fits = _on(row[column], count)
        count, column = count[fits], column[fits]
    while True:  # the fewest steps that are left of each column
        columns, at = np.unique(column, return_index=True)
        if len(columns) < len(most):
            return None
        steps = unit * count[at]
        right = _on(unit, count[at]).all(0) & (np.ptp(steps, 0) < range_of_steps + 0.5)
        if right.all():
            return np.rint(steps).astype(np.int32), (most / count[at]).astype(np.float32)
        count, column = np.delete(count, at[~right]), np.delete(column, at[~right])


def _on(unit: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Which parts of the largest weight are a whole number of steps, of which that has `counts`."""
    steps = unit * counts
    near: np.ndarray = np.abs(steps - np.rint(steps)) < np.float32(_NEAR) * counts
    return near


def as_words(steps: np.ndarray) -> np.ndarray:
    """Weights [..., depth, columns] as words int32 along the depth.

    Bytes make [..., depth / 4, columns]. Numbers of 16 bits make [..., 2, depth / 4, columns]: pairs of the even ones
    of four, then of the odd ones, as words of bytes are widened.
    """
    *kept, depth, columns = steps.shape
    fours = steps.reshape(*kept, depth // WORD, WORD, columns)
    if steps.dtype == np.int16:
        halves = fours.reshape(*kept, depth // WORD, 2, 2, columns)
        fours = np.moveaxis(halves, (-2, -3), (-4, -2))
    return np.ascontiguousarray(np.swapaxes(fours, -1, -2)).view("<i4")[..., 0]
