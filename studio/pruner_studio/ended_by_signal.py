"""A shutdown, a log-out or ^C in the terminal closes the window in order: nobody would answer a question then."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

_NUMBERS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class EndedBySignal(QObject):
    """Calls `close` from the event loop once a signal asks the process to end.

    Qt's loop waits in native code, where Python's handlers do not run: Python writes each signal's number into a socket
    instead, which the loop watches. What nohup or a shell has ignored stays ignored.
    """

    def __init__(self, close: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._close = close
        self._heard, self._told = socket.socketpair()
        for end in (self._heard, self._told):
            end.setblocking(False)
        signal.set_wakeup_fd(self._told.fileno(), warn_on_full_buffer=False)
        for number in _NUMBERS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda *_: None)
        notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._hear)

    def _hear(self) -> None:
        if any(number in _NUMBERS for number in self._heard.recv(64)):
            self._close()
