"""A forked process that a job is handed to, and that answers over a pipe."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import traceback
from collections.abc import Callable
from typing import IO

from pruner_engine.measure.workers import process, wire
from pruner_engine.processes.lifetime import die_with_parent


class ForkedWorker:
    """Builds or runs, one job after the other; watched over by whoever has forked it.

    Attributes:
        job: what it works on.
        started, deadline: of the job, by the clock of whoever watches.
        timed_out: it was ended for its job's limit.
        log: what it writes on stdout and stderr.
    """

    def __init__(self, body: Callable[[int, int], None], folder: str, memory_bytes: int) -> None:
        read, child_write = os.pipe()
        child_read, self.write = os.pipe()
        self.read = read
        self.log: IO[bytes] = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115  closed with the child
        self.inbox = wire.Inbox()
        self.job: wire.Build | wire.Run | None = None
        self.started = self.deadline = 0.0
        self.timed_out = False
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                _become_child(parent, self.log.fileno(), (child_read, child_write), memory_bytes)
                body(child_read, child_write)
                status = 0
            except BaseException:  # had it its way, this copy would end its siblings and remove their folder
                os.write(2, traceback.format_exc().encode())
            finally:
                os._exit(status)
        os.setpgid(self.pid, self.pid)
        os.close(child_read)
        os.close(child_write)

    def start(self, job: wire.Build | wire.Run, now: float, timeout_s: float) -> None:
        """Hand over a job."""
        self.job, self.timed_out = job, False
        self.started, self.deadline = now, now + timeout_s
        process.empty_log(self.log)
        with contextlib.suppress(BrokenPipeError):  # it has just died: its end is noticed by the signal
            wire.send(self.write, job)

    def close(self) -> None:
        for fd in (self.read, self.write):
            os.close(fd)
        self.log.close()
        self.read = self.write = -1  # an event of the same select may still name it


def _become_child(parent: int, log: int, keep: tuple[int, int], memory_bytes: int) -> None:
    os.setpgid(0, 0)
    die_with_parent(parent)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(log, 1)
    os.dup2(log, 2)
    inner = sorted({2, *keep})
    for low, high in zip(inner, [*inner[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(low + 1, high)
    process.leave_no_core()
    if memory_bytes:
        process.limit_memory(memory_bytes)
