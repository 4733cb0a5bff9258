"""Where kernels run: this machine; `rpc.Board` is another such place."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import tvm
import tvm_ffi
from tvm.runtime import Tensor

from pruner_engine.measure.running.gpu import GpuClock
from pruner_engine.measure.running.stopwatch import Stopwatch
from pruner_engine.measure.workers import process, wire

_COLD_CALLS = 8  # of one repeat with cold caches: emptying them takes longer than most kernels
_LONG_S = 0.1  # ten times what the calls of a repeat are meant to take together
_LOOK_EVERY = 16  # calls: looking at the clock costs a little of what a short kernel takes


class Host(Protocol):
    """Where kernels run: this machine or a board."""

    def device(self, kind: str) -> Any: ...

    def load(self, job: wire.Run) -> Any:
        """The function of the job's library."""

    def yardstick(self, job: wire.Run) -> Any | None:
        """The function of the yardstick's library, where it can be called in turns with the job's."""

    def caller(self, job: wire.Run, kernel: Any, arguments: list[list[Tensor]], device: Any) -> Callable[[int], float]:
        """What calls the kernel so many times and returns the seconds they took together.

        Args:
            arguments: of one call, the next, and so on; the first will do for all where caches are no matter.
        """


class ThisMachine:
    """Runs kernels in this process; `spent` once one of them has forked it."""

    def __init__(self) -> None:
        self._alone = process.Alone()
        self._module: Any = None
        self._known: tuple[str, Any] = ("", None)  # path and module of the yardstick's library
        self._clock: GpuClock | None = None
        self._turn = itertools.count()

    @property
    def spent(self) -> bool:
        return self._alone.violated

    def device(self, kind: str) -> Any:
        return tvm.runtime.device(kind, 0)

    def load(self, job: wire.Run) -> Any:
        self._module = _loaded(job.kernel.library)
        return self._module["main"]

    def yardstick(self, job: wire.Run) -> Any | None:
        if job.yardstick is None or job.device != "cpu":
            return None
        path = job.yardstick.kernel.library
        if self._known[0] != path:
            if not Path(path).exists():  # removed with the processes that were replaced
                return None
            self._known = (path, _loaded(path))
        return self._known[1]["main"]

    def caller(self, job: wire.Run, kernel: Any, arguments: list[list[Tensor]], device: Any) -> Callable[[int], float]:
        if job.device != "cpu":
            self._clock = self._clock or GpuClock(device)
            return self._alone.guard(self._clock.calls_of(kernel, arguments[0]))
        flush = tvm.get_global_func("cache_flush_cpu_non_first_arg")

        def timed(number: int) -> tuple[float, bool]:
            # a kernel and its yardstick share the copies: each call takes the one that was used longest ago
            turns = [arguments[next(self._turn) % len(arguments)] for _ in range(number)]
            watch, made = Stopwatch(), 0
            # Where other programs have the cores, a kernel's threads wait for each other, and a call of microseconds
            # takes as many milliseconds: all calls together would use up the limit of the run
            while made < number and (made == 0 or watch.passed_s() < _LONG_S):
                few = min(made + 1, _LOOK_EVERY)  # at first: sixteen that are held up take a second
                for args in turns[made : made + few]:
                    kernel(*args)
                made += few
            device.sync()
            seconds, stopped = watch.read()
            return seconds * max(1.0, number / made), stopped

        def warm(number: int) -> float:
            seconds, stopped = timed(number)
            return timed(number)[0] if stopped else seconds

        def cold(number: int) -> float:
            calls = min(number, _COLD_CALLS)
            seconds = 0.0
            for _ in range(calls):
                flush(*arguments[0])
                seconds += warm(1)
            return seconds * number / calls

        return self._alone.guard(cold if job.cold else warm)


def _loaded(library: str) -> Any:
    """A library that goes with its last kernel: TVM keeps all that it loads, and a process may not map very many."""
    return tvm_ffi.load_module(library, keep_module_alive=False)
