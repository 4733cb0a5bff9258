"""What is asked before a window closes whose job works: it may go on without."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from pruner_studio.translation import tr

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
    box = QMessageBox(window)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Question)
    question, outcome, going_on = _SAID[task]
    box.setText(question)
    box.setInformativeText(outcome)
    keep = box.addButton(going_on, QMessageBox.ButtonRole.AcceptRole)
    stop = box.addButton(tr("Stop and close"), QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)

    def answered(chosen: QAbstractButton) -> None:
        if chosen in (keep, stop):
            close(chosen is keep)

    box.buttonClicked.connect(answered)
    box.open()
