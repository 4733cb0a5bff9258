"""Where projects are kept, and the one that ships."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from PySide6.QtCore import QSettings

from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.store.file.identity import identity
from pruner_engine.store.file.lock import is_being_written
from pruner_engine.store.file.put_in_place import put_in_place
from pruner_engine.store.reader import ProjectReader
from pruner_studio.models.paths import is_file
from pruner_studio.reasons import reason_of
from pruner_studio.translation import tr

DEMO = "samples/small-cnn.pruner"
SUFFIX = ".pruner"


def is_project(path: str) -> bool:
    """Whether there is a file that calls itself a project; whether it is one shows when it is opened."""
    return Path(path).suffix == SUFFIX and is_file(path)


def expanded(text: str) -> str:
    """A path that was typed, "~" replaced: neither an engine nor a quoted word of a shell would do that."""
    with suppress(RuntimeError):  # of a user whom nobody knows
        return str(Path(text.strip()).expanduser()) if text.strip() else ""
    return text.strip()


def project_path(text: str) -> str:
    """The project file that a name stands for; one without the suffix would be taken for a model when it is opened."""
    path, named = expanded(text), text.strip()
    return path if not named or named.endswith((SUFFIX, os.sep)) else f"{path}{SUFFIX}"


def usual_folder() -> Path:
    """Where projects are kept as long as nobody chooses another place."""
    return Path.home() / "pruner-projects"


def project_folder() -> Path:
    """Folder that new projects are offered to be kept in."""
    return Path(str(QSettings().value("projects", usual_folder())))


def choose_project_folder(text: str) -> None:
    """Keep new projects in a folder that was typed or chosen; the usual one for none."""
    if folder := expanded(text):
        QSettings().setValue("projects", folder)
    else:
        QSettings().remove("projects")


def inside(folder: str, name: str) -> str:
    """A folder of that name in a chosen one: a dialog offers what is there. An empty one is taken as it is."""
    chosen = Path(folder)
    with suppress(OSError):
        if chosen.name == name or not any(chosen.iterdir()):
            return folder
    return str(chosen / name)


def copy_of_demo() -> Path:
    """The tuned sample, copied where it is not yet: what ships stays as it is.

    Raises:
        UserError: the project folder cannot be written.
    """
    source = resource_dir() / DEMO
    copy = project_folder() / f"demo-{source.name}"
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            with put_in_place(copy) as half:
                shutil.copyfile(source, half)
    except OSError as error:
        told = tr("The demonstration could not be copied to {place}: {why}.")
        raise UserError(
            told.format(place=copy, why=reason_of(error)),
            tr("Make room there, or choose another folder under Edit › Preferences."),
        ) from error
    return copy


def copy_project(reader: ProjectReader, place: str) -> None:
    """Copy a project file as it is now, also while a run goes on: what is not in the file itself yet comes along.

    Args:
        reader: has it open, so that also a file that was removed since is copied.

    Raises:
        UserError: the copy cannot be written, or an engine writes what has its name.
    """
    source, there = reader.path.absolute(), identity(reader.path)
    if there is not None and identity(place) == there:
        raise UserError(tr("{path} is the open project itself.").format(path=place), tr("Choose another name."))
    if is_being_written(Path(place)):
        raise UserError(tr("An engine is writing {path} now.").format(path=place), tr("Choose another name."))
    try:
        with put_in_place(place) as half, ExitStack() as opened:
            read = reader.connection
            if there is not None:  # by a connection of its own, which keeps nobody waiting
                read = sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True, timeout=10)
                opened.enter_context(closing(read))
            read.backup(opened.enter_context(closing(sqlite3.connect(half))))
    except (OSError, sqlite3.Error) as error:
        told = tr("{path} could not be written: {why}.").format(path=place, why=reason_of(error))
        raise UserError(told, tr("Choose another folder, or make room there.")) from error
