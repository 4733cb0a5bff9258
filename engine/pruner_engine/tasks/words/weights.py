"""Constant weights as whole numbers of a word: that real ones lie on a grid is found out, however they got there."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

BYTE = 8  # bits
WORD = 4  # bytes
LANES = 8  # of the shortest vector that is worth it
MIDDLE = 128  # of unsigned bytes
MOST = 255  # of a byte
_NEAR = 1e-6  # of the largest weight: a few roundings to float32
_APART = 0.25  # of a step, that a weight may be off


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
        found = on_grid(flat) if weights.dtype == np.float32 else None
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

    Weights of 16 bits are p · t rounded to their type, and t is of it, too: so what was rounded is found again.

    Args:
        weights: float32, or float16 or bfloat16 [rows, columns].
        range_of_steps: most that the numbers of a column may lie apart, as may the largest from zero.

    Returns:
        int32 [rows, columns] and float32 [columns].
    """
    if not weights.size or not np.isfinite(weights).all():
        return None
    real, near = weights.astype(np.float32, copy=False), _near(weights.dtype)
    most = np.abs(real).max(0)
    unit = real / np.where(most > 0, most, 1).astype(np.float32)
    first, *others = unit[np.linspace(0, len(unit) - 1, min(len(unit), 16), dtype=int)]
    # steps up to the largest weight, while they can be told from each other
    counts = np.arange(1, min(range_of_steps, _APART / near) + 1, dtype=np.float32)
    place, column = np.nonzero(_on(first, counts[:, None], near))
    count = counts[place]
    for row in others:
        fits = _on(row[column], count, near)
        count, column = count[fits], column[fits]
    while True:  # the fewest steps that are left of each column
        columns, at = np.unique(column, return_index=True)
        if len(columns) < len(most):
            return None
        steps = np.rint(unit * count[at])
        if weights.dtype == np.float32:
            scales, right = most / count[at], _on(unit, count[at], near).all(0)
        else:
            scales, right = _scales(weights, real, steps)
        right &= np.ptp(steps, 0) <= range_of_steps
        if right.all():
            return steps.astype(np.int32), scales.astype(np.float32)
        count, column = np.delete(count, at[~right]), np.delete(column, at[~right])


def _scales(weights: np.ndarray, real: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales by column of the weights' own type, and whether the weights are what the steps times these round to.

    The scale that fits best may be the next one to the one that was rounded with.
    """
    best = ((real * steps).sum(0) / np.maximum((steps * steps).sum(0), 1)).astype(weights.dtype)
    scales, right = best.astype(np.float32), np.zeros(len(best), bool)
    for apart in (0, 1, -1):
        beside = (best.view(np.int16) + np.int16(apart)).view(weights.dtype).astype(np.float32)
        fits = ((steps * beside).astype(weights.dtype) == weights).all(0)
        scales, right = np.where(fits & ~right, beside, scales), right | fits
    return scales, right


def _near(dtype: np.dtype) -> float:
    """How far a weight and the largest one, each rounded to their type, may be off a step, of the largest weight."""
    return _NEAR if dtype == np.float32 else 1.1 * float(ml_dtypes.finfo(dtype).eps)


def _on(unit: np.ndarray, counts: np.ndarray, near: float) -> np.ndarray:
    """Which parts of the largest weight are a whole number of steps, of which that has `counts`."""
    steps = unit * counts
    on: np.ndarray = np.abs(steps - np.rint(steps)) < np.float32(near) * counts
    return on


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
