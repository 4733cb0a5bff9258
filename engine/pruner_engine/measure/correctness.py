"""Inputs for a kernel, and whether its outputs are those of the untuned one."""

from __future__ import annotations

import ml_dtypes
import numpy as np

_FACTOR = 16.0  # rounding errors add up about like a random walk; this is the room above it


def dtype_of(name: str) -> np.dtype:
    """The numpy dtype of a TVM dtype."""
    return np.dtype(getattr(ml_dtypes, name, name))


def random_array(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Seeded values that any kernel can digest.

    Floats are uniform in [-1, 1); small integers in [-8, 8); wide integers, which may be indices, are 0 or 1.
    """
    rng = np.random.default_rng(seed)
    kind = dtype_of(dtype)
    if dtype == "bool" or (kind.kind in "iu" and kind.itemsize > 2):
        return rng.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        return rng.integers(0 if kind.kind == "u" else -8, 8, shape).astype(kind)
    return (rng.random(shape, np.float32) * 2 - 1).astype(kind)


def difference(out: np.ndarray, reference: np.ndarray, reduction: int) -> str:
    """Empty if `out` equals `reference` up to rounding, else a sentence with the worst element.

    The tolerance is 16·eps·√reduction of the dtype, relative to the element and to the largest element; integers have
    to be equal.
    """
    if out.dtype.kind in "iub":
        wrong = out != reference
        if not wrong.any():
            return ""
        return f"{int(wrong.sum())} of {wrong.size} output elements differ from the untuned kernel's."
    room = _FACTOR * float(ml_dtypes.finfo(out.dtype).eps) * max(1, reduction) ** 0.5
    got, want = out.astype(np.float64), reference.astype(np.float64)
    finite = np.isfinite(want)
    scale = float(np.abs(want[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(got - want) <= room * (np.abs(want) + scale))
    wrong &= ~((got == want) | (np.isnan(got) & np.isnan(want)))
    if not wrong.any():
        return ""
    worst = np.unravel_index(
        int(np.argmax(np.where(wrong, np.nan_to_num(np.abs(got - want), nan=np.inf), 0))), got.shape
    )
    return (
        f"{int(wrong.sum())} of {wrong.size} output elements differ from the untuned kernel's, "
        f"at {tuple(int(i) for i in worst)} {got[worst]:.6g} instead of {want[worst]:.6g}."
    )
