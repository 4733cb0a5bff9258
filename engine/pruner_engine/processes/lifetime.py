"""How long a process lives, by the processes that it comes from; the kernel sees to it, on Linux."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

_LIBC = ctypes.CDLL(None)  # here: between a threaded process's fork and the exec nothing should be loaded
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _tie_to_parent(*, tied: bool) -> None:
    """Let the kernel end this process when its parent ends, or no longer.

    Linux keeps the wish with the calling thread: the one that asked must be the one that takes it back.
    """
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if tied else 0, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Tie this process to `parent`; ends at once if that has already ended."""
    _tie_to_parent(tied=True)
    if os.getppid() != parent:
        os._exit(1)


class Tie:
    """Ends this process with its parent until it is cut, from whatever thread.

    Args:
        parent: its process id; one that has already ended ends this process at once.
    """

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._cut, self._loose = threading.Event(), threading.Event()
        threading.Thread(target=self._hold, daemon=True).start()

    def cut(self) -> None:
        """Outlive the parent from now on."""
        self._cut.set()
        self._loose.wait()

    def _hold(self) -> None:
        die_with_parent(self._parent)
        self._cut.wait()
        _tie_to_parent(tied=False)
        self._loose.set()


def adopt_orphans() -> None:
    """Become the parent of every process that a descendant leaves behind."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_without_a_word() -> None:
    """Let what would interrupt this process end it: the one that it is forked from tells of it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.default_int_handler:
            signal.signal(number, signal.SIG_DFL)
