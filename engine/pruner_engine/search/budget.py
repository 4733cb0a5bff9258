"""How long a run goes on, and how long it still has."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

_TRIAL_S = 0.5  # what a trial is taken to cost before any was made


@dataclass(frozen=True)
class Budget:
    """When a run ends: trials measured, seconds worked, or (neither given) no task gains any more."""

    trials: int | None
    seconds: float | None

    @property
    def open_ended(self) -> bool:
        return self.trials is None and self.seconds is None


def renewed(old: Budget, *, spent: Budget, asked: Budget) -> Budget:
    """The budget of a run that goes on: what is asked for takes the place of the old limit of its kind.

    Asked for more trials (or more time) alone, a run is not held up by its other limit where that is spent already.
    """
    trials, seconds = asked.trials or old.trials, asked.seconds or old.seconds
    if asked.trials and not asked.seconds and seconds is not None and (spent.seconds or 0.0) >= seconds:
        seconds = None
    if asked.seconds and not asked.trials and trials is not None and (spent.trials or 0) >= trials:
        trials = None
    return Budget(trials, seconds)


class WorkClock:
    """Stops the time that a run works, over all its sessions and without its pauses; stands still until `begin`.

    Args:
        budget: what the time left is reckoned against.
        before_s: seconds worked in earlier sessions.
    """

    def __init__(self, budget: Budget, before_s: float) -> None:
        self._budget = budget
        self._before = before_s
        self._started: float | None = None
        self._held = 0.0
        self._pace: deque[tuple[float, int]] = deque(maxlen=12)  # (elapsed, trials) after each of the last rounds

    @property
    def elapsed_s(self) -> float:
        if self._started is None:
            return self._before
        return self._before + time.monotonic() - self._started - self._held

    def begin(self) -> None:
        self._started = time.monotonic()

    @property
    def out_of_time(self) -> bool:
        return self._budget.seconds is not None and self.elapsed_s >= self._budget.seconds

    def hold(self, seconds: float) -> None:
        """Leave out a pause."""
        self._held += seconds

    def count_at_most(self, share: float, since_s: float) -> None:
        """Let what was worked since a moment take no more than a share of the budget of seconds.

        Args:
            since_s: seconds worked at that moment.
        """
        if self._budget.seconds is not None:
            self._held += max(0.0, self.elapsed_s - since_s - share * self._budget.seconds)

    def mark(self, trials: int) -> None:
        """A round ended with so many trials in the run."""
        self._pace.append((self.elapsed_s, trials))

    def trials_left(self, trials: int) -> float | None:
        """Trials until the budget ends; a budget of seconds is turned into trials by the pace of the last rounds.

        Args:
            trials: made so far.

        Returns:
            None for a run without a budget.
        """
        bounds = []
        if self._budget.trials is not None:
            bounds.append(float(max(0, self._budget.trials - trials)))
        if self._budget.seconds is not None:
            seconds = max(0.0, self._budget.seconds - self.elapsed_s)
            bounds.append(seconds / (self._seconds_a_trial() or _TRIAL_S))
        return min(bounds) if bounds else None

    def left_s(self, trials: int) -> float | None:
        """Seconds until the budget ends, at the pace of the last rounds; None without a budget or a pace."""
        bounds = []
        if self._budget.seconds is not None:
            bounds.append(max(0.0, self._budget.seconds - self.elapsed_s))
        if self._budget.trials is not None and (pace := self._seconds_a_trial()) is not None:
            bounds.append(pace * max(0, self._budget.trials - trials))
        return min(bounds) if bounds else None

    def _seconds_a_trial(self) -> float | None:
        """Mean over the last rounds; None before there were two."""
        if len(self._pace) < 2:
            return None
        (t0, n0), (t1, n1) = self._pace[0], self._pace[-1]
        return (t1 - t0) / (n1 - n0) if n1 > n0 else None
