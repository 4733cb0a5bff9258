"""Seconds that work takes, and whether they tell anything."""

from __future__ import annotations

import time

_STOPPED_S = 0.1  # a thread that shares its core gets its turn sooner


class Stopwatch:
    """Started when it is made.

    A thread that calls a kernel works all the time: it has a part of the kernel, and spins until the others' are done.
    Where it did not, somebody stopped it (`kill -STOP`, a paused container) or it had no core, and the seconds are not
    the kernel's.
    """

    def __init__(self) -> None:
        self._worked = time.thread_time()
        self._started = time.perf_counter()

    def passed_s(self) -> float:
        """Seconds until now."""
        return time.perf_counter() - self._started

    def read(self) -> tuple[float, bool]:
        """Seconds until now, and whether this thread was stopped for most of them."""
        seconds = self.passed_s()
        idle = seconds - (time.thread_time() - self._worked)
        return seconds, idle > max(_STOPPED_S, seconds / 2)
