"""The end of a log, folded behind a link."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pruner_studio import clipboard
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, folded_text

_HEIGHT = 150  # px, as the report of a problem


class LogFold(QWidget):
    """Folded until asked for, to read and to copy; not there without a log."""

    def __init__(self, log: str = "") -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        row = QHBoxLayout()
        row.addWidget(button(tr("Log"), lambda: self.unfold(self.view.isHidden()), "link"))
        row.addWidget(button(tr("Copy log"), lambda: clipboard.copy(self.log), "link"))
        row.addStretch(1)
        column.addLayout(row)
        self.view = folded_text(tr("Log"), _HEIGHT)
        column.addWidget(self.view, 0, Qt.AlignmentFlag.AlignTop)
        self.show_log(log)

    @property
    def log(self) -> str:
        return self.view.toPlainText()

    @property
    def unfolded(self) -> bool:
        return not self.view.isHidden()

    def show_log(self, log: str) -> None:
        """Take another log; one that is open stays open."""
        if log.strip() != self.log:
            self.view.setPlainText(log.strip())
        self.setVisible(bool(self.log))

    def unfold(self, unfolded: bool = True) -> None:
        self.view.setVisible(unfolded)
