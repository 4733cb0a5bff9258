"""Who listens to an engine: its parent through pipes, and later comers through a local socket."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from pruner_engine.protocol import Command, Event, Failed, Heartbeat, Progress, decode_command, encode

_LONGEST_QUEUE = 4096
_LONGEST_LINE = 1 << 20  # bytes
_REST_S = 0.5


class Listener:
    """One reader of events, written to by a thread of its own so that a slow reader never holds the engine.

    When the queue is full (a terminal stopped by ^Z reads nothing for hours), events that a later one makes stale are
    left out first: the project file is the truth. The latest is always kept unless it is stale itself: a reader that
    goes on must learn that the run is over.
    """

    def __init__(self, write: Callable[[bytes], object], on_gone: Callable[[Listener], None]) -> None:
        self._write = write
        self._on_gone = on_gone
        self._waiting: deque[tuple[bytes, bool]] = deque()  # lines, and whether a later one makes them stale
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def send(self, event: Event) -> None:
        line, stale = encode(event), isinstance(event, Progress | Heartbeat)
        with self._changed:
            if len(self._waiting) >= _LONGEST_QUEUE:
                oldest = next((i for i, (_, old) in enumerate(self._waiting) if old), None)
                if oldest is None and stale:
                    return
                del self._waiting[oldest or 0]
            self._waiting.append((line, stale))
            self._changed.notify()

    def _drain(self) -> None:
        while (line := self._next()) is not None:
            try:
                self._write(line)
            except OSError:
                self._on_gone(self)
                return

    def _next(self) -> bytes | None:
        """The next line; None when there is none and there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return self._waiting.popleft()[0] if self._waiting else None

    def close(self) -> None:
        """Write out what waits."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(2.0)


class Hub:
    """Sends every event to every listener and hands every command to one handler."""

    def __init__(self, on_command: Callable[[Command], None]) -> None:
        self._listeners: list[Listener] = []
        self._mutex = threading.Lock()
        self._on_command = on_command
        self._path = ""

    def emit(self, event: Event) -> None:
        with self._mutex:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.send(event)

    def add(self, write: Callable[[bytes], object], hello: Event | None = None) -> Listener:
        listener = Listener(write, self._drop)
        if hello is not None:
            listener.send(hello)
        with self._mutex:
            self._listeners.append(listener)
        return listener

    def _drop(self, listener: Listener) -> None:
        with self._mutex, contextlib.suppress(ValueError):  # its reader may be gone before it is listed
            self._listeners.remove(listener)

    def read_commands(self, read_line: Callable[[int], bytes], sender: Listener) -> None:
        """Hand on commands until the stream ends; a sentence tells the sender alone what is none."""
        while line := read_line(_LONGEST_LINE):
            try:
                command = decode_command(line)
            except msgspec.DecodeError as error:
                sender.send(Failed(kind="user", message=f"The engine did not understand a command: {error}."))
                continue
            self._on_command(command)

    def listen(self, hello: Event) -> str:
        """Open the control socket, readable by this user alone; returns its path, "" where no folder takes it.

        Called again it does so anew if the socket's file is gone: a logout removes the runtime folder.
        """
        if self._path and os.path.exists(self._path):  # noqa: PTH110  whose `exists` raises in a folder that is closed
            return self._path
        # a session that outlives its login (tmux) still names a runtime folder that is gone
        server = _bound(os.environ.get("XDG_RUNTIME_DIR", "")) or _bound("")
        self._path = str(server.getsockname()) if server is not None else ""
        if server is None:
            return ""  # go without, the parent's pipes still work
        threading.Thread(target=self._accept, args=(server, hello), daemon=True).start()
        return self._path

    def _accept(self, server: socket.socket, hello: Event) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:  # no file is free for it now; it waits
                time.sleep(_REST_S)
                continue
            sender = self.add(connection.sendall, hello)
            threading.Thread(target=self._serve, args=(connection, sender), daemon=True).start()

    def _serve(self, connection: socket.socket, sender: Listener) -> None:
        with contextlib.suppress(OSError), connection.makefile("rb") as stream:  # who listened is gone
            self.read_commands(stream.readline, sender)

    def close(self) -> None:
        if self._path:
            with contextlib.suppress(OSError):  # its folder is gone, or closed: what waits is told all the same
                Path(self._path).unlink()
        with self._mutex:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.close()


def write_whole(file: int, line: bytes) -> None:
    """Write a line to a pipe: a process that is stopped while the pipe is full has written a part when it goes on."""
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(file, rest) :]


def _bound(base: str) -> socket.socket | None:
    """A socket that listens in a folder of this user's alone, in `base` or else the temporary folder; None if there
    cannot be one."""
    with contextlib.ExitStack() as undo, contextlib.suppress(OSError):
        folder = Path(base or tempfile.gettempdir()) / f"pruner-studio-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
            return None  # somebody else made it
        path = folder / f"engine-{os.getpid()}.sock"
        if _is_taken(path):  # containers that share the folder number their processes apart
            path = path.with_stem(f"{path.stem}-{secrets.token_hex(4)}")
        path.unlink(missing_ok=True)
        server = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        server.bind(str(path))
        path.chmod(0o600)
        server.listen()
        undo.pop_all()
        return server
    return None


def _is_taken(path: Path) -> bool:
    """Whether a living engine listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # one that has no time to answer is none that is gone
        return probe.connect_ex(str(path)) not in (errno.ENOENT, errno.ECONNREFUSED)
