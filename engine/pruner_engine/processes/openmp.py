"""Threads of OpenMP that sleep while they wait for each other.

Else they go round in circles, as long as no core is missing; and where builders have the cores, what one of the threads
does alone in a tenth of a second takes two of them seconds.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_POLICY = "OMP_WAIT_POLICY"


@contextlib.contextmanager
def sleeping_threads() -> Iterator[None]:
    """For libraries that are loaded within, where the user has said nothing else; processes do not inherit it."""
    if _POLICY in os.environ:
        yield
        return
    os.environ[_POLICY] = "PASSIVE"
    try:
        yield
    finally:
        del os.environ[_POLICY]
