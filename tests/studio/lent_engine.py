"""An engine that answers the questions of one window after another: starting one takes longer than most questions."""

from __future__ import annotations

import itertools
import os
import tempfile
from pathlib import Path

from pruner_engine import protocol as msg
from pruner_engine.jobs.client import EngineProcess
from pruner_studio.engine_client import EngineClient


class LentEngine:
    """A real one, to which windows listen as to one that a terminal has started."""

    def __init__(self) -> None:
        self._process = EngineProcess()
        self._numbers = itertools.count(-1, -1)  # those of windows are positive
        folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"pruner-studio-{os.getuid()}"
        self._socket = str(folder / f"engine-{self._process.pid}.sock")

    def lend(self, client: EngineClient) -> None:
        """Have a client ask this engine in place of one of its own, from its first question on."""
        send = client.send

        def ask(command: object) -> None:
            if not (client.running or client._over):
                self._come_to_rest()
                assert client.attach(self._socket)
            send(command)

        client.send = ask

    def _come_to_rest(self) -> None:
        """Wait until it has answered what windows that are closed have asked: nobody may take that for its own."""
        number = next(self._numbers)
        self._process.send(msg.Inspect(project="", task_id=0, forms=["trace"], request=number))
        next(e for e in self._process.events() if isinstance(e, msg.Failed) and e.request == number)

    def __enter__(self) -> LentEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__()
