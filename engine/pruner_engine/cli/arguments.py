"""Resolves arguments that several commands share: paths, folders, tasks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.queries.lookups import task_named
from pruner_engine.store.reader import ProjectReader, Row

_DIGITS = 18  # of an id, at most


def absolute(path: str) -> str:
    """The absolute path of an argument, since an engine has a working directory of its own."""
    return str(Path(path).absolute())


@contextlib.contextmanager
def opened(project: str) -> Iterator[ProjectReader]:
    """A project that anybody may have made: what its values keep from being told within is a sentence.

    What is made of them is printed outside: that a disk takes no output is no fault of the project.
    """
    with ProjectReader(project) as reader, making_sense(reader.path):
        yield reader


def make_folder(path: Path) -> None:
    """Make the folder that results go to, where it is not there yet."""
    place = path.absolute()  # outside: that the current folder is gone is told as such
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"The folder {path} cannot be made: {error.strerror}.", "Choose another place.") from error


def find_task(reader: ProjectReader, text: str, run_id: int | None = None) -> int:
    """Id of a task by id or name: the run's, else the newest run's that has one; runs on two devices share names."""
    is_id = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    found = task_named(reader, text, int(text) if is_id else -1, run_id)
    if found is None:
        raise UserError(f'The project holds no task "{text}".', "`pruner tasks` lists them.")
    return found


def chosen_task(reader: ProjectReader, text: str | None, candidate: int | None, run_id: int | None = None) -> int:
    """Id of a task by id or name; without either that of the candidate, or the only one that the run has.

    Args:
        candidate: its run is looked in, where `run_id` is None.
    """
    row = reader.candidate(candidate) if candidate else None
    if candidate and not row:
        raise UserError(f"The project holds no candidate {candidate}.", "Without --candidate the task's best is meant.")
    if text is None and row:
        return int(row["task_id"])
    run_id = row["run_id"] if run_id is None and row else run_id
    if text is not None:
        return find_task(reader, text, run_id)
    tasks = reader.tasks(reader.run(run_id)["id"])
    if len(tasks) != 1:
        raise UserError(f"The run has {len(tasks)} tasks.", "Name one with --task; `pruner tasks` lists them.")
    return int(tasks[0]["id"])


def candidate_and_sketch(reader: ProjectReader, run_id: int, task_id: int, candidate: int | None) -> tuple[Row, Row]:
    """A candidate of a task, the run's best without one, and the sketch whose decisions it has taken."""
    if candidate is None:
        candidate = next((row["best_candidate_id"] for row in reader.tasks(run_id) if row["id"] == task_id), None)
        if candidate is None:
            raise UserError("Nothing valid was measured of the task.", "`pruner tasks` tells which tasks have a best.")
    row = reader.candidate(candidate)
    if row is None or row["task_id"] != task_id:
        raise UserError("The task has no such candidate.", "Name one of its own with --candidate.")
    sketch = next((one for one in reader.sketches(task_id) if one["id"] == row["sketch_id"]), None)
    if sketch is None:
        raise UserError(
            f"Candidate {candidate} is of none of the task's sketches: its decisions are not free.", "Name another one."
        )
    return row, sketch
