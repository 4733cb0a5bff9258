"""The processors that this process may use."""

from __future__ import annotations

import os


def usable_cpus() -> list[int]:
    """Their numbers; all where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
