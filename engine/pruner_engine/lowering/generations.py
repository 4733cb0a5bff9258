"""Generations of NVIDIA's GPUs."""

from __future__ import annotations

FIRST_WITH_BFLOAT16 = FIRST_WITH_ASYNCHRONOUS_COPIES = 80


def generation(arch: str) -> int:
    """Of an architecture, such as 90 of sm_90a; 0 of what names none."""
    return int("".join(filter(str.isdigit, arch)) or 0)
