"""The base of all pages: a title, what stands below it, and what the window asks of any page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent, QUndoStack
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from pruner_engine.jobs import lines
from pruner_studio.help import Term
from pruner_studio.pages.finder import Finder
from pruner_studio.pages.least_height import LeastColumn, LeastStack
from pruner_studio.pages.refreshing import Refreshing
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.empty_state import EmptyState
from pruner_studio.widgets.explained import terms_on
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.rooms import Columns
from pruner_studio.workspace import Workspace

_LEAST_WORDS = 200  # pixels of what a page is about; what stands beside it goes below where there are fewer


class Page(QWidget):
    """A page. While it is visible, it refreshes itself at every choice of the user and, less often, at news of the run.

    Signals:
        refreshed: it shows what the project file holds now.
        go_to: another page, by its key, is to be shown.
        line_changed: what `command_line` returns may be another one now.
    """

    refreshed = Signal()
    go_to = Signal(str)
    line_changed = Signal()

    title = ""
    subtitle = ""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.setObjectName("pageBody")
        self._stack: QStackedWidget | None = None
        self.refreshing = Refreshing(self, workspace, self.steps)
        self.refreshing.done.connect(self.refreshed)
        whole = LeastColumn(self)
        whole.setContentsMargins(0, 0, 0, 0)
        self.column = QVBoxLayout()
        whole.addLayout(self.column)
        self.column.setContentsMargins(24, 20, 24, 20)
        self.column.setSpacing(14)
        head = Columns(0)
        self.header = head.row
        self.header.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        self.title_label = label(self.title, "title")
        self.subtitle_label = label(self.subtitle, "subtitle", wrap=True)
        words.addWidget(self.title_label)
        self.subtitle_label.setMinimumWidth(theme.pixels(_LEAST_WORDS))
        words.addWidget(self.subtitle_label)
        self.header.addLayout(words, 1)
        self.column.addWidget(head)
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
        for news in (self.workspace.changed, self.workspace.job_changed):
            news.connect(self.refreshing.touch)
        for choice in (self.workspace.opened, self.workspace.selected):
            choice.connect(self.refreshing.hurry)
        for field in self.findChildren(QLineEdit):
            field.setAcceptDrops(False)  # it would take the name of a file that is dropped on the window
        return False

    def steps(self) -> Iterable[None]:
        """Show what the project file holds now, with yields where the window may answer in between."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Take all steps at once, as after a click."""
        self.refreshing.at_once()

    def draw_over(self, axis: str) -> None:
        """Draw the curves of runs over another axis, here at once and wherever else they are drawn."""
        self.workspace.draw_over(axis)
        self.refresh()

    def without_run(self) -> str:
        """What to do where there is no run: an engine that ended while it read the model leaves a project without."""
        if self.workspace.path:
            return tr("This project holds no run yet: tune a model on the Start page, or open another project.")
        return tr("Tune a model on the Start page, or open a project.")

    def nothing(self, icon: str, title: str, text: str) -> EmptyState:
        """An empty state for the page, with a button that leads to Start."""
        go = button(tr("Go to Start"), lambda: self.go_to.emit("start"), "primary")
        self.empty, self._awaited = EmptyState(icon, title, text, go), (title, text)
        return self.empty

    def tell_nothing(self) -> None:
        """Say on the empty page what it waits for, or how to go on with a run that ended before that."""
        run = self.workspace.run()
        if run is not None and self.workspace.state_shown(run) in ("stopped", "interrupted", "failed"):
            told = tr("This run ended before its first round. Resume, in the bar on top, goes on with it.")
            self.empty.tell(self._awaited[0], told, act=False)
        else:
            self.empty.tell(*self._awaited)

    def add_stack(self, empty: EmptyState, whole: QWidget) -> QStackedWidget:
        """Add a stack of the empty state (index 0) and what the page shows once there is something (index 1)."""
        stack = LeastStack()
        self.column.addWidget(stack, 1)
        stack.addWidget(empty)
        stack.addWidget(whole)
        self._stack = stack
        return stack

    def add_column(self, empty: EmptyState) -> tuple[QStackedWidget, QVBoxLayout]:
        """Add such a stack, and tell where what the page shows goes: its parts stand one below another."""
        whole = QWidget()
        stack = self.add_stack(empty, whole)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        return stack, column

    def add_scrolled(self, inside: QWidget) -> None:
        """Add what is scrolled where the window is low."""
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(self.title)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        inside.setObjectName("pageBody")
        scroll.setWidget(inside)
        self.column.addWidget(scroll, 1)

    def command_line(self) -> str:
        """The terminal command that prints the same, or does what a form would do; empty where nothing is shown."""
        return lines.status_line(self.workspace.path) if self.workspace.path else ""

    def terms(self) -> list[Term]:
        """The terms that explain the figures shown now."""
        return terms_on(self)

    def notes(self) -> Iterable[str]:
        """Notes for the status bar where the page draws less than there is."""
        return self.left_out() if self._stack is not None and self._stack.currentIndex() else ()

    def left_out(self) -> Iterable[str]:
        """The notes of a page that is not empty; overridden by pages that thin out what they draw."""
        return ()

    def edits(self) -> Sequence[QUndoStack]:
        """Stacks of the edits that are shown now, for undo and redo."""
        return ()

    def finder(self) -> Finder | None:
        """The field that Ctrl+F leads to; None where there is nothing to find."""
        there = [
            made for made in self.findChildren(NarrowedBy) if (around := made.parentWidget()) and around.isVisible()
        ]
        return there[0] if there else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refreshing.begin_if_shown()
