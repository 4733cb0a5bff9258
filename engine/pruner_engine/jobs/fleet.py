"""The boards of a tracker, and whether they answer."""

from __future__ import annotations

import socket
import time

from pruner_engine.errors import UserError
from pruner_engine.jobs.job import JobContext
from pruner_engine.measure.rpc import boards_of
from pruner_engine.protocol import Board, Boards, ListBoards

_ANSWER_S = 1.0


def list_boards(command: ListBoards, job: JobContext) -> None:
    """Ask the tracker, and every board that it names for a sign of life: a tracker does not notice one that hangs."""
    host, _, port = command.tracker.rpartition(":")
    if not host or not port.isdigit():
        raise UserError(
            f'"{command.tracker}" is not the address of a tracker.', "Write host:port, such as 127.0.0.1:9190."
        )
    found = [
        _board(key, address)
        for key, addresses in sorted(boards_of(host, int(port)).items())
        for address in sorted(addresses)
    ]
    job.emit(Boards(tracker=command.tracker, boards=found, request=command.request))


def _board(key: str, address: str) -> Board:
    host, _, port = address.rpartition(":")
    begin = time.monotonic()
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_S).close()
    except (OSError, ValueError):
        return Board(key, address, False, None)
    return Board(key, address, True, time.monotonic() - begin)
