"""A question with a few answers, asked in a box beside which the window goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from pruner_studio.translation import tr


class Answer(NamedTuple):
    """An answer: its button, and what it does."""

    text: str
    role: QMessageBox.ButtonRole
    act: Callable[[], object]


def ask(
    parent: QWidget,
    question: str,
    outcome: str,
    answers: Sequence[Answer],
    preferred: Answer | None,
    cancelled: Callable[[], object] = lambda: None,
) -> None:
    """Ask, and do what the answer says.

    Args:
        outcome: what follows from the answers.
        preferred: the answer that Enter gives; None: Cancel, which stands behind them.
        cancelled: what that does.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Question)
    box.setText(question)
    box.setInformativeText(outcome)
    buttons = [box.addButton(answer.text, answer.role) for answer in answers]
    cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel if preferred is None else buttons[answers.index(preferred)])

    def answered() -> None:
        """Do what the answer says; a box that was closed by its frame has none, which is as good as Cancel."""
        for button, answer in zip(buttons, answers, strict=True):
            if box.clickedButton() is button:
                answer.act()
                return
        cancelled()

    box.finished.connect(answered)
    box.open()
