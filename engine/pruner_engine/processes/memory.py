"""How much memory a process may use, and what it gives back."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import psutil

from pruner_engine.processes.control_groups import MOUNTED, groups_of, membership, said

_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def memory_bytes(mounted: Path = MOUNTED) -> int:
    """Of the machine, or what a container grants of it: who asks for more is killed."""
    return min([psutil.virtual_memory().total, *granted(membership(), mounted)])


def granted(membership: str, mounted: Path = MOUNTED) -> list[int]:
    """Limits of a process's control groups, in bytes; arguments as those of `groups_of`."""
    groups = list(groups_of(membership, "memory", mounted))
    limits = [said(group / name) for group in groups for name in ("memory.max", "memory.limit_in_bytes")]
    return [int(limit) for limit in limits if limit.isdigit()]


def give_back_memory() -> None:
    """Have the C library return free pages, which it keeps: those of dropped schedules add up to many megabytes."""
    trim = getattr(_LIBC, "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
