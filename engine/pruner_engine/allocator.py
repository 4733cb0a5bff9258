"""Memory that was freed, back to the system."""

from __future__ import annotations

import ctypes
import sys

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def give_back_memory() -> None:
    """Have the C library let go of free pages: it keeps those of schedules, megabytes each, between what lives."""
    trim = getattr(_LIBC, "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
