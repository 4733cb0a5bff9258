"""The file beside a project that holds its candidates' second timing, see remeasure.py."""

from __future__ import annotations

import statistics
from pathlib import Path

import msgspec

from pruner_engine.errors import UserError
from pruner_engine.replacing import write_whole

#: seconds a call by task and hash of the candidate
Again = dict[tuple[int, str], float]


class Timed(msgspec.Struct):
    """The content of the file.

    Attributes:
        turns: how often each candidate was timed.
        candidates: task id, hash, and seconds a call in each turn; none of one that failed.
    """

    turns: int
    candidates: list[tuple[int, str, list[float]]]

    def covers(self, turns: int, keys: set[tuple[int, str]]) -> bool:
        """Whether these candidates (task id, hash) were timed at least so often."""
        return self.turns >= turns and {(task, key) for task, key, _ in self.candidates} >= keys


def read_again(project: Path) -> Again:
    """Median seconds a call over the turns; empty where nothing was timed again.

    Raises:
        UserError: the file makes no sense.
    """
    found = read_timed(project)
    timed = found.candidates if found else []
    return {(task, key): statistics.median(seconds) for task, key, seconds in timed if seconds}


def read_timed(project: Path) -> Timed | None:
    """What was timed again of a project so far; None where nothing was.

    Raises:
        UserError: the file beside the project cannot be read.
    """
    path = _path(project)
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Timed)
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.", "Remove it; the next comparison writes it anew.") from error


def write_timed(project: Path, timed: Timed) -> None:
    """Keep what was timed again in a file beside the project."""
    write_whole(_path(project), msgspec.json.encode(timed))


def _path(project: Path) -> Path:
    return project.with_suffix(".again.json")
