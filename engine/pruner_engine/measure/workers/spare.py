"""A zygote that the next run takes over: to start one takes a second, most of it to load TVM."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.launch import StartMethod, ZygoteProcess


class _Spare:
    """Keeps one at most, and none unless it is told to."""

    def __init__(self) -> None:
        self.keeps = False
        self._zygote: ZygoteProcess | None = None

    def put(self, zygote: ZygoteProcess) -> bool:
        """Whether it is kept: what has ended all its work, and says so."""
        if not self.keeps or self._zygote is not None or not zygote.release():
            return False
        self._zygote = zygote
        return True

    def take(self, setup: wire.Setup) -> ZygoteProcess | None:
        """One that works by this setup now."""
        zygote, self._zygote = self._zygote, None
        if zygote is None or zygote.take_up(setup):
            return zygote
        zygote.close()
        return None

    def end(self) -> None:
        """End the one that is kept."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()


_spare = _Spare()


@contextlib.contextmanager
def keeping_a_spare() -> Iterator[None]:
    """Whoever does job after job keeps the zygote of one for the next, and ends it at last."""
    _spare.keeps = True
    try:
        yield
    finally:
        _spare.keeps = False
        _spare.end()


def started(setup: wire.Setup, start: StartMethod) -> ZygoteProcess:
    """The one that was kept, or a new one that loads meanwhile."""
    return (_spare.take(setup) if start == "fork" else None) or ZygoteProcess(setup, start)


def put_away(zygote: ZygoteProcess) -> None:
    """End its work, and the process where it is not kept."""
    if not _spare.put(zygote):
        zygote.close()
