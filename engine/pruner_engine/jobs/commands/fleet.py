"""The boards of a tracker, and whether they answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from pruner_engine.jobs.job import JobContext
from pruner_engine.measure.boards.addresses import host_and_port, tracker_at
from pruner_engine.measure.boards.rpc import boards_of, sign_of_life
from pruner_engine.protocol import Board, Boards, ListBoards

_ANSWER_S = 1.0
_AT_ONCE = 16


def list_boards(command: ListBoards, job: JobContext) -> None:
    """Ask the tracker, and every board that it names for a sign of life: a tracker does not notice one that hangs."""
    tracker = boards_of(*tracker_at(command.tracker))
    named = [(key, address) for key, there in sorted(tracker.items()) for address in sorted(there)]
    with ThreadPoolExecutor(_AT_ONCE) as asking:
        found = list(asking.map(lambda board: _board(*board), named))
    job.emit(Boards(tracker=command.tracker, boards=found))


def _board(key: str, address: str) -> Board:
    place, begin = host_and_port(address), time.monotonic()
    sign = "gone" if place is None else sign_of_life(*place, _ANSWER_S)
    return Board(key, address, sign, time.monotonic() - begin if sign == "answers" else None)
