"""A line to an engine that somebody else started, through its control socket."""

from __future__ import annotations

import socket
import struct

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class SocketLink(QObject):
    """Bytes to and from a Unix socket on Qt's event loop; QtNetwork would need libraries that may be missing.

    Signals:
        received: bytes that came.
        gone: the other side has closed.
    """

    received = Signal(bytes)
    gone = Signal()

    def __init__(self, path: str, parent: QObject | None = None) -> None:
        """Raises OSError where nobody listens."""
        super().__init__(parent)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(2.0)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        self._notifier = QSocketNotifier(self._socket.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    @property
    def peer(self) -> int:
        """Process that listens at the other side; 0 where the system does not tell."""
        if not hasattr(socket, "SO_PEERCRED"):
            return 0
        told = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", told)[0])

    def write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            self._end()

    def close(self) -> None:
        self._notifier.setEnabled(False)
        self._socket.close()

    def _read(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if data:
            self.received.emit(data)
        else:
            self._end()

    def _end(self) -> None:
        self.close()
        self.gone.emit()
