"""Which layout of a model's convolutions is faster: measured on the first candidates of its heaviest kernels.

A layout changes which kernels there are, so that only tuning both would tell for certain. The draft's first candidates
of a kernel come within some tens of per cent of its best, and untuned kernels do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureResult, inputs_of
from pruner_engine.rule_names import Layout
from pruner_engine.search.budget import Budget
from pruner_engine.search.first_drafted import first_drafted
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.tasks.task import TuningTask

_KERNELS = 6  # of each layout, the heaviest of those that the other one does not have
_CANDIDATES = 8  # of each kernel
_WORTH = 0.95  # of the likely layout's time: what the other one has to fall below
_LONG_TRIALS, _LONG_S = 2_000, 600.0  # from here on some hundred candidates are a small part of a run


@dataclass(frozen=True)
class Measured:
    """What was found.

    Attributes:
        layout: the faster one, the likely one where they hardly differ.
        seconds: of all kernels that the layouts do not share, estimated from those that were measured; {} where
            nothing is known, since the layouts share all kernels, no candidate of one of them is valid, or it was
            broken off.
    """

    layout: Layout
    seconds: dict[Layout, float]


def pays(budget: Budget) -> bool:
    """Whether a run is long enough for both layouts to be measured before it."""
    enough_time = budget.seconds is None or budget.seconds >= _LONG_S
    return enough_time and (budget.trials is None or budget.trials >= _LONG_TRIALS)


def measured_layout(
    tasks: Mapping[Layout, Sequence[TuningTask]],
    likely: Layout,
    measurer: Measurer,
    profile: DeviceProfile,
    settings: SearchSettings,
    seed: int,
    on_kernel: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> Measured:
    """Measure the kernels that a model has in one layout only.

    Args:
        tasks: of the model in each of the two layouts that there are to choose from.
        likely: the layout that is kept unless the other one is clearly faster.
        measurer: for the target that it was prepared for; need not check outputs.
        on_kernel: told the name of each kernel before it is drafted.
        should_stop: asked before each kernel and between candidates; True breaks it off.

    Raises:
        UserError: the measurement processes are ended from outside again and again.
    """

    def fastest(task: TuningTask) -> float:
        if should_stop():
            return math.inf
        on_kernel(task.name)
        return _fastest(task, measurer, profile, settings, seed, should_stop)

    shared = set.intersection(*({task.hash for task in found} for found in tasks.values()))
    seconds: dict[Layout, float] = {}
    for name, found in tasks.items():
        seconds[name] = _seconds([task for task in found if task.hash not in shared], profile, fastest)
    if should_stop() or not all(0.0 < known < math.inf for known in seconds.values()):
        return Measured(likely, {})
    other = next(name for name in tasks if name != likely)
    return Measured(other if seconds[other] < _WORTH * seconds[likely] else likely, seconds)


def _seconds(tasks: Sequence[TuningTask], profile: DeviceProfile, fastest: Callable[[TuningTask], float]) -> float:
    """Of all calls of some kernels: the heaviest as measured, the others as near to what the device allows."""
    heaviest = sorted(tasks, key=lambda task: -_least_s(task, profile))[:_KERNELS]
    measured = sum(task.weight * fastest(task) for task in heaviest)
    allowed = sum(_least_s(task, profile) for task in heaviest)
    return measured * sum(_least_s(task, profile) for task in tasks) / allowed if allowed else 0.0


def _fastest(
    task: TuningTask,
    measurer: Measurer,
    profile: DeviceProfile,
    settings: SearchSettings,
    seed: int,
    should_stop: Callable[[], bool],
) -> float:
    """Seconds a call of the best of the draft's first candidates; infinite where none is valid."""
    try:
        first = first_drafted(task, measurer.target, profile, settings, seed, _CANDIDATES)
    except UserError:  # the environment's
        raise
    except Exception:  # a rule stumbles over the kernel: its round will say so
        return math.inf
    results: list[MeasureResult] = []
    inputs = inputs_of(first)
    if inputs:
        measurer.measure(task, inputs, best_s=None, on_result=results.append, should_stop=should_stop)
    timed = (one.seconds for one in results if one.ok and not one.censored)
    return min((seconds for seconds in timed if seconds is not None), default=math.inf)


def _least_s(task: TuningTask, profile: DeviceProfile) -> float:
    """Seconds that the device needs at least for all calls, arithmetic and every argument moved once."""
    return task.weight * profile.least_s(task.flops, task.bytes)
