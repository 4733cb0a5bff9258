"""How often a kernel is called, and when it is given up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

ABANDON = 2.5  # times the incumbent, in a warm call
_HOPELESS = 8.0  # times the incumbent, in the very first call
_COLD_S = 2e-3  # what a first call may cost on top: page faults, waking the threads
_CONTENDER = 1.2  # times the incumbent: worth more than one repeat
_REPEAT_S = 10e-3  # least time of one repeat
_MOST_S = 1.0  # no further repeat after this, nor after a call that takes so long
_SETTLED = 0.01  # relative spread of the better half at which another repeat tells nothing new
_MORE = 3  # a contender gets at most this many times the repeats asked for


def time_kernel(call: Callable[[int], float], incumbent_s: float | None, repeats: int) -> tuple[list[float], bool]:
    """Seconds a call for each repeat, and whether the kernel was abandoned.

    A kernel that is clearly slower than the incumbent in one warm call (or hopelessly in its first) is abandoned with
    that one figure; one that is no contender is timed once; a contender is repeated until its repeats agree.

    Args:
        call: calls the kernel so many times and returns the seconds they took together.
        incumbent_s: best time a call so far, None if there is none.
        repeats: how many a contender gets at least.
    """
    limit = math.inf if incumbent_s is None else incumbent_s
    first = call(1)
    if first > _COLD_S + _HOPELESS * limit:
        return [first], True
    if first > _MOST_S:
        return [first], False  # nothing that a cold call costs shows in it
    warm = call(1)
    if min(first, warm) > ABANDON * limit:
        return [min(first, warm)], True
    number = math.ceil(_REPEAT_S / max(min(first, warm), 1e-7))
    seconds = [warm] if number == 1 else [call(number) / number]
    started = time.perf_counter()
    while seconds[0] < _CONTENDER * limit and _unsettled(seconds, repeats) and time.perf_counter() - started < _MOST_S:
        seconds.append(call(number) / number)
    return seconds, False


def _unsettled(seconds: list[float], repeats: int) -> bool:
    better = sorted(seconds)[: len(seconds) // 2 + 1]
    spread = better[-1] / better[0] - 1
    return len(seconds) < repeats or (spread > _SETTLED and len(seconds) < _MORE * repeats)
