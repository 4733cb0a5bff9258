"""Queries that a single job or page needs, as functions of an open reader."""

from __future__ import annotations

from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.store.run_states import NEWEST_FIRST

_FINISHED = (
    "FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
    " WHERE x.task_id = ? AND x.stage = 'ok' AND x.censored = 0"
)


def targets(reader: ProjectReader) -> list[Row]:
    """The targets of a project, oldest first: device, fingerprint, profile and text."""
    return reader.rows("SELECT device, fingerprint, profile, text FROM targets ORDER BY id")


def model_file(reader: ProjectReader, model_id: int) -> object:
    """The project's copy of a model's file; None where it holds none. A damaged project may hold any type."""
    row = reader.one("SELECT content FROM models WHERE id = ?", (model_id,))
    return None if row is None else row["content"]


def model_checkpoint(reader: ProjectReader, run_id: int) -> Row | None:
    """The last checkpoint of a run's cost model: kind and data, and how many measurements the run taught it.

    None without one; `samples` is None of a model that learned nothing in the run.
    """
    return reader.one(
        "SELECT kind, data, (SELECT json_extract(stats, '$.samples') FROM rounds r WHERE r.run_id = c.run_id"
        " AND json_type(stats, '$.samples') = 'integer' ORDER BY id DESC LIMIT 1) AS samples"
        " FROM checkpoints c WHERE run_id = ? AND role = 'model'",
        (run_id,),
    )


def last_export(reader: ProjectReader, model_id: int) -> Row | None:
    """The newest export of a model, whichever of its runs it is of; None without one."""
    return reader.one(
        "SELECT e.* FROM exports e JOIN runs r ON r.id = e.run_id WHERE r.model_id = ? ORDER BY e.id DESC LIMIT 1",
        (model_id,),
    )


# ------------------------------------------------------------ tasks and their measurements


def whole_task(reader: ProjectReader, task_id: int) -> Row | None:
    """The full row of a task, its module included, with its `target` and its device's `profile`."""
    return reader.one(
        "SELECT k.*, t.text AS target, t.profile FROM tasks k JOIN targets t ON t.id = k.target_id WHERE k.id = ?",
        (task_id,),
    )


def task_named(reader: ProjectReader, name: str, or_id: int, run_id: int | None) -> int | None:
    """Id of the task of that name or id: the run's, else the newest run's; runs on two devices share names."""
    row = reader.one(
        "SELECT k.id FROM tasks k LEFT JOIN run_tasks j ON j.task_id = k.id LEFT JOIN runs r ON r.id = j.run_id"
        f" WHERE k.name = ? OR k.id = ? ORDER BY r.id = ? DESC, {NEWEST_FIRST} LIMIT 1",
        (name, or_id, run_id),
    )
    return None if row is None else int(row["id"])


def same_task(reader: ProjectReader, task_id: int, other: ProjectReader) -> int:
    """Id that another project has for a task: the same kernel for the same target; -1 where it has none."""
    row = whole_task(reader, task_id)
    found = row and other.one(
        "SELECT k.id FROM tasks k JOIN targets t ON t.id = k.target_id WHERE k.hash = ? AND t.text = ?",
        (row["hash"], row["target"]),
    )
    return int(found["id"]) if found else -1


def times_version(reader: ProjectReader, task_id: int) -> tuple[int, int]:
    """Changes with `timed_decisions`: how many these are, and how often times of the project were told anew."""
    return int(reader.rows(f"SELECT count(*) AS n {_FINISHED}", (task_id,))[0]["n"]), reader.told_anew()


def timed_decisions(reader: ProjectReader, task_id: int) -> list[Row]:
    """Sketch, decisions and seconds a call of a task's measurements, of all runs, but for failed and abandoned ones."""
    return reader.rows(f"SELECT c.sketch_id, c.decisions, x.seconds {_FINISHED}", (task_id,))


def fastest(reader: ProjectReader, task_id: int) -> int | None:
    """Id of the fastest candidate of a task in any run; None before one was measured."""
    row = reader.one(f"SELECT x.candidate_id AS id {_FINISHED} ORDER BY x.seconds LIMIT 1", (task_id,))
    return None if row is None else int(row["id"])


def measurement(reader: ProjectReader, measurement_id: int) -> Row | None:
    """Ids of the task and of the candidate of a measurement; None where there is no such measurement."""
    return reader.one("SELECT task_id, candidate_id FROM measurements WHERE id = ?", (measurement_id,))
