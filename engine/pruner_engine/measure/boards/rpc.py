"""Measurement on other machines through TVM's own tracker and servers."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tvm import rpc
from tvm.rpc import base
from tvm.runtime import Tensor

from pruner_engine.errors import UserError
from pruner_engine.measure.workers.wire import Fleet, Run
from pruner_engine.protocol import Sign

_ANSWER_S = 5.0
_PAUSE_S = 0.5
_NONSENSE = (ValueError, TypeError, KeyError, struct.error)  # what is made of the answer of another server


def boards_of(host: str, port: int) -> dict[str, list[str]]:
    """Addresses of the boards that are registered at a tracker, by key.

    Raises:
        UserError: the tracker does not answer, or not as one.
    """
    boards: dict[str, list[str]] = {}
    try:
        _, summary = _asked(host, port, [base.TrackerCode.SUMMARY], _ANSWER_S)
        for server in summary["server_info"]:
            address = ":".join(str(part) for part in server["addr"])
            boards.setdefault(str(server["key"]).removeprefix("server:"), []).append(address)
    except (OSError, *_NONSENSE) as failure:
        hint = f"Start it there with `pruner tracker --host {host} --port {port}`."
        raise UserError(f"No tracker answers at {host}:{port}.", hint) from failure
    return boards


def _asked(host: str, port: int, question: list[Any], timeout_s: float) -> Any:
    """A tracker's answer. TVM's own client waits without end for one that accepts and says nothing."""
    with socket.create_connection((host, port), timeout=timeout_s) as tracker:
        tracker.sendall(struct.pack("<i", base.RPC_TRACKER_MAGIC))
        if struct.unpack("<i", base.recvall(tracker, 4))[0] != base.RPC_TRACKER_MAGIC:
            raise ValueError(f"{host}:{port} is no tracker")
        base.sendjson(tracker, question)
        return base.recvjson(tracker)


def fleet_size(fleet: Fleet) -> int:
    """How many boards of the fleet are registered now.

    Raises:
        UserError: the tracker does not answer, or has no such board.
    """
    tracker = f"{fleet.host}:{fleet.port}"
    boards = boards_of(fleet.host, fleet.port)
    count = len(boards.get(fleet.key, []))
    if not count:
        start = f"{tracker} --key {fleet.key or 'KEY'}"
        hint = f"Start `pruner serve --tracker {start}` on a board."
        if others := ", ".join(sorted(boards)):
            hint = f"Start `pruner serve --tracker {start}` on a board, or give the --key of others: {others}."
        raise UserError(f'The tracker {tracker} has no board "{fleet.key}".', hint)
    return count


class NoBoardError(Exception):
    """No board of the fleet was free and alive for as long as a run may wait: not the candidate's fault."""


def board_session(fleet: Fleet, timeout_s: float) -> Any:
    """A session on the first free board that is alive; asks again with back-off.

    Args:
        timeout_s: after this the board ends the session itself.

    Raises:
        NoBoardError: none could be had.
    """
    deadline, pause, reason = time.monotonic() + fleet.wait_s, _PAUSE_S, ""
    while (left := deadline - time.monotonic()) > 0:
        try:
            host, port, match = _free_board(fleet, left)
            if sign_of_life(host, port, _ANSWER_S) == "answers":
                return rpc.connect(host, port, match, session_timeout=max(1, round(timeout_s)))
            reason = f"the board at {host}:{port} does not answer"  # nor will the tracker name it again
        except (OSError, RuntimeError, *_NONSENSE) as failure:  # one that reboots, or the tracker does
            reason = str(failure)
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        pause *= 2
    raise NoBoardError(f'No board "{fleet.key}" could be had within {fleet.wait_s:g} s: {reason}.')


def _free_board(fleet: Fleet, timeout_s: float) -> tuple[str, int, str]:
    """Address and one-time key of a board, as soon as the tracker has a free one."""
    request = [base.TrackerCode.REQUEST, fleet.key, "", 1]
    code, (host, port, match) = _asked(fleet.host, fleet.port, request, timeout_s)
    if code != base.TrackerCode.SUCCESS:
        raise RuntimeError("the tracker refused the request")
    return host, port, match


def sign_of_life(host: str, port: int, timeout_s: float) -> Sign:
    """Whether a board's server takes a greeting.

    Returns:
        "silent" where it accepts and says nothing: it is at work, its last session crashed, or it hangs.
    """
    greeting = b"client:heartbeat"  # matches no key: the server declines and goes on waiting
    try:
        board = socket.create_connection((host, port), timeout=timeout_s)
    except (OSError, UnicodeError):  # UnicodeError: a host with a label that is empty or too long
        return "gone"
    try:
        with board:
            board.sendall(struct.pack("<ii", base.RPC_MAGIC, len(greeting)) + greeting)
            (code,) = struct.unpack("<i", base.recvall(board, 4))
    except OSError:
        return "silent"
    return "answers" if code == base.RPC_CODE_MISMATCH else "silent"


class Board:
    """One board for one run: a host for kernels like `host.ThisMachine`.

    Args:
        fleet: where to ask for it; waits until one is free.
        timeout_s: after this the board ends the session itself.

    Raises:
        NoBoardError: none could be had.
    """

    def __init__(self, fleet: Fleet, timeout_s: float) -> None:
        self._session = board_session(fleet, timeout_s)
        self._module: Any = None

    def device(self, kind: str) -> Any:
        return self._session.device(kind, 0)

    def load(self, job: Run) -> Any:
        """Send the library, which the board links first where there was no linker for it."""
        # the pool of threads is shared by what runs there; mode 1: the big cores, which are all on most machines
        self._session.get_function("runtime.config_threadpool")(1, job.threads)
        self._session.upload(job.kernel.library)
        self._module = self._session.load_module(Path(job.kernel.library).name)
        return self._module["main"]

    def yardstick(self, job: Run) -> None:
        """Boards run one kernel and forget it."""

    def caller(self, job: Run, kernel: Any, arguments: list[list[Tensor]], device: Any) -> Callable[[int], float]:
        """Calls are timed on the board, so that the network is not."""

        def call(number: int) -> float:
            evaluator = self._module.time_evaluator("main", device, number=number, repeat=1)
            return float(evaluator(*arguments[0]).mean) * number

        return call
