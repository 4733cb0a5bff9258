"""Files and folders shown by the program that the desktop has for them."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from pruner_studio.models.paths import exists
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.workspace import Workspace


def show_outside(path: str, workspace: Workspace) -> None:
    """Show a file or folder outside the window; tells a Problem where that fails."""
    if not exists(path):
        message = tr("{path} is not there any more.").format(path=path)
        workspace.problem.emit(Problem(message, tr("It was moved or removed: write it once more."), level="warning"))
    elif not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
        message = tr("{path} could not be opened: this desktop names no program for it.").format(path=path)
        workspace.problem.emit(Problem(message, tr("Open it in a program of your choice."), level="warning"))
