"""The matrices of Fourier transforms: TVM has no transform, and a product with one is tuned like any other."""

from __future__ import annotations

import numpy as np

LONGEST = 4096  # numbers that are transformed at a time; the matrix has up to four times its square


def waves(size: int, *, half: bool = False, inverse: bool = False, parts: int = 1) -> np.ndarray:
    """What each part of a number adds to both parts of each frequency, float64[size, parts, frequencies, 2].

    Args:
        half: of the frequencies up to the middle, of which the others are the mirror image where numbers are real.
        inverse: from frequencies to numbers, divided by their count.
        parts: 1 for real numbers, 2 for complex ones.
    """
    cos, sin = cosines_and_sines(size, size // 2 + 1 if half else size, size)
    sin = sin if inverse else -sin
    both = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)][:parts], 1)
    return both / size if inverse else both


def waves_of_half(size: int) -> np.ndarray:
    """What each part of a frequency up to the middle adds to real numbers, float64[size // 2 + 1, parts, size]."""
    half = size // 2 + 1
    # all but the first and, of an even number, the last stand for two
    weight = np.where((np.arange(half) == 0) | (2 * np.arange(half) == size), 1, 2)[:, None]
    cos, sin = cosines_and_sines(half, size, size)
    return np.stack([cos * weight, -sin * weight], 1)


def cosines_and_sines(rows: int, columns: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Of row * column / size turns, float64[rows, columns] each."""
    turns = np.outer(np.arange(rows), np.arange(columns)) % size / size * 2 * np.pi
    return np.cos(turns), np.sin(turns)
