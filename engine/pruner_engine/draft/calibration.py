"""Self-calibration: a factor per time component, fitted to what was measured of one task, or of a device's tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

Task: TypeAlias = tuple[np.ndarray, np.ndarray]

_LEAST = 24  # measurements below which nothing is fitted
_TRUST = 0.5  # weight of "no correction" against the measurements
_FOLDS = 4
_GAIN = 0.01  # of rank correlation, on average over the folds, that is worth a change
_SPREAD = 4.0  # a component's factor differs from the common one by no more
_LEAST_TASKS = 4  # of a device
_TRUSTS = (8.0, 2.0)  # for a device, cautious first
_LOSS = 0.02  # of rank correlation, that a device's factors may cost a task they were not fitted on


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
        factors = _solve([(times[:, ~test], seconds[~test])])
        before.append(_rank(times[:, test].sum(axis=0), seconds[test]))
        after.append(_rank(factors @ times[:, test], seconds[test]))
    gain = np.array(after) - np.array(before)
    if gain.mean() < _GAIN or (gain < 0).sum() > 1:
        return None
    return dict(zip(names, _solve([(times, seconds)]).tolist(), strict=True))


def fit_device(tasks: Sequence[Task], names: Sequence[str]) -> dict[str, float] | None:
    """Factors for all tasks of a device, those that are not measured yet among them.

    Args:
        tasks: per task the predicted seconds by component, float64[components, n], and the measured, float64[n].
        names: of the components.

    Returns:
        None where there are too few tasks with enough measurements, or where factors fitted on the other tasks do not
        rank a task's measurements better on average, or clearly worse for any of them.
    """
    tasks = [task for task in tasks if len(task[1]) >= _LEAST]
    if len(tasks) < _LEAST_TASKS:
        return None
    before = [_rank(times.sum(axis=0), seconds) for times, seconds in tasks]
    found, best = None, 0.0
    for trust in _TRUSTS:
        others = ([*tasks[:i], *tasks[i + 1 :]] for i in range(len(tasks)))
        fitted = [_solve(rest, trust) for rest in others]
        after = [_rank(factors @ times, seconds) for factors, (times, seconds) in zip(fitted, tasks, strict=True)]
        gains = np.array(after) - np.array(before)
        if gains.mean() > best and gains.min() >= -_LOSS:
            found, best = dict(zip(names, _solve(tasks, trust).tolist(), strict=True)), float(gains.mean())
    return found


def _solve(tasks: Sequence[Task], trust: float = _TRUST) -> np.ndarray:
    """Least squares of the relative error, each task up to a factor of its own, drawn towards one common factor."""
    from scipy.optimize import nnls  # takes half a second, and a draft alone needs none of it

    scaled = [times / seconds / np.median((times / seconds).sum(axis=0)) for times, seconds in tasks]
    relative = np.concatenate(scaled, axis=1)
    count, samples = relative.shape
    # in the units of the only task, else of the typical one, so that factors are of seconds
    scale = 1.0 / float(np.median([np.median((times / seconds).sum(axis=0)) for times, seconds in tasks]))
    ridge = np.sqrt(trust * samples / count) * relative.sum(axis=0).mean() / count
    # the fastest matter most: a ranking of hopeless candidates is worth nothing
    weight = np.concatenate([np.sqrt(np.median(seconds) / seconds).clip(0.5, 2.0) for _, seconds in tasks])
    left = np.concatenate([(relative * weight).T, ridge * np.eye(count)])
    right = np.concatenate([weight, ridge * np.ones(count)])
    return scale * nnls(left, right)[0].clip(1 / _SPREAD, _SPREAD)


def _rank(predicted: np.ndarray, seconds: np.ndarray) -> float:
    from scipy.stats import spearmanr

    if np.ptp(predicted) == 0 or np.ptp(seconds) == 0:
        return 0.0
    return float(spearmanr(predicted, seconds)[0])
