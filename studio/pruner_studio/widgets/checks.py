"""The pre-flight table: a row a check, with what to do where it fails."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from pruner_engine.protocol import Check
from pruner_studio.said import said
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import clear, label


class CheckList(QWidget):
    """A list of checks, each with how it ended."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Pre-flight checks"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(2, 1)
        self._checks: Sequence[Check] = ()
        theme.changed.connect(self._fill)

    def show_checks(self, checks: Sequence[Check]) -> None:
        self._checks = checks
        self._fill()

    def _fill(self) -> None:
        clear(self._grid)
        row = 0
        for check in self._checks:
            icon, tone = ("check", "good") if check.ok else ("warning", "bad" if check.needed else "warn")
            picture = QLabel()
            picture.setPixmap(theme.pixmap(icon, tone, 15))
            picture.setAccessibleName(tr("passed") if check.ok else tr("failed"))
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(picture, row, 0, top)
            self._grid.addWidget(label(said(check.name)), row, 1, top)
            self._grid.addWidget(label(said(check.value), "muted", wrap=True, selectable=True), row, 2, top)
            row += 1
            if check.hint and not check.ok:
                self._grid.addWidget(label(said(check.hint), "faint", wrap=True, selectable=True), row, 1, 1, 2)
                row += 1
