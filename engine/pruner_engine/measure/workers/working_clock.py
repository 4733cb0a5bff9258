"""A clock that stands still while nobody can work."""

from __future__ import annotations

import time
from collections.abc import Callable

_STOPPED_S = 2.0  # between two looks: so late is no look of a process that runs


class WorkingClock:
    """Seconds in which this process could look: those in which all processes were stopped, as `kill -STOP` or a paused
    container does, are no candidate's.

    Args:
        now: monotonic seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._last = now()
        self._stopped_s = 0.0

    def look(self) -> float:
        """The time now; to be asked at least every second."""
        now = self._now()
        if now - self._last > _STOPPED_S:
            self._stopped_s += now - self._last
        self._last = now
        return now - self._stopped_s
