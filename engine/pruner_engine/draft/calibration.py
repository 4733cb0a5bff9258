"""Self-calibration: a factor for each time component, fitted to the measurements of one task or of a device's tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        None where there is too little data, or where factors fitted on a part of the measurements do not rank the rest
        better, or any part worse, than the plain sum of the components does.
    """
    if len(seconds) < _LEAST:
        return None
    fold = np.arange(len(seconds)) % _FOLDS
    gains = []
    for held_out in range(_FOLDS):
        test = fold == held_out
        gains.append(_gain(_solve([(times[:, ~test], seconds[~test])]), times[:, test], seconds[test]))
    if np.mean(gains) < _GAIN or min(gains) < 0:
        return None
    return dict(zip(names, _solve([(times, seconds)]).tolist(), strict=True))


def holds(factors: Mapping[str, float], times: np.ndarray, seconds: np.ndarray, names: Sequence[str]) -> bool:
    """Whether factors that were fitted elsewhere rank these measurements no worse than none do; True if they are few.

    Args:
        times, seconds, names: as of `fit`.
    """
    return not factors or len(seconds) < _LEAST or _gain(_array(factors, names), times, seconds) >= 0


def fit_device(
    tasks: Sequence[Task], names: Sequence[str], known: Mapping[str, float] | None = None
) -> dict[str, float] | None:
    """Factors for all tasks of a device, those that are not measured yet among them.

    Args:
        tasks: per task the predicted seconds by component, float64[components, n], and the measured, float64[n].
        names: of the components.
        known: the device's present factors, which were fitted on other measurements.

    Returns:
        None where there are too few tasks with enough measurements to tell. None of the factors, {}, where neither the
        known ones nor ones fitted on the other tasks rank a task's measurements better on average, and for no task
        clearly worse.
    """
    tasks = [task for task in tasks if len(task[1]) >= _LEAST]
    if len(tasks) < _LEAST_TASKS:
        return None
    found: dict[str, float] = {}
    best = 0.0
    if known:
        gains = np.array([_gain(_array(known, names), *task) for task in tasks])
        if _worth(gains) > best:
            found, best = dict(known), _worth(gains)
    for trust in _TRUSTS:
        others = ([*tasks[:i], *tasks[i + 1 :]] for i in range(len(tasks)))
        fitted = [_solve(rest, trust) for rest in others]
        gains = np.array([_gain(factors, *task) for factors, task in zip(fitted, tasks, strict=True)])
        if _worth(gains) > best:
            found, best = dict(zip(names, _solve(tasks, trust).tolist(), strict=True)), _worth(gains)
    return found


def _worth(gains: np.ndarray) -> float:
    """Mean gain over tasks that the factors were not fitted on; 0 if one of the tasks loses by them."""
    return float(gains.mean()) if gains.min() >= -_LOSS else 0.0


def _array(factors: Mapping[str, float], names: Sequence[str]) -> np.ndarray:
    return np.array([factors.get(name, 1.0) for name in names])


def _gain(factors: np.ndarray, times: np.ndarray, seconds: np.ndarray) -> float:
    """Rank correlation that the factors add to that of the plain sum of the components."""
    return _rank(factors @ times, seconds) - _rank(times.sum(axis=0), seconds)


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
