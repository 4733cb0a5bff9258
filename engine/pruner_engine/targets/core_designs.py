"""What makers tell of cores, by LLVM's name of them, where it is not as with most wide ones."""

from __future__ import annotations

#: fused multiply-adds of whole vectors that a core begins in a cycle, where they are not two
_ONE = ("cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "cortex-a73", "znver4")
_FOUR = (
    *(f"apple-m{number}" for number in range(1, 5)),
    *("cortex-x1", "cortex-x1c", "cortex-x2", "cortex-x3", "cortex-x4"),
    *("neoverse-v1", "neoverse-v2", "neoverse-v3"),
)
_IN_ORDER = ("cortex-a34", "cortex-a35", "cortex-a53", "cortex-a55", "cortex-a510", "cortex-a520")


def multiply_adds(mcpu: str) -> int:
    """Fused multiply-adds of whole vectors that a core begins in a cycle."""
    return 1 if mcpu in _ONE else 4 if mcpu in _FOUR else 2


def is_in_order(mcpu: str) -> bool:
    """Whether a core waits with each instruction for those before it."""
    return mcpu in _IN_ORDER
