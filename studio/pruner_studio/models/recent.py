"""Projects opened lately, with what their best run reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings

from pruner_engine.errors import UserError, of_surroundings
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.run_states import IMPORTED
from pruner_studio.models.paths import is_file
from pruner_studio.said import all_said

_KEPT = 12


def recent() -> list[str]:
    """Project files opened lately, newest first; those on a disk that is not mounted now are not forgotten."""
    stored: Any = QSettings().value("recent", [])
    return [stored] if isinstance(stored, str) else list(stored or [])


def there(paths: list[str]) -> list[str]:
    """Those that are there now. Meant for a thread: a share that does not answer takes its time to say so."""
    return [path for path in paths if is_file(path)]


def names(paths: list[str]) -> dict[str, str]:
    """What each is called: by its file, and those of one name by as many folders as tell them apart."""
    parts = {path: Path(path).with_suffix("").parts for path in paths}

    def called(path: str) -> str:
        own = parts[path]
        for many in range(1, len(own)):
            if not any(other != path and parts[other][-many:] == own[-many:] for other in paths):
                return str(Path(*own[-many:]))
        return str(Path(*own))

    return {path: called(path) for path in paths}


def remember(path: str) -> None:
    """Put one first. What is there already is not written: that takes as long as the disk does."""
    known = recent()
    if known[:1] != [path]:
        QSettings().setValue("recent", [path, *(other for other in known if other != path)][:_KEPT])


def forget(path: str) -> None:
    """Take one off the list; the file stays."""
    QSettings().setValue("recent", [known for known in recent() if known != path])


def forget_all() -> None:
    """Clear the list; the files stay."""
    QSettings().remove("recent")


def summaries(paths: list[str]) -> list[dict[str, Any]]:
    """One row a project: path, when it was written, runs, and of its fastest run latency, gain, model and device.

    That is a run that was tuned here, unless there are only imported ones.
    `interrupted` is the id of a run whose engine is dead, `alive` of one at work, `paused` of one that an engine holds.
    Meant for a thread: large projects take a moment.
    """
    return [_summary(path) for path in paths]


def _summary(path: str) -> dict[str, Any]:
    row: dict[str, Any] = {"path": path, "name": Path(path).stem, "problem": "", "latency_s": None, "gain": None}
    row |= {"runs": 0, "interrupted": None, "alive": None, "paused": None, "model": "", "device": ""}
    try:
        row["at"] = Path(path).stat().st_mtime
        with ProjectReader(path) as reader:
            runs = reader.runs()
    except (UserError, OSError) as error:
        told = of_surroundings(error) or UserError(str(error))
        return row | {"at": row.get("at", 0.0), "problem": all_said(told.message, told.hint)}
    row["runs"] = len(runs)
    for state in ("alive", "interrupted"):
        row[state] = next((run["id"] for run in reversed(runs) if run[state]), None)
    row["paused"] = next((run["id"] for run in runs if run["id"] == row["alive"] and run["state"] == "paused"), None)
    done = [run for run in runs if run["latency_s"] is not None]
    if done:
        best = min(done, key=lambda run: (run["strategy"] == IMPORTED, run["latency_s"]))
        row |= {key: best[key] for key in ("latency_s", "gain", "model", "device")}
    return row
