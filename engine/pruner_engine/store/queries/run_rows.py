"""A run, its tasks and its target as their tables have them, of a project that is open for reading or for writing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec

from pruner_engine.errors import UserError
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.run_states import NEWEST_FIRST
from pruner_engine.store.writing.of_run import UNTUNED_S, WEIGHT

_NEWEST = (
    "SELECT r.id FROM runs r ORDER BY EXISTS (SELECT 1 FROM run_tasks j WHERE j.run_id = r.id) DESC,"
    f" {NEWEST_FIRST} LIMIT 1"
)
_TASKS = (
    f"SELECT k.*, {UNTUNED_S} AS untuned_s, {WEIGHT} AS weight, j.steer, j.quarantined FROM run_tasks j"
    " JOIN tasks k ON k.id = j.task_id JOIN runs r ON r.id = j.run_id WHERE j.run_id = ? ORDER BY k.id"
)


class Queried(Protocol):
    """A project file that answers queries with rows as they are in it, JSON as text."""

    path: Path

    def query(self, sql: str, args: tuple[object, ...] = ()) -> list[dict[str, Any]]: ...


class _Told(msgspec.Struct):
    """What is computed with of a run's row, which in a file of unknown origin may be of any type."""

    strategy: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    budget_trials: int | None
    budget_s: float | None
    settings: str
    elapsed_s: float


def newest_run(file: Queried) -> int | None:
    """The newest run that was tuned here; only where there is none, the newest that holds imported records.

    One that has not come to tuning yet, or failed before, holds nothing that could be used: it is the last choice.
    """
    found = file.query(_NEWEST)
    return int(found[0]["id"]) if found else None


def run_row(file: Queried, run_id: int) -> dict[str, Any]:
    """Raises UserError where the project has no such run, or its row makes no sense."""
    found = file.query("SELECT * FROM runs WHERE id = ?", (run_id,))
    if not found:
        raise UserError(f"{file.path.name} holds no run {run_id}.", "`pruner status` lists its runs.")
    with making_sense(file.path):
        msgspec.convert(found[0], _Told)
    return found[0]


def task_rows(file: Queried, run_id: int) -> list[dict[str, Any]]:
    """Rows of table `tasks` that belong to a run, with its steering; `untuned_s` and `weight` are the run's."""
    return file.query(_TASKS, (run_id,))


def target_row(file: Queried, target_id: int) -> dict[str, Any]:
    """The row of table `targets` with this id, which a run's row has."""
    return file.query("SELECT * FROM targets WHERE id = ?", (target_id,))[0]
