"""Inputs for a kernel, and whether its outputs are those of the untuned one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import ml_dtypes
import numpy as np

_FACTOR = 8.0  # rounding errors add up about like a random walk; this is the room above it
_LARGE = 1e4
_NANS = 3
_STEP = 1 / 127  # of a byte's range
_RARE = 0.01  # share of the results that may be rounded to the other step
_PERIOD = 1_000_003  # values after which those of a large array come again; a prime, so that no two rows are equal
ANY_BITS = "bits"  # what words hold whose bits are all set by chance
_WIDE_WORDS = 1 / 4096  # share of the words with large bytes: where sums meet them, results leave the range of a byte


def dtype_of(name: str) -> np.dtype:
    """The numpy dtype of a TVM dtype."""
    return np.dtype(getattr(ml_dtypes, name, name))


def epsilon_of(dtype: np.dtype) -> float:
    """Distance from 1 to the next number of a float type."""
    return float(ml_dtypes.finfo(dtype).eps)


def make_array(
    shape: tuple[int, ...],
    dtype: str,
    seed: int,
    kind: str = "random",
    reduction: int = 1,
    below: int | None = None,
    words: str = "",
) -> np.ndarray:
    """Seeded values that any kernel can digest.

    Args:
        shape, dtype: of the array.
        seed: same seed, same values.
        kind: of the floats. random: uniform in [-1, 1); zeros; large: uniform in ±10⁴, less where sums would
            overflow; nan: random with three NaNs among them. Small integers are in [-8, 8) and wide ones, which may
            be indices, 0 or 1, whatever the kind.
        reduction: terms that are folded into one output element.
        below: the integers are indices: all from 0 up to, not including, this, so that they reach what they may.
        words: the integers are words of numbers of this type: floats, or uint8 or int16 that hold bytes, mostly 0 or 1,
            so that sums stay small, a few of any value; or `ANY_BITS`.
    """
    rng = np.random.default_rng(seed)
    numpy_dtype = dtype_of(dtype)
    if below is not None:
        most = min(below, int(np.iinfo(numpy_dtype).max))
        return _drawn(shape, lambda part: rng.integers(0, most, part).astype(numpy_dtype))
    if words == "bfloat16":
        return make_array((*shape, 2), words, seed, kind, reduction).view(numpy_dtype)[..., 0]
    if words == ANY_BITS:
        bounds = np.iinfo(numpy_dtype)
        return _drawn(shape, lambda part: rng.integers(bounds.min, bounds.max, part, numpy_dtype, endpoint=True))
    if words:
        return _drawn(shape, lambda part: _words(rng, part, words).view(numpy_dtype)[..., 0])
    if numpy_dtype.kind in "biu":
        low, high = (0, 2) if numpy_dtype.kind == "b" or numpy_dtype.itemsize > 2 else (-8, 8)
        low = max(low, 0) if numpy_dtype.kind == "u" else low
        return _drawn(shape, lambda part: rng.integers(low, high, part).astype(numpy_dtype))
    values = np.resize(_uniform(seed, min(math.prod(shape), _PERIOD)), shape)
    if kind == "zeros":
        values *= 0
    elif kind == "large":
        values *= min(_LARGE, (float(ml_dtypes.finfo(numpy_dtype).max) / (16 * reduction)) ** 0.5)
    elif kind == "nan" and values.size:
        values.flat[rng.integers(0, values.size, _NANS)] = np.nan
    return values.astype(numpy_dtype, copy=False)


@functools.lru_cache(maxsize=8)
def _uniform(seed: int, count: int) -> np.ndarray:
    """Values in [-1, 1), which every kind of the floats of an argument begins with."""
    return np.random.default_rng(seed).random(count, np.float32) * 2 - 1


def _drawn(shape: tuple[int, ...], draw: Callable[[tuple[int, ...]], np.ndarray]) -> np.ndarray:
    """What `draw` makes of a shape; a large array repeats it, since drawing a hundred million values takes seconds."""
    return draw(shape) if math.prod(shape) <= _PERIOD else np.resize(draw((_PERIOD,)), shape)


def _words(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Bytes for each element, four or, as numbers of 16 bits, two; mostly 0 or 1."""
    several = (*shape, 4 // np.dtype(dtype).itemsize)
    few = rng.random((*shape, 1)) < _WIDE_WORDS
    numbers = np.where(few, rng.integers(0, 256, several), rng.integers(0, 2, several)).astype(np.uint8)
    return numbers if dtype == "uint8" else numbers.view(np.int8).astype(dtype)


def difference(
    out: np.ndarray, reference: np.ndarray, reduction: int, epsilon: float = 0.0, *, rounds: bool = False
) -> str:
    """Empty if `out` equals `reference` up to rounding, else a sentence with the worst element.

    The tolerance is 8·eps·√reduction, relative to the element and to the largest element; integers, infinities and the
    places of NaNs have to be equal.

    Args:
        reduction: terms that are folded into one element.
        epsilon: of a coarser float type that was rounded to on the way, if any.
        rounds: numbers are rounded to bytes on the way: one half way between two steps may go to either. Then
            differences of a step are left out where they are rare.
    """
    if out.dtype.kind in "iub":
        wrong = out != reference
        gap = np.abs(out.astype(np.float64) - reference.astype(np.float64))
        steps = gap <= 1
    else:
        room = _FACTOR * max(epsilon_of(out.dtype), epsilon) * reduction**0.5
        if _all_near(out, reference, room / 2):
            return ""
        got, want = out.astype(np.float64), reference.astype(np.float64)
        scale = np.abs(want, where=np.isfinite(want), out=np.zeros_like(want)).max(initial=0.0)
        with np.errstate(invalid="ignore"):
            gap = np.abs(got - want)
            wrong = ~((gap <= room * (np.abs(want) + scale)) & np.isfinite(want))
        wrong &= ~((got == want) | (np.isnan(got) & np.isnan(want)))
        steps = gap <= 2 * _STEP * scale
    steps &= wrong
    if rounds and steps.sum() <= _RARE * wrong.size:
        wrong &= ~steps
    if not wrong.any():
        return ""
    at = np.unravel_index(int(np.argmax(np.where(wrong, np.nan_to_num(gap, nan=np.inf), -1.0))), out.shape)
    return (
        f"{int(wrong.sum())} of {wrong.size} output elements differ from the untuned kernel's: "
        f"{out[at]} instead of {reference[at]} at {[int(i) for i in at]}."
    )


def _all_near(out: np.ndarray, reference: np.ndarray, room: float) -> bool:
    """Whether all are numbers and equal, relative to the largest: the most frequent case, seen without a wider type."""
    with np.errstate(invalid="ignore", over="ignore"):
        gap, scale = (np.abs(values).max(initial=0) for values in (out - reference, reference))
        return bool(gap <= room * scale < np.inf)
