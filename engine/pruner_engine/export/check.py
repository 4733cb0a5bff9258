"""Compares the outputs of two builds of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pruner_engine.measure.running.correctness import dtype_of, epsilon_of

_MOST = 0.05
_OF_ONE = 16  # units in the last place of 1, that shares of it may be apart
_UNDECIDED = 1e-3  # share of whole numbers that may go either way, where floats decide which of two is larger


@dataclass(frozen=True)
class Agreement:
    """Outcome of a comparison.

    Attributes:
        against: whose outputs were expected: untuned | onnxruntime | torch | litert.
        error: largest difference of all outputs, in parts of the largest expected magnitude of that output; infinite
            where they have other shapes, or NaN and infinities in other places.
        tolerance: largest difference that counts as rounding.
        message: one sentence, where they differ, or agree on outputs that say little, or but for a few whole numbers.
    """

    against: str
    ok: bool
    error: float
    tolerance: float
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain values; None for an infinite error, for which JSON has no number."""
        return asdict(self) | {"error": self.error if math.isfinite(self.error) else None}


def tolerance(dtype: np.dtype, depth: int) -> float:
    """Rounding to expect of `depth` kernels in sequence, relative to the largest magnitude; 0 for whole numbers.

    Each kernel sums in another order than its reference: some tens of units in the last place each, growing with the
    depth. Never above 5 %, beyond which agreement says nothing.
    """
    if dtype.kind in "biu":
        return 0.0
    return min(_MOST, 32 * epsilon_of(dtype) * max(depth, 1))


def compare(
    against: str,
    expected: Sequence[np.ndarray],
    got: Sequence[np.ndarray],
    depth: int,
    dtype: str = "float32",
    *,
    rounds: bool = False,
    shares: Sequence[bool] = (),
) -> Agreement:
    """Compare all outputs; NaN and infinities must be in the same places.

    Of whole numbers a few may differ by any amount: where two floats are nearly equal, rounding decides which index is
    told, and on which side of a threshold one is.

    Args:
        depth: kernels in sequence.
        dtype: the coarsest float type that the kernels computed with.
        rounds: they round numbers to bytes, of which one half way between two steps may go to either.
        shares: of each output, whether its numbers are parts of 1. Runtimes compute these by formulas that are as
            exact as 1 is, so that where all are small they differ by more than their own rounding.
    """
    if [e.shape for e in expected] != [g.shape for g in got]:
        shapes = f"{[list(g.shape) for g in got]} instead of {[list(e.shape) for e in expected]}"
        return Agreement(against, False, float("inf"), 0.0, f"the outputs have the shapes {shapes}")
    worst, said = Agreement(against, True, 0.0, 0.0), ""
    for index, (e, g) in enumerate(zip(expected, got, strict=True)):
        error, limit = _difference(e, g), max(tolerance(g.dtype, depth), _inner(g.dtype, dtype, depth, rounds))
        if math.inf > error > limit and index < len(shares) and shares[index] and g.dtype.kind == "f":
            apart = float(np.abs(e.astype(np.float64) - g).max())
            error = apart if apart <= _OF_ONE * epsilon_of(g.dtype) else error
        if error > limit and g.dtype.kind in "biu" and np.mean(e != g) <= _UNDECIDED:
            said = f"{np.sum(e != g)} of {e.size} whole numbers of output {index} differ, as rounding may decide"
        elif not error <= limit:
            message = f"output {index} differs by {error:.2g} of its largest value; rounding explains {limit:.2g}"
            return Agreement(against, False, error, limit, message)
        elif error >= worst.error:
            worst = Agreement(against, True, error, limit)
    telling = [np.ptp(e.astype(np.uint8) if e.dtype.kind == "b" else e) for e in expected if e.size > 1]
    if telling and not any(telling):
        said = "every output is constant: that they agree says little"
    return replace(worst, message=said)


def _difference(expected: np.ndarray, got: np.ndarray) -> float:
    e, g = expected.astype(np.float64), got.astype(np.float64)
    finite = np.isfinite(e)
    if not np.array_equal(np.where(finite, 0.0, e), np.where(np.isfinite(g), 0.0, g), equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = float(np.abs(e[finite]).max())
    largest = float(np.abs(e[finite] - g[finite]).max())
    return largest / scale if scale > 0 else largest


def _inner(output: np.dtype, dtype: str, depth: int, rounds: bool) -> float:
    """Error that rounding inside the model explains: 0 for whole numbers, unless bytes that numbers were rounded to."""
    if rounds and (output.kind == "f" or output.itemsize == 1):
        return _MOST
    return 0.0 if output.kind in "biu" else tolerance(dtype_of(dtype), depth)
