"""Measurement on other machines through TVM's own tracker and servers."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tvm import rpc
from tvm.runtime import Tensor

from pruner_engine.errors import UserError
from pruner_engine.measure.wire import Fleet, Run

__all__ = ["Board", "Fleet", "boards_of", "fleet_size"]

_ANSWER_S = 5.0
_RETRIES = 5
_PAUSE_S = 0.5


def boards_of(host: str, port: int) -> dict[str, list[str]]:
    """Addresses of the boards that are registered at a tracker, by key.

    Raises:
        UserError: the tracker does not answer.
    """
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
        servers: list[dict[str, Any]] = rpc.connect_tracker(host, port).summary()["server_info"]
    except (OSError, RuntimeError) as failure:
        hint = f"Start it there with `python -m tvm.exec.rpc_tracker --host {host} --port {port}`."
        raise UserError(f"No tracker answers at {host}:{port}.", hint) from failure
    boards: dict[str, list[str]] = {}
    for server in servers:
        address = ":".join(str(part) for part in server["addr"])
        boards.setdefault(str(server["key"]).removeprefix("server:"), []).append(address)
    return boards


def fleet_size(fleet: Fleet) -> int:
    """How many boards of the fleet are registered now.

    Raises:
        UserError: the tracker does not answer, or has no such board.
    """
    tracker = f"{fleet.host}:{fleet.port}"
    count = len(boards_of(fleet.host, fleet.port).get(fleet.key, []))
    if not count:
        hint = f"Start `python -m tvm.exec.rpc_server --tracker {tracker} --key {fleet.key}` on a board."
        raise UserError(f'The tracker {tracker} has no board "{fleet.key}".', hint)
    return count


class Board:
    """One board for one run: a host for kernels like `runner.ThisMachine`.

    Args:
        fleet: where to ask for it; waits until one is free.
        timeout_s: after this the board ends the session itself.

    Raises:
        RuntimeError: no board could be had.
    """

    def __init__(self, fleet: Fleet, timeout_s: float) -> None:
        self._session = self._request(fleet, timeout_s)
        self._module: Any = None

    @staticmethod
    def _request(fleet: Fleet, timeout_s: float) -> Any:
        for attempt in range(1, _RETRIES + 1):
            try:
                tracker = rpc.connect_tracker(fleet.host, fleet.port)
                return tracker.request(fleet.key, session_timeout=max(1, round(timeout_s)), max_retry=1)
            except (
                OSError,
                RuntimeError,
            ):  # one that reboots may be registered and not answer
                if attempt == _RETRIES:
                    raise
                time.sleep(_PAUSE_S * 2**attempt)
        raise AssertionError

    def device(self, kind: str) -> Any:
        return self._session.device(kind, 0)

    def load(self, job: Run) -> Any:
        """Send the library and link it there."""
        # the pool of threads is shared by what runs there; mode 1: the big cores, which are all on most machines
        self._session.get_function("runtime.config_threadpool")(1, job.threads)
        self._session.upload(job.kernel.library)
        self._module = self._session.load_module(Path(job.kernel.library).name)
        return self._module["main"]

    def caller(self, job: Run, kernel: Any, args: list[Tensor], device: Any) -> Callable[[int], float]:
        """Calls are timed on the board, so that the network is not."""

        def call(number: int) -> float:
            evaluator = self._module.time_evaluator("main", device, number=number, repeat=1)
            return float(evaluator(*args).mean) * number

        return call
