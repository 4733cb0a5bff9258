"""Whether Linux lends a process the registers of AMX: it has to ask, and a sandbox may forbid it to."""

from __future__ import annotations

import ctypes
import functools

#: Linux's number of arch_prctl on x86-64, its ARCH_REQ_XCOMP_PERM, and what is asked for: the registers' data
REQUEST = (158, 0x1023, 18)


@functools.cache
def lends_matrix_registers() -> bool:
    """Ask for this process and those that it starts as copies of itself; only where the processor has the registers."""
    try:
        return ctypes.CDLL(None, use_errno=True).syscall(*map(ctypes.c_long, REQUEST)) == 0
    except (OSError, AttributeError):  # no Linux
        return False
