"""How often a kernel is called, and when it is given up."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

ABANDON = 2.5  # times the incumbent, in every look
_LOOK_S = 0.3e-3  # of the incumbent's time in a look: one call of a short kernel is mostly what starting it costs
_LOOKS = 3  # before a kernel is abandoned: a machine disturbs single ones
_LOOKING_S = 5e-3  # no further look after this
_HOPELESS = 8.0  # times the incumbent, in the very first call
_COLD_S = 2e-3  # what a first call may cost on top: page faults, waking the threads
_CONTENDER = 1.2  # times the incumbent: worth more than one repeat
_RIVALS = 1.5  # times the incumbent: worth turns although a call takes long
_LOSES = 1.1  # times the incumbent's time in the same minute: needs no second turn
_REPEAT_S = 10e-3  # least time of one repeat, or of each kernel in a turn
# A machine is now faster and now slower, for longer than a repeat. Measured with two kernels of 0.1 and 0.4 ms on two
# virtual cores: one repeat alone varies by 11 to 15 %, the ratio of five slices of each in alternation by 4 to 5 %.
_SLICE_S = 2e-3
_MOST_S = 1.0  # no further repeat after this, nor after a call that takes so long
_SETTLED = 0.01  # relative spread of the better half at which another repeat tells nothing new
_CLEAR = 0.9  # share of the slices that one kernel wins: it is the faster one
_MORE = 3  # a contender gets at most this many times the repeats asked for


def time_kernel(
    call: Callable[[int], float],
    incumbent_s: float | None,
    repeats: int,
    incumbent: Callable[[int], float] | None = None,
) -> tuple[list[float], bool]:
    """Seconds a call for each repeat, and whether the kernel was abandoned.

    A kernel that is clearly slower than the incumbent at each of a few looks (or hopelessly in its first call) is
    abandoned with the best of those figures; one that is no contender is timed once; a contender is repeated until its
    repeats agree. Where the incumbent can be called too, the two take turns: a machine is now faster and now slower, by
    more than good schedules differ, and what a kernel is said to take must not depend on the minute.

    Args:
        call: calls the kernel so many times and returns the seconds they took together.
        incumbent_s: best time a call so far, None if there is none.
        repeats: how many a contender gets at least.
        incumbent: calls the best kernel so far in the same way.
    """
    limit = math.inf if incumbent_s is None else incumbent_s
    first = call(1)
    if first > _COLD_S + _HOPELESS * limit:
        return [first], True
    if first > _MOST_S:
        return [first], False  # nothing that a cold call costs shows in it
    warm = _look(call, first, limit)
    if warm > ABANDON * limit:
        return [warm], True
    if incumbent is not None and incumbent_s is not None and (warm < _REPEAT_S or warm < _RIVALS * incumbent_s):
        return _in_turns(call, warm, incumbent, incumbent_s, repeats), False
    return _alone(call, warm, limit, repeats), False


def _look(call: Callable[[int], float], first: float, limit: float) -> float:
    """Seconds a call of the best look; no more looks than it takes to see that the kernel is not clearly slower."""
    best, spent = first, 0.0
    for _ in range(_LOOKS):
        number = max(1, math.ceil(min(_LOOK_S / limit, _LOOKING_S / max(best, 1e-7))))
        took = call(number)
        best, spent = min(best, took / number), spent + took
        if best <= ABANDON * limit or spent > _LOOKING_S:
            break
    return best


def _alone(call: Callable[[int], float], warm: float, limit: float, repeats: int) -> list[float]:
    """Seconds a call for each repeat; one repeat of what is no contender."""
    number = math.ceil(_REPEAT_S / max(warm, 1e-7))
    seconds = [warm] if number == 1 else []
    started = time.perf_counter()
    while not seconds or (
        seconds[0] < _CONTENDER * limit and _unsettled(seconds, repeats) and time.perf_counter() - started < _MOST_S
    ):
        took = call(number)
        if took < _REPEAT_S / 2:  # what the number was chosen by was a disturbed call
            number, seconds = math.ceil(number * _REPEAT_S / max(took, 1e-7)), []
        else:
            seconds.append(took / number)
    return seconds


def _in_turns(
    call: Callable[[int], float], warm: float, incumbent: Callable[[int], float], incumbent_s: float, repeats: int
) -> list[float]:
    """Seconds a call for each turn, scaled so that they are below `incumbent_s` if and only if this kernel won.

    A turn is slices of both kernels in alternation. What clearly loses gets one turn, another kernel as many as
    `repeats`, and more where it is open who is faster.
    """
    others = _calls(incumbent_s)
    incumbent(1)
    seconds: list[float] = []
    ratios: list[float] = []
    spent = 0.0
    for turns in (1, repeats, _MORE * repeats):
        while (spent < 2 * turns * _REPEAT_S or len(ratios) < turns) and (spent < _MOST_S or not ratios):
            theirs = incumbent(others)
            number = _calls(min(seconds, default=warm))
            ours = call(number)
            seconds.append(ours / number)
            ratios.append(seconds[-1] / (theirs / others))
            spent += theirs + ours
        wins = sum(ratio < 1 for ratio in ratios) / len(ratios)
        if statistics.median(ratios) > _LOSES or (turns == repeats and not 1 - _CLEAR < wins < _CLEAR):
            break
    measured, told = statistics.median(seconds), statistics.median(ratios) * incumbent_s
    if told < incumbent_s:  # the calmer minute of the two is nearer to the truth
        told = min(measured, told)
    each = [statistics.median(ratios[turn::turns]) for turn in range(min(turns, len(ratios)))]
    return [told * one / statistics.median(each) for one in each]


def _calls(seconds: float) -> int:
    """So many calls make a slice."""
    return max(1, round(_SLICE_S / max(seconds, 1e-7)))


def _unsettled(seconds: list[float], repeats: int) -> bool:
    better = sorted(seconds)[: len(seconds) // 2 + 1]
    spread = better[-1] / better[0] - 1
    return len(seconds) < repeats or (spread > _SETTLED and len(seconds) < _MORE * repeats)
