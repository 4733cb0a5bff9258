"""Constant weights as signed bytes: that real numbers lie on a grid of them is found out, however they got there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WORD = 4  # bytes
_LANES = 8  # of the shortest vector that is worth it
_NEAR = 1e-6  # of the largest weight: a few roundings to float32


@dataclass(frozen=True)
class ByteWeights:
    """Constant weights (steps + middle) · scale.

    Attributes:
        steps: int8 [..., depth, columns], with zeros up to whole words and vectors.
        middle: int32 [columns], these and the others without those zeros.
        sums: int32 [columns], of steps + middle over all but the columns.
        scales: float32 [columns]; None where the weights are whole numbers.
    """

    steps: np.ndarray
    middle: np.ndarray
    sums: np.ndarray
    scales: np.ndarray | None


def byte_weights(weights: np.ndarray) -> ByteWeights | None:
    """Weights [..., depth, columns] as bytes; None where they are none."""
    flat = weights.reshape(-1, weights.shape[-1])
    if weights.dtype == np.int32:
        steps, scales = flat, None
    else:
        found = on_grid(flat)
        if found is None:
            return None
        steps, scales = found
    most, least = steps.max(0), steps.min(0)
    middle = np.maximum(most - 127, np.minimum(least + 128, 0))
    if (least - middle < -128).any():
        return None
    *kept, depth, columns = weights.shape
    missing = [*[(0, 0)] * len(kept), (0, -depth % WORD), (0, -columns % _LANES)]
    around = np.pad((steps - middle).astype("int8").reshape(weights.shape), missing)
    return ByteWeights(around, middle.astype("int32"), steps.sum(0, dtype="int32"), scales)


def on_grid(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Whole numbers p and scales t by column with p · t = weights, p of at most 255 steps; None where there are none.

    Args:
        weights: float32 [rows, columns].
    """
    if weights.dtype != np.float32 or not weights.size or not np.isfinite(weights).all():
        return None
    most = np.abs(weights).max(0)
    unit = weights / np.where(most > 0, most, 1)
    counts = np.arange(1, 256)  # steps up to the largest weight
    fits = np.ones((len(counts), weights.shape[1]), bool)
    few = unit[np.linspace(0, len(unit) - 1, min(len(unit), 16), dtype=int)]
    for row in few:
        fits &= _on(row, counts[:, None])
    while fits.any(0).all():
        count = counts[fits.argmax(0)]
        steps = unit * count
        right = _on(unit, count).all(0) & (np.ptp(steps, 0) < 255.5)
        if right.all():
            return np.round(steps).astype(np.int32), (most / count).astype(np.float32)
        fits[count - 1, np.arange(len(count))] &= right
    return None


def _on(unit: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Which parts of the largest weight are a whole number of steps, of which that has `counts`."""
    steps = unit * counts
    near: np.ndarray = np.abs(steps - np.round(steps)) < _NEAR * counts
    return near


def as_words(steps: np.ndarray) -> np.ndarray:
    """Weights int8 [..., depth, columns] as words int32 [..., depth / 4, columns] of four along the depth."""
    *kept, depth, columns = steps.shape
    fours = np.swapaxes(steps.reshape(*kept, depth // WORD, WORD, columns), -1, -2)
    return np.ascontiguousarray(fours).view("<i4")[..., 0]
