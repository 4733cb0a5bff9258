"""How often a kernel is called depends on what its first calls cost."""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable, Sequence

import pytest

from pruner_engine.measure.running.timing import Yardstick, time_kernel


class Kernel:
    """Takes given seconds a call, the last value for ever."""

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = itertools.chain(seconds[:-1], itertools.repeat(seconds[-1]))
        self.calls: list[int] = []

    def __call__(self, number: int) -> float:
        self.calls.append(number)
        return next(self._seconds) * number


def test_a_hopeless_kernel_is_called_once():
    kernel = Kernel([0.5])
    assert time_kernel(kernel, 0.001, 3) == ([0.5], True)
    assert kernel.calls == [1]


def test_a_clearly_slower_kernel_is_abandoned_after_few_calls():
    kernel = Kernel([0.004, 0.003])
    assert time_kernel(kernel, 0.001, 3) == ([0.003], True)
    assert kernel.calls == [1, 1, 1, 1]
    slow = Kernel([0.04, 0.03])
    assert time_kernel(slow, 0.01, 3) == ([0.03], True)
    assert slow.calls == [1, 1], "one warm call of a long kernel says enough"


def test_one_disturbed_look_abandons_nothing():
    kernel = Kernel([0.003, 0.0029, 0.001])
    seconds, censored = time_kernel(kernel, 0.001, 3)
    assert not censored and seconds == pytest.approx([0.001] * 3)


@pytest.mark.parametrize(("seconds", "abandoned"), [(4e-6, False), (6e-6, False), (40e-6, True)])
def test_what_starting_costs_abandons_no_short_kernel(seconds, abandoned):
    def call(number):  # the threads of the kernel have to be woken first
        return 30e-6 + seconds * number

    told, censored = time_kernel(call, 5e-6, 3)
    assert censored == abandoned
    assert min(told) == pytest.approx(seconds, rel=0.1)


def test_a_cold_first_call_abandons_nothing():
    kernel = Kernel([0.0027, 0.0001])
    seconds, censored = time_kernel(kernel, 0.0001, 3)
    assert not censored
    assert seconds == pytest.approx([0.0001] * 3)


def test_what_is_no_contender_is_timed_once():
    kernel = Kernel([0.002])
    seconds, censored = time_kernel(kernel, 0.001, 3)
    assert not censored
    assert seconds == pytest.approx([0.002])


def test_short_kernels_are_called_often_enough():
    kernel = Kernel([10e-6])
    seconds, _ = time_kernel(kernel, None, 3)
    assert seconds == pytest.approx([10e-6] * 3)
    assert all(number * 10e-6 >= 9e-3 for number in kernel.calls[2:])


def test_long_kernels_count_their_warm_call():
    kernel = Kernel([0.2])
    assert time_kernel(kernel, None, 3)[0] == [0.2] * 3
    assert kernel.calls == [1] * 4


def test_a_contender_whose_repeats_disagree_is_repeated_more():
    noisy = [0.02, 0.02, 0.03, 0.025, 0.035, 0.021, 0.024, 0.028, 0.022, 0.033, 0.02]
    assert len(time_kernel(Kernel([0.02]), 0.02, 3)[0]) == 3
    assert 3 < len(time_kernel(Kernel(noisy), 0.02, 3)[0]) <= 9
    assert len(time_kernel(Kernel(noisy), 0.02, 3, settle=False)[0]) == 3


class Minute:
    """Two kernels on a machine that is slower by a factor from one pair of calls to the next."""

    def __init__(self, slowness: Sequence[float]) -> None:
        self._slowness = [factor for factor in slowness for _ in range(2)]
        self._calls = 0

    def kernel(self, seconds: float) -> Callable[[int], float]:
        def call(number: int) -> float:
            self._calls += 1
            return seconds * self._slowness[self._calls % len(self._slowness)] * number

        return call


@pytest.mark.parametrize("slowness", [[1.0], [1.3], [0.8], [1.0, 1.4, 1.1, 1.3, 0.9]])
@pytest.mark.parametrize("better", [0.9, 0.98, 1.02, 1.15])
def test_who_is_faster_does_not_depend_on_the_minute(slowness, better):
    minute = Minute(slowness)
    yardstick = Yardstick(minute.kernel(0.003), 0.003)
    repeats, censored = time_kernel(minute.kernel(0.002 * better), 0.002, 3, yardstick)
    assert not censored
    assert (statistics.median(repeats) < 0.002) == (better < 1)
    assert len(repeats) <= 9
    assert len(repeats) == 1 if better > 1.1 else len(repeats) >= 3


@pytest.mark.parametrize("slowness", [[1.3], [0.8], [1.0, 1.4, 1.1, 1.3, 0.9]])
@pytest.mark.parametrize("slower", [1.05, 1.3, 1.8])
def test_how_much_slower_a_kernel_is_does_not_depend_on_the_minute(slowness, slower):
    minute = Minute(slowness)
    yardstick = Yardstick(minute.kernel(150e-6), 150e-6)
    repeats, censored = time_kernel(minute.kernel(100e-6 * slower), 100e-6, 3, yardstick)
    assert not censored and statistics.median(repeats) == pytest.approx(100e-6 * slower)


def test_a_kernel_that_loses_every_slice_of_a_turn_gets_no_other():
    """While one that wins a single slice may be as good."""
    told, _ = time_kernel(Kernel([0.00105]), 0.001, 3, Yardstick(Kernel([0.001]), 0.001))
    assert told == pytest.approx([0.00105])
    one_good_pair = Kernel([0.00105] * 5 + [0.0009, 0.00105])
    told, _ = time_kernel(one_good_pair, 0.001, 3, Yardstick(Kernel([0.001]), 0.001))
    assert len(told) >= 3 and statistics.median(told) == pytest.approx(0.00105)


def test_a_slow_kernel_that_is_no_rival_is_not_called_again():
    slow, yardstick = Kernel([0.2]), Kernel([0.1])
    assert time_kernel(slow, 0.1, 3, Yardstick(yardstick, 0.1)) == ([0.2], False)
    assert slow.calls == [1, 1] and not yardstick.calls


def test_a_disturbed_first_look_does_not_decide_how_often_a_kernel_is_called():
    kernel = Kernel([0.013, 0.013, 0.0001])
    assert time_kernel(kernel, None, 3) == ([pytest.approx(0.0001)] * 3, False)
    assert all(number * 0.0001 >= 9e-3 for number in kernel.calls[-3:])


@pytest.mark.parametrize(("scatter", "turns"), [(0.06, 3), (0.2, 9)])
def test_a_tie_takes_more_turns_only_where_slices_scatter(scatter, turns):
    """So that a close one costs little: which of two equal kernels is taken does not matter."""
    rng = random.Random(0)
    kernel = lambda number: 0.001 * number * rng.uniform(1 - scatter, 1 + scatter)  # noqa: E731
    repeats, _ = time_kernel(kernel, 0.001, 3, Yardstick(kernel, 0.001))
    assert len(repeats) == turns and statistics.median(repeats) == pytest.approx(0.001, rel=0.05)


def test_luck_does_not_add_up():
    """The same kernel, submitted again and again on a machine that disturbs single slices, stays what it is."""
    rng, best, told = random.Random(0), 0.001, []
    kernel = lambda number: 0.001 * number * rng.uniform(0.9, 1.1)  # noqa: E731
    for _ in range(60):
        repeats, censored = time_kernel(kernel, best, 3, Yardstick(kernel, 0.001))
        assert not censored
        told.append(statistics.median(repeats))
        best = min(best, told[-1])
    assert statistics.median(told[-20:]) == pytest.approx(0.001, rel=0.02)
    assert best > 0.0009


def test_a_steady_disturbance_meets_both_kernels():
    """Every second slice takes twice as long: that of one kernel alone, were they called in plain alternation."""
    slices = itertools.count()

    def call(number: int) -> float:
        return 0.002 * number * (1 + next(slices) % 2)

    repeats, _ = time_kernel(call, 0.002, 3, Yardstick(call, 0.002))
    assert statistics.median(repeats) == pytest.approx(0.002)


def test_what_all_others_will_be_told_by_is_timed_longest():
    plain, far_better = Kernel([0.002]), Kernel([0.0005])
    told, _ = time_kernel(plain, 0.002, 3, Yardstick(Kernel([0.002]), 0.002))
    told_better, _ = time_kernel(far_better, 0.002, 3, Yardstick(Kernel([0.002]), 0.002))
    assert told_better == pytest.approx([0.0005] * 9)
    assert len(told_better) > len(told)


def test_threads_are_woken_before_anything_is_judged():
    """After a pause the first 20 ms of calls take fifty times as long."""
    clock = [0.0]

    def call(number: int) -> float:
        took = number * (50e-6 if clock[0] > 0.02 else 5e-3)
        clock[0] += took
        time.sleep(took)
        return took

    repeats, censored = time_kernel(call, 50e-6, 3, Yardstick(call, 50e-6), rested=True)
    assert not censored and statistics.median(repeats) == pytest.approx(50e-6)


def test_a_machine_that_is_slow_for_both_abandons_nothing():
    slow = [8.0] * 12 + [1.0]

    def on_it(seconds: float) -> Callable[[int], float]:
        def call(number: int) -> float:
            return seconds * number * (slow.pop(0) if len(slow) > 1 else slow[0])

        return call

    repeats, censored = time_kernel(on_it(0.0011), 0.001, 3, Yardstick(on_it(0.001), 0.001))
    assert not censored and statistics.median(repeats) == pytest.approx(0.0011, rel=0.2)


def test_what_holds_up_the_yardstick_alone_makes_no_new_best():
    """Another program has one of two cores: a kernel of one thread is not disturbed, one of two waits for it."""
    held_up = Yardstick(lambda number: 64 * 6e-6 * number, 6e-6)
    repeats, _ = time_kernel(lambda number: 5e-6 * number, 5.5e-6, 3, held_up)
    assert statistics.median(repeats) == pytest.approx(5.5e-6)


def test_a_machine_that_saves_power_still_finds_what_is_faster():
    """Resumed on a battery, at a quarter of the clock."""
    repeats, _ = time_kernel(lambda n: 4 * 5e-6 * n, 5.5e-6, 3, Yardstick(lambda n: 4 * 6e-6 * n, 6e-6))
    assert statistics.median(repeats) == pytest.approx(5e-6)


def test_without_a_best_nothing_is_abandoned():
    assert not time_kernel(Kernel([5.0]), None, 3)[1]


def test_a_kernel_of_more_than_a_second_is_called_once():
    kernel = Kernel([3.0])
    assert time_kernel(kernel, None, 3) == ([3.0], False)
    assert kernel.calls == [1]
