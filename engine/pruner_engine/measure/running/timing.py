"""Timing of a kernel: how often it is called, when it is abandoned, and how it takes turns with a yardstick."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ABANDON = 2.5  # times the best, in every look
_LOOK_S = 0.3e-3  # of the best's time in a look: one call of a short kernel is mostly what starting it costs
_LOOKS = 3  # before a kernel is abandoned: a machine disturbs single ones
_LOOKING_S = 5e-3  # a look is no longer, unless a call is
_HOPELESS = 8.0  # times the best, in the very first call
_DISTURBED_S = 20e-3  # what page faults and other processes may add to a first call, or to looks
_WAKE_S = 30e-3  # after a pause the first calls take several times as long: threads that were asleep share a core
_CONTENDER = 1.2  # times the best: worth more than one repeat
_RIVALS = 1.5  # times the best: worth turns although a call takes long
# times as long as settled: beyond it the yardstick's threads wait for other programs, as a kernel's of one thread need
# not, and such a one seemed sixty times as fast. No processor that only saves power is as slow
_HELD_UP = 6.0
FINER = 2.0  # times as fast as the yardstick: the next one. Few steps, lest their errors add up
_LOSES = 1.1  # times the best: needs no second turn
_BEHIND = 1.03  # times the best, in every slice: neither does this
_REPEAT_S = 10e-3  # least time of one repeat, or of each kernel in a turn
# A machine is now faster and now slower, for longer than a repeat. Measured with two kernels of 0.1 and 0.4 ms on two
# virtual cores: one repeat alone varies by 11 to 15 %, the ratio of five slices of each in alternation by 4 to 5 %.
_SLICE_S = 2e-3
_MOST_S = 1.0  # no further repeat after this, nor after a call that takes so long
_SETTLED = 0.01  # relative spread of the better half at which another repeat tells nothing new
_TIED = 0.02  # error of a kernel's time at which it is left open whether it is the new best: little hangs on that then
_CLEAR = 0.9  # share of the slices that one kernel wins: it is the faster one
_MORE = 3  # a contender gets at most this many times the repeats asked for

Call = Callable[[int], float]


@dataclass
class Yardstick:
    """A kernel of the same task, by which others are measured.

    It stays the same while better ones are found. Were each new best the next one's measure, every best that owes its
    place to luck would shorten it: one kernel, submitted eighty times, came down by 30 % in this way.

    Attributes:
        call: calls it so many times and returns the seconds they took together.
        seconds: what one call of it is said to take.
        fastest_s: what one took in its fastest slice beside a kernel; infinite before the first.
    """

    call: Call
    seconds: float
    fastest_s: float = math.inf


def time_kernel(
    call: Call,
    best_s: float | None,
    repeats: int,
    yardstick: Yardstick | None = None,
    *,
    rested: bool = False,
    settle: bool = True,
) -> tuple[list[float], bool]:
    """Seconds a call for each repeat, and whether the kernel was abandoned.

    A kernel that is clearly slower than the best at each of a few looks (or hopelessly in its first call) is abandoned
    with the best of those figures; one that is no contender is timed once; a contender is repeated until its repeats
    agree. Where there is a yardstick, the two take turns: a machine is now faster and now slower, by more than good
    schedules differ, and what a kernel is said to take must not depend on the minute.

    Args:
        call: calls the kernel so many times and returns the seconds they took together.
        best_s: best time a call so far, None if there is none.
        repeats: how many a contender gets at least.
        yardstick: None where there is none yet, or none that can be called beside the kernel.
        rested: the machine has just done something else.
        settle: a contender that is timed alone gets more repeats where these do not agree.
    """
    limit = math.inf if best_s is None else best_s
    if rested:
        _wake(call if yardstick is None else yardstick.call)
    first = call(1)
    if first > _DISTURBED_S + _HOPELESS * limit:
        return [first], True
    if first > _MOST_S:
        return [first], False  # nothing that a cold call costs shows in it
    warm = _look(call, first, limit, yardstick)
    if warm > ABANDON * limit:
        return [warm], True
    if yardstick is not None and (warm < _REPEAT_S or warm < _RIVALS * limit):
        return _in_turns(call, warm, limit, repeats, yardstick), False
    return _alone(call, warm, limit, repeats, _MORE * repeats if settle else repeats), False


def _wake(call: Call) -> None:
    started = time.perf_counter()
    while call(1) < _MOST_S and time.perf_counter() - started < _WAKE_S:
        pass


def _look(call: Call, first: float, limit: float, yardstick: Yardstick | None) -> float:
    """Seconds a call of the best of a few short looks; they end once the kernel is seen not to be clearly slower."""
    best, spent = first, 0.0
    for _ in range(_LOOKS):
        number = max(1, math.ceil(min(_LOOK_S / limit, _LOOKING_S / max(best, 1e-7))))
        took = call(number)
        best, spent = min(best, took / number), spent + took
        if best > ABANDON * limit and yardstick is not None:
            best = min(best, took / number / max(1.0, _slowness(yardstick)))
        if best <= ABANDON * limit or spent > _DISTURBED_S:
            break
    return best


def _slowness(yardstick: Yardstick) -> float:
    """How many times slower than usual the machine is now."""
    number = max(1, math.ceil(_LOOK_S / yardstick.seconds))
    return yardstick.call(number) / number / yardstick.seconds


def _alone(call: Call, warm: float, limit: float, least: int, most: int) -> list[float]:
    """Seconds a call for each repeat, timed without a yardstick; a kernel that is no contender gets one repeat."""
    number = math.ceil(_REPEAT_S / max(warm, 1e-7))
    seconds = [warm] if number == 1 else []
    started = time.perf_counter()
    while not seconds or (
        seconds[0] < _CONTENDER * limit and _unsettled(seconds, least, most) and time.perf_counter() - started < _MOST_S
    ):
        took = call(number)
        if took < _REPEAT_S / 2:  # what the number was chosen by was a disturbed call
            number, seconds = math.ceil(number * _REPEAT_S / max(took, 1e-7)), []
        else:
            seconds.append(took / number)
    return seconds


def _in_turns(call: Call, warm: float, limit: float, repeats: int, yardstick: Yardstick) -> list[float]:
    """Seconds a call for each turn, as the ratio to the yardstick times the yardstick's settled time.

    What loses against the best by far, or a little in every slice, gets one turn; another kernel as many as `repeats`,
    and more where it is open whether it is the new best and its time is not well known.
    """
    slices = _Slices(call, warm, limit, yardstick)
    for turns in (1, *(repeats * more for more in range(1, _MORE + 1))):
        slices.fill(turns)
        clear = slices.clearly_ordered() or slices.uncertainty < _TIED
        final = slices.median * FINER > yardstick.seconds  # else all that follow are told by this time
        lost = slices.median > _LOSES * limit or slices.fastest > _BEHIND * limit
        if lost or (turns >= repeats and clear and final):
            break
    return slices.by_turn(turns)


class _Slices:
    """Slices of time in which a kernel and its yardstick are called in alternation.

    Each pair of slices gives an estimate of the kernel's time, averaged with the pair before.
    """

    def __init__(self, call: Call, warm: float, best_s: float, yardstick: Yardstick) -> None:
        self._call = call
        self._warm = warm
        self._best_s = best_s
        self._yardstick = yardstick
        self._ours: list[float] = []
        self._theirs: list[float] = []
        self._told: list[float] = []
        self._spent = 0.0
        yardstick.call(1)

    def fill(self, turns: int) -> None:
        """Take slices until they make so many turns."""
        while (self._spent < 2 * turns * _REPEAT_S or len(self._told) < turns) and (
            self._spent < _MOST_S or not self._told
        ):
            self._take_two()

    def _take_two(self) -> None:
        yardstick = self._yardstick
        number = _calls(min(self._ours, default=self._warm))
        both = ((yardstick.call, _calls(yardstick.seconds), self._theirs), (self._call, number, self._ours))
        # first the one, then the other: what disturbs at a steady pace would always meet the same
        for one, times, took in both if len(self._told) % 2 else reversed(both):
            took.append(one(times) / times)
            self._spent += took[-1] * times
        yardstick.fastest_s = min(yardstick.fastest_s, self._theirs[-1])
        slowness = statistics.mean(self._theirs[-2:]) / yardstick.seconds
        told = statistics.mean(self._ours[-2:]) / slowness
        self._told.append(max(told, min(self._best_s, yardstick.seconds)) if slowness > _HELD_UP else told)

    @property
    def median(self) -> float:
        """Seconds a call."""
        return statistics.median(self._told)

    @property
    def fastest(self) -> float:
        """Seconds a call, by the slice in which the kernel was fastest."""
        return min(self._told)

    @property
    def uncertainty(self) -> float:
        """Standard error of the median, as a share of it; of normal values, of which neighbours share half."""
        return math.sqrt(math.pi / len(self._told)) * statistics.pstdev(self._told) / self.median

    def clearly_ordered(self) -> bool:
        """Whether nearly all slices agree on which is faster, the kernel or the best."""
        wins = sum(one < self._best_s for one in self._told) / len(self._told)
        return not 1 - _CLEAR < wins < _CLEAR

    def by_turn(self, turns: int) -> list[float]:
        """Seconds a call in each turn, around the median of all slices."""
        each = [statistics.median(self._told[turn::turns]) for turn in range(min(turns, len(self._told)))]
        return [self.median * one / statistics.median(each) for one in each]


def _calls(seconds: float) -> int:
    """How many calls make a slice."""
    return max(1, round(_SLICE_S / max(seconds, 1e-7)))


def _unsettled(seconds: list[float], least: int, most: int) -> bool:
    better = sorted(seconds)[: len(seconds) // 2 + 1]
    spread = better[-1] / better[0] - 1
    return len(seconds) < least or (spread > _SETTLED and len(seconds) < most)
