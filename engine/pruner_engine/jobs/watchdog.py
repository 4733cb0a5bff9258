"""Ends a phase that gives no sign of life, so that no job hangs for ever."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

from pruner_engine.errors import PhaseSilentError
from pruner_engine.jobs.heartbeat import BEAT_S

# seconds without an event; whole models may be compiled for long, a round takes seconds
LIMITS = {"space": 600.0, "draft": 600.0, "verify": 600.0, "learn": 600.0, "restore": 1800.0}
OTHERS_S = 3600.0
GRACE_S = 30.0  # between the exception and the end of the process
# nothing is done, or measure/workers/pipeline.py knows better how long it may take
_UNWATCHED = {"idle", "measure", "baseline"}


class Watchdog:
    """Knows the phase of the job in the main thread and when it last gave a sign of life.

    Python code is ended by an exception; code that hangs outside Python can only be ended with its process.
    Looks are counted instead of seconds: while the process is stopped (a paused container, `kill -STOP`) the clock goes
    on, and nobody looks.

    Args:
        tell: takes a sentence about a phase that is ended.
        give_up: called once with the phase when the exception did not end it; has to end the process.
    """

    def __init__(self, tell: Callable[[str], None], give_up: Callable[[str], None]) -> None:
        self._tell, self._give_up = tell, give_up
        self._looks = 0
        self._ended: int | None = None
        self.begin("idle")

    def begin(self, phase: str) -> None:
        """A phase begins."""
        self._phase = phase
        self.alive()

    def alive(self) -> None:
        """A sign of life."""
        self._ended = None
        self._last = self._looks

    def look(self) -> None:
        """To be called with every beat, from another thread."""
        self._looks += 1
        phase, silent_s = self._phase, (self._looks - self._last) * BEAT_S
        if phase in _UNWATCHED:
            return
        if self._ended is not None and (self._looks - self._ended) * BEAT_S > GRACE_S:
            self._give_up(phase)
        elif self._ended is None and silent_s > LIMITS.get(phase, OTHERS_S):
            self._ended = self._looks
            self._tell(f"The phase {phase} has given no sign of life for {silent_s:.0f} s; it is ended.")
            main = ctypes.c_ulong(threading.main_thread().ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(PhaseSilentError))
