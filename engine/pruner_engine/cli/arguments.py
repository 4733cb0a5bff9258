"""Resolves arguments that several commands share: paths, folders, tasks."""

from __future__ import annotations

from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.store.lookups import task_named
from pruner_engine.store.reader import ProjectReader

_DIGITS = 18  # of an id, at most


def absolute(path: str) -> str:
    """The absolute path of an argument, since an engine has a working directory of its own."""
    try:
        return str(Path(path).absolute())
    except FileNotFoundError as error:
        raise UserError("The current folder was removed.", "Change to another one, or name files in full.") from error


def make_folder(path: Path) -> None:
    """Make the folder that results go to, where it is not there yet."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"The folder {path} cannot be made: {error.strerror}.", "Choose another place.") from error


def find_task(reader: ProjectReader, text: str, run_id: int | None = None) -> int:
    """Id of a task by id or name: the run's, else the newest run's that has one; runs on two devices share names."""
    is_id = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    found = task_named(reader, text, int(text) if is_id else -1, run_id)
    if found is None:
        raise UserError(f'The project holds no task "{text}".', "`pruner tasks` lists them.")
    return found
