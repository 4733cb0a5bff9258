"""Candidates on their way through builders and runners, by the stage that they are in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pruner_engine.measure.types import MeasureInput
from pruner_engine.measure.workers import wire


class Batch:
    """Candidates that are worked on together; more may be added at any time.

    Args:
        inputs: to be built; runs keep this order as far as builds allow.
        built: further kernels to run, by key.
        untuned: the inputs have no schedule.

    Attributes:
        waiting: not built yet.
        building, running: under way, by the id of the message.
        ready: what builders have answered, by key.
        limit_s: the longest that a run of it may take.
    """

    def __init__(
        self,
        inputs: Sequence[MeasureInput] = (),
        built: Mapping[str, wire.Built] | None = None,
        *,
        untuned: bool = False,
    ) -> None:
        self.untuned, self.limit_s = untuned, 0.0
        self._order: dict[str, int] = {}
        self.waiting, self.building = deque[MeasureInput](), dict[int, MeasureInput]()
        self.ready, self.running = dict(built or {}), dict[int, tuple[str, wire.Built]]()
        self.add(inputs)

    def add(self, inputs: Iterable[MeasureInput]) -> None:
        """Put candidates behind those that are there."""
        for item in inputs:
            self._order[item.key] = len(self._order)
            self.waiting.append(item)

    @property
    def unbuilt(self) -> list[str]:
        """Keys of those that no builder has answered yet."""
        return [item.key for item in (*self.building.values(), *self.waiting)]

    def is_done(self, left: int = 0) -> bool:
        """Whether at most `left` candidates are not built, and nothing else is to do."""
        return not (self.ready or self.running) and len(self.waiting) + len(self.building) <= left

    def next_ready(self) -> tuple[str, wire.Built]:
        """Take out the first of what is built, in the order of the inputs."""
        key = min(self.ready, key=lambda k: self._order.get(k, 0))
        return key, self.ready.pop(key)

    def take_ended(self, *, builds_only: bool) -> Iterator[tuple[str, wire.Built]]:
        """Take out what needs no run: failed builds, or all."""
        for key in [key for key, built in self.ready.items() if builds_only or built.kernel is None]:
            yield key, self.ready.pop(key)

    def leave_out(self, *, building: bool) -> None:
        """Forget what is not under way, and with `building` the builds that are."""
        self.waiting.clear()
        if building:
            self.building.clear()
        while self.ready:
            discard(self.ready.popitem()[1])

    def give_up(self) -> None:
        """Forget all of it; what is answered of it later is of no use."""
        self.leave_out(building=True)
        while self.running:
            discard(self.running.popitem()[1][1])

    def begin_again(self) -> None:
        """Put back what was under way, since the process that worked on it is gone."""
        self.waiting.extendleft(reversed(self.building.values()))
        self.ready.update(self.running.values())
        self.building.clear()
        self.running.clear()


def discard(built: wire.Built) -> None:
    """Remove a library that is needed no more."""
    if built.kernel is not None:
        Path(built.kernel.library).unlink(missing_ok=True)
