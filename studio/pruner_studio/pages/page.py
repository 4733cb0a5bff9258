"""What all pages have in common."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from pruner_engine.errors import UserError
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import EmptyState, button, label
from pruner_studio.workspace import Problem, Workspace

_MERGE_S = 0.2  # changes that come closer than this are shown together
_REST = 9  # times as long as a refresh took, a page leaves the core to others


class Page(QWidget):
    """A page refreshes itself when it is shown and, merged, when the project or the selection changes while shown.

    Signals:
        refreshed: it shows what the project file holds now.
        go_to: another page, by its key, is to be shown.
    """

    refreshed = Signal()
    go_to = Signal(str)

    title = ""
    subtitle = ""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.setObjectName("pageBody")
        self._stale = True
        self._rested = 0.0  # when the next refresh may come
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._refresh_if_shown)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 20, 24, 20)
        self.column.setSpacing(14)
        self.header = QHBoxLayout()
        self.header.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        self.title_label = label(self.title, "title")
        self.subtitle_label = label(self.subtitle, "subtitle", wrap=True)
        words.addWidget(self.title_label)
        words.addWidget(self.subtitle_label)
        self.header.addLayout(words, 1)
        self.column.addLayout(self.header)
        self._parts = iter(self.build())

    def build(self) -> Iterable[None]:
        """Make the widgets, once; yields between parts that take their time, so that the window can answer.

        A part goes into the page before it is filled: Qt styles everything in a widget that gets another parent anew.
        """
        raise NotImplementedError

    def build_on(self) -> bool:
        """Make the next part; False once the page is whole."""
        for _ in self._parts:
            return True
        for changed in (
            self.workspace.changed,
            self.workspace.opened,
            self.workspace.selected,
            self.workspace.job_changed,
        ):
            changed.connect(self.touch)
        return False

    def refresh(self) -> None:
        """Show what the project file holds now."""
        raise NotImplementedError

    def nothing(self, icon: str, title: str, text: str) -> EmptyState:
        """What stands here until there is something to show, with the way to where it begins."""
        return EmptyState(icon, title, text, button(tr("Go to Start"), lambda: self.go_to.emit("start"), "primary"))

    def add_stack(self, empty: EmptyState, whole: QWidget) -> QStackedWidget:
        """Room for what the page shows once there is something, and for what stands there until then."""
        stack = QStackedWidget()
        self.column.addWidget(stack, 1)
        stack.addWidget(empty)
        stack.addWidget(whole)
        return stack

    def command_line(self) -> str:
        """What does the same in a terminal; empty where the run's own line says it."""
        return ""

    def touch(self) -> None:
        """Something changed: the first change is shown at once, those that follow closely are merged."""
        self._stale = True
        if not self._timer.isActive():
            self._timer.start(round(max(0.0, self._rested - time.monotonic()) * 1e3))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_if_shown()

    def _refresh_if_shown(self) -> None:
        if self._stale and self.isVisible():
            self._stale = False
            begin = time.monotonic()
            try:
                self.refresh()
            except UserError as error:  # the file was damaged or taken away while it is shown
                self.workspace.problem.emit(Problem(error.message, error.hint))
            end = time.monotonic()
            self._rested = end + max(_MERGE_S, _REST * (end - begin))
            self.refreshed.emit()
