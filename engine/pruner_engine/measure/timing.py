"""How often a kernel is called, and when it is given up."""

from __future__ import annotations

import time
from collections.abc import Callable

ABANDON = 2.5  # times the incumbent, after a warm-up call
_HOPELESS = 8.0  # times the incumbent in the very first call, page faults and all
_FIRST_CALL_S = 2e-3  # what a first call may cost on top: page faults, waking the threads
_REPEAT_S = 10e-3  # least time of one repeat
_MOST_S = 1.0  # repeats end after this, however many were asked for
_SETTLED = 0.01  # spread at which more repeats tell nothing new
_MORE = 3  # a contender gets at most this many times the repeats


def time_kernel(call: Callable[[int], float], incumbent_s: float | None, repeats: int) -> tuple[list[float], bool]:
    """Seconds a call for each repeat, and whether the kernel was abandoned.

    A kernel that is clearly slower than the incumbent in one warm call (or hopelessly in its first) is not repeated.
    A contender is repeated until the spread of its repeats is known.

    Args:
        call: calls the kernel so many times and returns the seconds they took together.
        incumbent_s: best time so far, None if there is none.
        repeats: how many are wanted.
    """
    first = call(1)
    if incumbent_s is not None and first > _FIRST_CALL_S + _HOPELESS * incumbent_s:
        return [first], True
    one = call(1)
    if incumbent_s is not None and min(first, one) > ABANDON * incumbent_s + 2e-6:
        return [min(first, one)], True
    number = max(1, round(_REPEAT_S / max(one, 1e-7)))
    if number > 1:
        number = max(1, round(_REPEAT_S * number / max(call(number), 1e-7)))
    seconds = [] if number > 1 else [one]
    started = time.perf_counter()
    while len(seconds) < repeats and (not seconds or time.perf_counter() - started < _MOST_S):
        seconds.append(call(number) / number)
    contender = incumbent_s is None or min(seconds) < 1.1 * incumbent_s
    while contender and _unsettled(seconds, repeats) and time.perf_counter() - started < _MOST_S / 4:
        seconds.append(call(number) / number)
    return seconds, False


def _unsettled(seconds: list[float], repeats: int) -> bool:
    best = sorted(seconds)[: (len(seconds) + 1) // 2]
    return len(seconds) < _MORE * repeats and best[-1] - best[0] > _SETTLED * best[0]
