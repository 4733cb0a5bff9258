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
    turns = np.outer(np.arange(size), np.arange(size // 2 + 1 if half else size)) % size / size * 2 * np.pi
    cos, sin = np.cos(turns), np.sin(turns) * (1 if inverse else -1)
    both = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)][:parts], 1)
    return both / size if inverse else both
