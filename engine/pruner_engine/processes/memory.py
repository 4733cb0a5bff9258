"""Returns freed memory to the operating system."""

from __future__ import annotations

import ctypes
import sys

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def give_back_memory() -> None:
    """Have the C library return free pages, which it keeps: those of dropped schedules add up to many megabytes."""
    trim = getattr(_LIBC, "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
