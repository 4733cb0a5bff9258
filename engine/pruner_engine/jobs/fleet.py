"""The boards of a tracker, and whether they answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from pruner_engine.errors import UserError
from pruner_engine.jobs.job import JobContext
from pruner_engine.measure.rpc import boards_of, sign_of_life
from pruner_engine.protocol import Board, Boards, ListBoards

_ANSWER_S = 1.0
_AT_ONCE = 16


def list_boards(command: ListBoards, job: JobContext) -> None:
    """Ask the tracker, and every board that it names for a sign of life: a tracker does not notice one that hangs."""
    host, _, port = command.tracker.rpartition(":")
    if not host or not port.isdigit():
        raise UserError(
            f'"{command.tracker}" is not the address of a tracker.', "Write host:port, such as 127.0.0.1:9190."
        )
    named = [(key, address) for key, there in sorted(boards_of(host, int(port)).items()) for address in sorted(there)]
    with ThreadPoolExecutor(_AT_ONCE) as asking:
        found = list(asking.map(lambda board: _board(*board), named))
    job.emit(Boards(tracker=command.tracker, boards=found, request=command.request))


def _board(key: str, address: str) -> Board:
    host, _, port = address.rpartition(":")
    begin = time.monotonic()
    sign = sign_of_life(host, int(port), _ANSWER_S) if port.isdigit() else "gone"
    return Board(key, address, sign, time.monotonic() - begin if sign == "answers" else None)
