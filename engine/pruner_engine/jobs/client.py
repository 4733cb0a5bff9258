"""The terminal's side of an engine process: start it, send commands, iterate over its events."""

from __future__ import annotations

import contextlib
import math
import queue
import signal
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Iterator

import msgspec

from pruner_engine.errors import UserError
from pruner_engine.jobs.heartbeat import BEAT_S, SILENT_S
from pruner_engine.processes.child import environment, module_command
from pruner_engine.protocol import PROTOCOL, Bye, Command, Event, Hello, Quit, decode_event, encode

MEASURED_IS_KEPT = "Everything measured is in the project file: `pruner resume` goes on."


def tell_engine(address: str, command: Command) -> None:
    """Send a command to an engine that somebody else started, through its control socket.

    Raises:
        UserError: nobody answers there, or an engine of another version.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link, link.makefile("rb") as answers:
            link.settimeout(SILENT_S)
            link.connect(address)
            _refuse_other_version(decode_event(answers.readline()))
            link.sendall(encode(command))
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"The engine does not answer: {error}.", "`pruner status` tells whether it works.") from error


def _refuse_other_version(event: Event) -> None:
    if isinstance(event, Hello) and event.protocol != PROTOCOL:
        raise UserError("The engine is of another version than this program.", "Install both anew.")


class EngineProcess:
    """A child engine. Leave the context to end it; its trials are in the project file whatever happens."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            module_command("pruner_engine.jobs"),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # ^C is ours to translate
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reading = threading.Thread(target=self._read_lines, daemon=True)
        self._reading.start()
        self._errors: deque[str] = deque(maxlen=40)
        self._drain = threading.Thread(target=self._read_errors, daemon=True)
        self._drain.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line.decode(errors="replace").rstrip())

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, command: Command) -> None:
        """Raises BrokenPipeError when the engine is gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(encode(command))
        self._process.stdin.flush()

    def events(self) -> Iterator[Event]:
        """Events until the engine ends.

        Raises:
            UserError: the engine speaks another protocol, it died, or not even its heart beats; the sentence says how.
        """
        while line := self._next_line():
            try:
                event = decode_event(line)
            except msgspec.DecodeError as error:
                raise UserError(
                    f"The engine said something unknown: {error}.", "Install engine and terminal of one version."
                ) from error
            _refuse_other_version(event)
            yield event
            if isinstance(event, Bye):
                return
        raise UserError(*self.outcome())

    def _next_line(self) -> bytes:
        """A line, or nothing at the end."""
        # beat by beat: after ^Z and `fg` one deadline would be over, although nobody has waited
        for _ in range(math.ceil(SILENT_S / BEAT_S)):
            with contextlib.suppress(queue.Empty):  # no beat this time
                return self._lines.get(timeout=BEAT_S)
        self._process.kill()
        raise UserError(
            f"The engine gave no sign of life for {SILENT_S:.0f} s and was ended.",
            MEASURED_IS_KEPT,
        )

    def kill(self) -> None:
        """What works for the engine ends with it."""
        self._process.kill()

    def outcome(self) -> tuple[str, str]:
        """How the process ended, in words, and what to do."""
        code = self._process.wait()
        self._drain.join(1.0)
        tail = "\n".join(self._errors)
        if code < 0:
            name = signal.Signals(-code).name
            why = "it was killed, perhaps for lack of memory" if code == -signal.SIGKILL else f"signal {name}"
            return f"The engine ended suddenly ({why}).", MEASURED_IS_KEPT
        return f"The engine ended with code {code}.{' It said: ' + tail if tail else ''}", MEASURED_IS_KEPT

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # it has ended by itself
            self.send(Quit())
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reading.join(1.0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):  # what waits in its buffer has no reader any more
                if stream is not None:
                    stream.close()
