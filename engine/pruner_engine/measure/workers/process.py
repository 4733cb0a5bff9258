"""What a measurement process needs from the operating system: its start, limits, and the story of its end."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import psutil

from pruner_engine.measure.workers.wire import NO_ROOM, Setup, receive

_LOG_TAIL = 4096
_MESSAGE = 2000
_NICE = 5  # of builders, below what plans and learns
_GROWS = 512 << 20  # bytes of resident memory
_NO_MEMORY = ("bad_alloc", "out of memory", "MemoryError", "Cannot allocate memory", "failed to map segment")
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)  # a disk that is full, or this user's share of it
_NO_SPACE = tuple(map(os.strerror, NO_SPACE))  # as compilers and linkers tell of it


def begin() -> tuple[Setup, int]:
    """What the engine says first, on stdin, and the descriptor to answer on; from now on, print writes to stderr.

    The process ends when the engine's pipe closes, not by what a terminal or a shutdown sends to all of its processes:
    what was written has to be removed after the engine.
    """
    outbox = os.dup(1)
    os.dup2(2, 1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    setup = receive(0)
    if not isinstance(setup, Setup):
        sys.exit("the first message has to be a setup")
    return setup, outbox


def stay_on(cores: list[int]) -> None:
    """Run this process and its future threads on these cores only, where the system can be told so."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, cores)


def use_threads(count: int) -> None:
    """Let kernels use so many threads in this process. To be called before TVM starts them."""
    os.environ["TVM_NUM_THREADS"] = str(count)
    os.environ["TVM_BIND_THREADS"] = "0"  # TVM may put the main thread beside a bound worker, on one core


def step_aside() -> None:
    """Leave the cores to whoever plans and learns, if there are too few: more rests on that than on a build."""
    if os.name == "posix":
        os.nice(_NICE)


def see_no_gpu() -> None:
    """Let CUDA find no device in this process. To be called before it is first asked for one.

    TVM asks whenever it lets go of a compiled module, which would give each builder a context on the GPU: most of a
    second and hundreds of megabytes of its memory, beside a run that is being timed.
    """
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


def leave_no_core() -> None:
    """Write no core file at a crash: one of a process with a GPU's memory in its address space takes minutes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(extra: int) -> None:
    """Let this process grow by `extra` bytes of address space and no more."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if sys.platform == "linux" else 0
    limit = pages * resource.getpagesize() + extra
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    if most != resource.RLIM_INFINITY:  # a user's `ulimit -v`, a cluster's queue
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def limit_cpu(more_s: float) -> None:
    """Let this process compute for so many seconds from now on, those of all its threads together, and no longer.

    The kernel sees to it, also where nobody watches over this process any more.
    """
    limit, most = math.ceil(time.process_time() + more_s), resource.getrlimit(resource.RLIMIT_CPU)[1]
    if most != resource.RLIM_INFINITY:  # a user's `ulimit -t`
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, most))


def empty_log(log: IO[bytes]) -> None:
    """Empty a log file that another process writes through the same description, at the same offset."""
    with contextlib.suppress(OSError):  # a disk that is full or gone: the job fails by itself, and says so
        log.seek(0)
        log.truncate(0)


def log_tail(fd: int) -> str:
    """The end of a log file, as text."""
    size = os.fstat(fd).st_size
    return os.pread(fd, _LOG_TAIL, max(0, size - _LOG_TAIL)).decode(errors="replace")


def failure_of(what: str, status: int, log: str) -> tuple[str, str]:
    """Kind ("crash", "memory", "timeout", or a full disk's) and sentence for a process that ended without a result.

    Args:
        what: what the process was doing, such as "The build".
        status: as `os.waitpid` gives it.
        log: what it wrote on stderr.
    """
    if _is_full_disk(log):
        return NO_ROOM, log[-_MESSAGE:]
    if _is_memory(log):
        return "memory", f"{what} needed more memory than it may have."
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "timeout", f"{what} computed for longer than it may."
        return "crash", f"{what} was ended by signal {number} ({signal.strsignal(number) or 'unknown'})."
    return "crash", f"{what} ended early with exit status {os.waitstatus_to_exitcode(status)}."


def error_of(failure: Exception) -> tuple[str, str]:
    """Kind ("error", "memory" or that of a full disk) and message of an exception."""
    message = str(failure).strip() or type(failure).__name__
    if (isinstance(failure, OSError) and failure.errno in NO_SPACE) or _is_full_disk(message):
        return NO_ROOM, message[-_MESSAGE:]
    memory = isinstance(failure, MemoryError) or _is_memory(message)
    return ("memory" if memory else "error"), message[-_MESSAGE:]


def _is_full_disk(text: str) -> bool:
    return any(sign in text for sign in _NO_SPACE)


def _is_memory(text: str) -> bool:
    return any(sign in text for sign in _NO_MEMORY)


def kill_group(leader: int) -> None:
    """End every process of a process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class Lifespan:
    """Tells when a process that serves one candidate after the other has served enough of them, or has grown too much.

    Args:
        pid: of the process.
        serves: most candidates.
    """

    def __init__(self, pid: int, serves: int) -> None:
        self._process, self._left = psutil.Process(pid), serves
        self._first_rss = self._process.memory_info().rss

    def is_over(self) -> bool:
        """Whether the process is to be replaced; asked after each candidate."""
        self._left -= 1
        return self._left <= 0 or self._process.memory_info().rss - self._first_rss > _GROWS


class Alone:
    """Guards against a kernel that forks this process, whose copy would go on as a second runner."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self.violated = False

    def guard(self, call: Callable[[int], float]) -> Callable[[int], float]:
        """`call`, followed by a check: where it has forked, the copy ends and the original raises RuntimeError."""

        def guarded(number: int) -> float:
            result = call(number)
            if os.getpid() != self._pid:
                os._exit(1)
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return result
            self.violated = True
            raise RuntimeError("The kernel started another process.")

        return guarded
