"""The model of a run, from the project's own copy where its file is gone."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from pruner_engine.errors import UserError
from pruner_engine.store.queries.lookups import model_file
from pruner_engine.store.reader import ProjectReader
from pruner_studio.models.paths import is_file
from pruner_studio.reasons import reason_of
from pruner_studio.translation import tr


def model_of(run: dict[str, Any], project: str) -> str:
    """The path that a run's model was read from; where nothing is there, that of the project's copy in the cache.

    Meant for a thread: such a copy may be large.

    Raises:
        UserError: the project holds no copy either, or it cannot be written.
    """
    source: str = run["source"]
    # A path from somebody's working folder may be another file in ours
    if run["model_kind"] == "workload" or (Path(source).is_absolute() and is_file(source)):
        return source
    with ProjectReader(project) as reader:  # of its own, which keeps nobody waiting
        content = model_file(reader, run["model_id"])
    if not isinstance(content, bytes):
        raise UserError(
            tr("The model {path} is not there any more, and the project holds no copy of it.").format(path=source),
            tr("Put the file back, or choose the model on the Start page and tune it into the same project."),
        )
    cache = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericCacheLocation)
    copy = Path(cache) / "pruner-studio" / "models" / hashlib.sha256(content).hexdigest()[:16] / Path(source).name
    try:
        if not is_file(copy) or copy.stat().st_size != len(content):
            _write(copy, content)
    except (OSError, ValueError) as error:  # ValueError: no name that a file may have
        told = tr("The project's copy of the model could not be written to {place}: {why}.")
        raise UserError(told.format(place=copy, why=reason_of(error)), tr("Make room there.")) from error
    return str(copy)


def _write(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as half:
        try:
            half.write(content)
            half.flush()
            Path(half.name).replace(path)
        except (OSError, ValueError):
            with suppress(OSError):
                Path(half.name).unlink()
            raise
