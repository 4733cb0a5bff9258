"""The dialog that asks how many further trials a run is to make whose budget is spent."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from pruner_engine import protocol as msg
from pruner_engine.jobs import lines
from pruner_studio import clipboard
from pruner_studio.keyboard import press_button
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, icon_button, label, number

_FURTHER = 100  # trials that are offered at first
_MOST = 10_000_000


class GoOn(QFrame):
    """Pops up below a button. Signals: chosen: the Resume to start."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("Go on with this run"))
        self._of = ("", 0, 0)  # project, run, trials that it has made
        self._plugins: list[str] = []
        self.further = number(tr("Further trials"), 1, _MOST, _FURTHER)
        self.further.lineEdit().returnPressed.connect(self._go)
        self.copy = icon_button("copy", tr("Copy as command"), lambda: clipboard.copy(lines.line_of(self.command())))
        self.go = button(tr("Go on"), self._go, "primary", "play")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 12, 14, 12)
        row.setSpacing(8)
        for part in (label(tr("Further trials"), "muted"), self.further, self.copy, self.go):
            row.addWidget(part)

    def ask(self, project: str, run: dict[str, Any], plugins: list[str], below: QWidget) -> None:
        """Ask for a run, under the right end of a widget; `plugins` are the files whose code may be run."""
        self._of, self._plugins = (project, run["id"], run["trials"]), plugins
        self.adjustSize()
        self.move(below.mapToGlobal(QPoint(below.width() - self.width(), below.height() + 4)))
        self.show()
        self.further.setFocus()
        self.further.selectAll()

    def command(self) -> msg.Resume:
        """A budget counts the trials that were made."""
        project, run_id, made = self._of
        further = made + self.further.value()
        return msg.Resume(project=project, run_id=run_id, trials=further, plugins=self._plugins)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_button(event, self):
            super().keyPressEvent(event)

    def _go(self) -> None:
        self.hide()
        self.chosen.emit(self.command())
