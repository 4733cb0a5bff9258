"""Start the zygote and talk to it, from the engine's side."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Literal

from pruner_engine.errors import UserError
from pruner_engine.measure.workers import wire
from pruner_engine.processes.child import environment, module_command
from pruner_engine.processes.waiting import is_readable, readable_or_writable

_START_S = 120.0
StartMethod = Literal["fork", "spawn"]
# elsewhere a process that has loaded native libraries may not be forked
START: StartMethod = "fork" if sys.platform == "linux" else "spawn"
_TAKE_S = 60.0  # a living zygote takes messages at any time
_RELEASE_S = 2.0  # to end a few processes


def command(start: StartMethod) -> list[str]:
    """Command line of the zygote or of its stand-in."""
    if start == "spawn":
        return module_command("pruner_engine.measure.workers.spawn", "supervise")
    return module_command("pruner_engine.measure.workers.zygote")


def process_environment() -> dict[str, str]:
    """Of a zygote, whose pools of threads would not survive a fork, and of what stands in for what it forks."""
    return environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")


class ZygoteProcess:
    """A zygote that starts; `close` ends it and all that it has forked."""

    def __init__(self, setup: wire.Setup, start: StartMethod = START) -> None:
        self._env, self._cuda, self._start = process_environment(), setup.cuda, start
        self._log = Path(setup.folder, "zygote.log").open("wb")  # noqa: SIM115  lives as long as the process
        self._process = subprocess.Popen(
            command(start), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=self._env, bufsize=0
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        self._inbox, self._heard = wire.Inbox(), deque[wire.Message]()
        self._is_up = False
        with contextlib.suppress(EOFError, BrokenPipeError):  # it has ended already: who waits for it is told
            self.send(setup)

    def wait_until_up(self) -> None:
        """Wait until it takes messages.

        Raises:
            UserError: it does not start, and is ended; the sentence has its last words.
        """
        if self._is_up:
            return
        with contextlib.suppress(EOFError):  # it has ended already; its log says why
            self._is_up = isinstance(self.receive(_START_S), wire.Ready)
        if not self._is_up:
            self.kill()  # one that is only slow would remove the folder, and the log in it
            self.close()
            tail = Path(self._log.name).read_text(errors="replace")[-500:]
            raise UserError(f"The measurement process did not start. {tail.strip()}".strip(), "Run `pruner doctor`.")

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: wire.Setup | wire.Release | wire.Build | wire.Forget | wire.Run) -> None:
        """Raises BrokenPipeError if the zygote takes nothing any more, it or EOFError if the zygote is gone."""
        rest = memoryview(wire.frame(message))
        while rest:
            # it hears nothing while it tells something: what it tells is taken in meanwhile
            told, takes = readable_or_writable(self._from, self._to, _TAKE_S)
            if told:
                self._hear()
            elif not takes:
                raise BrokenPipeError("the measurement process takes no messages")
            if takes:
                rest = rest[os.write(self._to, rest) :]

    def receive(self, timeout_s: float) -> wire.Message | None:
        """The next message; None after `timeout_s` without one. Raises EOFError if the zygote is gone."""
        until = time.monotonic() + timeout_s
        while not self._heard:
            if not is_readable(self._from, max(0.0, until - time.monotonic())):
                return None
            self._hear()
        return self._heard.popleft()

    def _hear(self) -> None:
        data = os.read(self._from, 1 << 20)
        if not data:
            raise EOFError("the measurement process is gone")
        self._heard.extend(self._inbox.feed(data))

    def release(self) -> bool:
        """Have it end all work and remove its folder; False if it does not, or cannot."""
        if self._start != "fork" or not self._is_up:
            return False
        return self._answers(wire.Release())

    def take_up(self, setup: wire.Setup) -> bool:
        """Have a released one work again; False if it is of no use for that, which leaves it to be closed."""
        if (self._env, self._cuda) != (process_environment(), setup.cuda):
            return False
        return self._answers(setup)

    def _answers(self, message: wire.Setup | wire.Release) -> bool:
        """Whether it soon says to be ready; what else it tells is of work that has ended."""
        try:
            self.send(message)
            while (told := self.receive(_RELEASE_S)) is not None:
                if isinstance(told, wire.Ready):
                    return True
        except (EOFError, BrokenPipeError):  # it is gone, or hangs
            pass
        return False

    def kill(self) -> None:
        """End the process at once; what it has forked ends with it, what it has written stays."""
        self._process.kill()

    def close(self) -> None:
        """End the process: it ends its children when the pipe closes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._is_up = False
        with contextlib.suppress(BrokenPipeError):  # it has ended by itself
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()
