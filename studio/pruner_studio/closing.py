"""What is asked before a window closes whose job works: it may go on without."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from pruner_studio.translation import tr
from pruner_studio.widgets import question

# By what the job does: what is asked before the window closes, what comes of each answer, and the name of going on
_SAID = {
    "tune": (
        tr("A model is being tuned. Keep tuning without the window?"),
        tr("Open the project again to watch and steer it. Stopped, it can be resumed where it was left."),
        tr("Keep tuning"),
    ),
    "export": (
        tr("A model is being exported. Keep exporting without the window?"),
        tr("The folder is written without the window too, and noted in the project. Stopped, export it again."),
        tr("Keep exporting"),
    ),
}


def ask(window: QWidget, task: str, close: Callable[[bool], object]) -> None:
    """Ask what becomes of a job; `close` is told whether to keep it, unless the window is to stay open.

    Args:
        task: what the job does: tune or export.
    """
    asked, outcome, going_on = _SAID[task]
    keep = question.Answer(going_on, QMessageBox.ButtonRole.AcceptRole, lambda: close(True))
    stop = question.Answer(tr("Stop and close"), QMessageBox.ButtonRole.DestructiveRole, lambda: close(False))
    question.ask(window, asked, outcome, [keep, stop], keep)
