"""Files that are dropped on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent

from pruner_engine.model_names import kind_of_file
from pruner_studio.literal import one_line
from pruner_studio.models.projects import is_project
from pruner_studio.problem import Problem
from pruner_studio.translation import tr


def files_in(data: QMimeData) -> list[str]:
    """Paths of what is dragged; a link into the web is no file."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def take_as_copy(event: QDropEvent) -> None:
    """Accept what is dragged, but not to be moved: whoever offers that may remove the files once they are taken."""
    for action in (Qt.DropAction.CopyAction, Qt.DropAction.LinkAction):
        if event.possibleActions() & action:
            event.setDropAction(action)
            event.accept()
            return


def one_of(files: Sequence[str], tell: Callable[[Problem], object]) -> str:
    """The file to take: a project or a model rather than what lies beside it; says so where there are several."""
    taken = next((file for file in files if is_project(file) or kind_of_file(file)), files[0])
    if len(files) > 1:
        name = one_line(Path(taken).name)
        told = tr("Of {count} dropped files {name} was taken.").format(count=len(files), name=name)
        tell(Problem(told, tr("Drop one model or project at a time."), level="warning"))
    return taken
