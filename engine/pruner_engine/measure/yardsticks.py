"""Yardsticks: for each task a kernel that its candidates are timed in turns with, so that their times compare.

A machine is faster in one minute than in the next. So a kernel takes turns with another whose time was settled before,
and its time is the ratio of the two times that settled time: then it does not matter when the kernel is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from pruner_engine.measure.running.timing import FINER
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.batch import discard

CALM = 1.5  # times as long as settled, in its fastest slice: beyond it a ratio to it is no time to measure others by


@dataclass(frozen=True)
class Settled:
    """A candidate that is a yardstick: its key, and the seconds that a call of it is taken to last."""

    key: str
    seconds: float


class Yardsticks:
    """The yardsticks of all tasks, each with its library."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Settled, wire.Built]] = {}

    def find(self, task: str) -> wire.Yardstick | None:
        """The yardstick that the task's next kernel takes turns with; None before the first."""
        settled, built = self._kept.get(task, (None, None))
        if settled is None or built is None or built.kernel is None:
            return None
        return wire.Yardstick(built.kernel, settled.seconds)

    def settled(self, task: str) -> Settled | None:
        """The task's yardstick; None before the first."""
        return self._kept[task][0] if task in self._kept else None

    def offer(self, task: str, timed: Settled, built: wire.Built, pace: float) -> None:
        """Make a timed candidate the yardstick if it is the task's first or far faster; else remove its library.

        Args:
            pace: of the yardstick before, beside it (see `MeasureResult`).
        """
        before = self.settled(task)
        if before is None or (timed.seconds * FINER <= before.seconds and pace <= CALM):
            self.put(task, timed, built)
        else:
            discard(built)

    def settle(self, task: str, seconds: float) -> None:
        """Take a call of the task's yardstick to last so long from now on."""
        before, built = self._kept[task]
        self._kept[task] = Settled(before.key, seconds), built

    def put(self, task: str, settled: Settled, built: wire.Built) -> None:
        """Time the task's candidates by this one from now on."""
        if task in self._kept:
            discard(self._kept[task][1])
        self._kept[task] = settled, built
