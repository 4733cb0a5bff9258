"""What other programs take of the cores while something is timed."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

import psutil

from pruner_engine.processes.affinity import usable_cpus
from pruner_engine.processes.control_groups import said

_WORK = ("user", "nice", "system", "irq", "softirq")
_TOLD_S = 0.05  # of processor time: less is a few ticks of the clock that counts it
_QUIET_LOAD = 0.25  # load average per core below which nothing else is said to work


def is_quiet(cores: int) -> bool:
    """Whether next to nothing has worked on a machine of so many cores in the last minute, this program included."""
    return os.getloadavg()[0] < _QUIET_LOAD * cores


class Bystanders:
    """Watches, from its making on, how much processor time this process and all that it has started did not take.

    Attributes:
        among: cores that this process may use.
    """

    def __init__(self) -> None:
        self._started, self._before = time.perf_counter(), _of_others()
        self.among = len(usable_cpus())

    def cores(self) -> float:
        """How many of these cores others kept busy, in the mean; 0 where next to none."""
        seconds = time.perf_counter() - self._started
        took = _of_others() - self._before
        return took / seconds if took > _TOLD_S else 0.0


def _of_others() -> float:
    """Seconds, since the system was started."""
    ours, times = psutil.Process(), psutil.cpu_times(percpu=True)
    every = dict(zip(_numbers(len(times)), times, strict=False))
    busy = sum(sum(getattr(every[core], kind, 0.0) for kind in _WORK) for core in usable_cpus() if core in every)
    return busy - sum(map(_taken, [ours, *ours.children(recursive=True)]))


def _numbers(many: int) -> list[int]:
    """Of the cores that psutil tells of."""
    return numbers_in(said(Path("/proc/stat"))) or list(range(many))


def numbers_in(stat: str) -> list[int]:
    """Of the cores in what /proc/stat says: those that are switched off are not in there."""
    return [int(number) for number in re.findall(r"^cpu(\d+) ", stat, re.MULTILINE)]


def _taken(process: psutil.Process) -> float:
    """By the process and by those of its children that have ended."""
    with contextlib.suppress(psutil.Error):  # it has just ended: its parent counts it
        return float(sum(process.cpu_times()[:4]))
    return 0.0
