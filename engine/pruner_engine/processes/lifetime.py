"""How long a process lives, by the processes that it comes from; the kernel sees to it, on Linux."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_LIBC = ctypes.CDLL(None)  # here: between a threaded process's fork and the exec nothing should be loaded
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def tie_to_parent(*, tied: bool) -> None:
    """Let the kernel end this process when its parent ends, or no longer.

    Linux keeps the wish with the calling thread: the one that asked must be the one that takes it back.
    """
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if tied else 0, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Tie this process to `parent`; ends at once if that has already ended."""
    tie_to_parent(tied=True)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every process that a descendant leaves behind."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
