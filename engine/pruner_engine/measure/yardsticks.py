"""By what candidates are told: each task has one of its own that the others take turns with.

A machine is faster in one minute than in the next. So a kernel takes turns with one whose time is settled, and is told
as if that one took its time: then it does not matter when it is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from pruner_engine.measure import wire
from pruner_engine.measure.pipeline import discard
from pruner_engine.measure.timing import FINER


@dataclass(frozen=True)
class Settled:
    """A yardstick: the key of the candidate that it is, and the seconds that a call of it is said to take."""

    key: str
    seconds: float


class Yardsticks:
    """Those of all tasks, with their libraries."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Settled, wire.Built]] = {}

    def find(self, task: str) -> wire.Yardstick | None:
        """What the task's next kernel takes turns with."""
        settled, built = self._kept.get(task, (None, None))
        if settled is None or built is None or built.kernel is None:
            return None
        return wire.Yardstick(built.kernel, settled.seconds)

    def settled(self, task: str) -> Settled | None:
        """The task's; None before the first."""
        return self._kept[task][0] if task in self._kept else None

    def offer(self, task: str, timed: Settled, built: wire.Built) -> None:
        """A candidate that was timed becomes the task's if it is the first, or far better; else its library goes."""
        before = self.settled(task)
        if before is None or timed.seconds * FINER <= before.seconds:
            self.put(task, timed, built)
        else:
            discard(built)

    def put(self, task: str, settled: Settled, built: wire.Built) -> None:
        """From now on the task's candidates are told by this one."""
        if task in self._kept:
            discard(self._kept[task][1])
        self._kept[task] = settled, built
