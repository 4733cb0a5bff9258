"""Self-calibration: a factor per time component, fitted to what was measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls
from scipy.stats import spearmanr

_LEAST = 24  # measurements below which nothing is fitted
_TRUST = 0.5  # weight of "no correction" against the measurements
_FOLDS = 4
_GAIN = 0.01  # of rank correlation, on average over the folds, that is worth a change
_SPREAD = 4.0  # a component's factor differs from the common one by no more


def fit(times: np.ndarray, seconds: np.ndarray, names: Sequence[str]) -> dict[str, float] | None:
    """Factors per component that make `factors @ times` follow the measurements, all non-negative.

    Args:
        times: predicted seconds by component, float64[components, n].
        seconds: measured, float64[n].
        names: of the components.

    Returns:
        None where there is too little data, or where factors fitted on a part of the measurements rank the rest worse
        than the plain sum of the components does.
    """
    if len(seconds) < _LEAST:
        return None
    fold = np.arange(len(seconds)) % _FOLDS
    before, after = [], []
    for held_out in range(_FOLDS):
        test = fold == held_out
        factors = _solve(times[:, ~test], seconds[~test])
        before.append(_rank(times[:, test].sum(axis=0), seconds[test]))
        after.append(_rank(factors @ times[:, test], seconds[test]))
    gain = np.array(after) - np.array(before)
    if gain.mean() < _GAIN or (gain < 0).sum() > 1:
        return None
    return dict(zip(names, _solve(times, seconds).tolist(), strict=True))


def _solve(times: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Least squares of the relative error, drawn towards one common factor."""
    relative = times / seconds
    scale = 1.0 / np.median(relative.sum(axis=0))
    ridge = np.sqrt(_TRUST * len(seconds) / len(times)) * relative.sum(axis=0).mean() / len(times)
    # the fastest matter most: a ranking of hopeless candidates is worth nothing
    weight = np.sqrt(np.median(seconds) / seconds).clip(0.5, 2.0)
    left = np.concatenate([(relative * weight).T, ridge * np.eye(len(times))])
    right = np.concatenate([weight, ridge * scale * np.ones(len(times))])
    return nnls(left, right)[0].clip(scale / _SPREAD, scale * _SPREAD)


def _rank(predicted: np.ndarray, seconds: np.ndarray) -> float:
    if np.ptp(predicted) == 0 or np.ptp(seconds) == 0:
        return 0.0
    return float(spearmanr(predicted, seconds)[0])
