"""Load modules without looking for garbage among what they bring along."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """What is made meanwhile stays: to look for garbage among it takes a sixth of the time that loading takes."""
    if not gc.isenabled():  # whoever has switched it off knows when there will be some
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
