"""A shutdown, or a terminal that is closed, ends a command as ^C does: with what it does to tidy up, and a sentence."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

_AS_INTERRUPT = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def ended_as_by_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt wherever the command is; what nohup or a shell has ignored stays ignored."""
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield
        return
    before = {number: signal.getsignal(number) for number in _AS_INTERRUPT}
    before = {number: handler for number, handler in before.items() if handler == signal.SIG_DFL}
    for number in before:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
