"""Tries calls into native code in a child process, to find those that would end this one."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
from collections.abc import Callable, Sequence

from pruner_engine.processes.lifetime import die_with_parent

_MOST_S = 60


def deadly(calls: Sequence[Callable[[], object]], limit_s: int = _MOST_S) -> set[int]:
    """Indices of the calls that crash, hang for so many seconds or exit; exceptions are no harm.

    Each call is made once in a child forked from this process. Hostile files reach corners of TVM's deserialiser that
    end in a segmentation fault instead of an error.
    """
    found: set[int] = set()
    start = 0
    while start < len(calls):
        done = start + _survived(calls[start:], limit_s)
        if done < len(calls):
            found.add(done)
        start = done + 1
    return found


def _survived(calls: Sequence[Callable[[], object]], limit_s: int) -> int:
    """How many of the calls a child outlived."""
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):  # nothing of this copy may go on behind the fork
            die_with_parent(parent)  # it holds the locks of the files that are open
            signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a handler of Python's would wait for native code to return
            faulthandler.disable()  # backtraces are of no use to anybody here
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for call in calls:
                signal.alarm(limit_s)
                with contextlib.suppress(Exception):  # the caller meets it again, where it can be told
                    call()
                os.write(writer, b".")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        survived = len(pipe.read())
    os.waitpid(child, 0)
    return survived
