"""The base of all pages: layout, and refreshing in steps that leave the window responsive."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QShowEvent, QUndoStack
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from pruner_engine.errors import UserError
from pruner_engine.jobs import lines
from pruner_studio.help import Term
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.empty_state import EmptyState
from pruner_studio.widgets.explained import terms_on
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.workspace import Workspace

_MERGE_S = 0.2  # changes that come closer than this are shown together
_REST = 9  # times as long as a refresh took, a page leaves the core to others


class Finder(Protocol):
    """A field whose words are searched in what is shown, or filter it."""

    def begin(self) -> None:
        """Let the user type."""


@runtime_checkable
class Places(Finder, Protocol):
    """Finds one place after another."""

    def go_on(self, *, back: bool = False) -> None:
        """Go to the next, or the one before."""


class _Least(QVBoxLayout):
    """The outer layout of a page, which may shrink to the least height that its parts need at their width.

    Of a layout whose lines wrap, a scroll area asks the height that it likes to have, and scrolls where it has less.
    """

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSize(self) -> QSize:
        least, page, column = super().minimumSize(), self.parentWidget(), self.itemAt(0)
        frame = page.parentWidget() if page is not None else None
        if frame is None or column is None:
            return least
        width = max(least.width(), frame.width())
        return QSize(least.width(), max(least.height(), column.minimumHeightForWidth(width)))


class _Stack(QStackedWidget):
    """Shows one of its parts, and asks for as much height as that one needs at its width."""

    def hasHeightForWidth(self) -> bool:
        return False  # Qt would take the height that the highest part likes to have

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        if shown is None:
            return super().minimumSizeHint()
        least, layout = shown.minimumSizeHint().expandedTo(shown.minimumSize()), shown.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        return QSize(least.width(), max(least.height(), layout.totalMinimumHeightForWidth(self.width())))


class Page(QWidget):
    """A page. While it is visible, it refreshes itself at every choice of the user and, less often, at news of the run.

    Signals:
        refreshed: it shows what the project file holds now.
        go_to: another page, by its key, is to be shown.
        line_changed: the user has changed what `command_line` returns.
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
        self._stale = True
        self._rested = 0.0  # when the next refresh may come
        self._hurried = False  # the user waits for it
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._refresh_if_shown)
        self._steps: Iterator[None] = iter(())
        self._steps_of: tuple[object, int | None] = (None, None)
        self._spent = 0.0  # seconds of the steps so far
        self._next_step = QTimer(self, singleShot=True, interval=0)
        self._next_step.timeout.connect(self._go_on)
        whole = _Least(self)
        whole.setContentsMargins(0, 0, 0, 0)
        self.column = QVBoxLayout()
        whole.addLayout(self.column)
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
        for news in (self.workspace.changed, self.workspace.job_changed):
            news.connect(self.touch)
        for choice in (self.workspace.opened, self.workspace.selected):
            choice.connect(self.hurry)
        return False

    def steps(self) -> Iterable[None]:
        """Show what the project file holds now, with yields where the window may answer in between."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Take all steps at once, as after a click."""
        self._next_step.stop()
        self._begin()
        while self._step():
            pass
        self._finish()

    def nothing(self, icon: str, title: str, text: str) -> EmptyState:
        """An empty state for the page, with a button that leads to Start."""
        return EmptyState(icon, title, text, button(tr("Go to Start"), lambda: self.go_to.emit("start"), "primary"))

    def add_stack(self, empty: EmptyState, whole: QWidget) -> QStackedWidget:
        """Add a stack of the empty state (index 0) and what the page shows once there is something (index 1)."""
        stack = _Stack()
        self.column.addWidget(stack, 1)
        stack.addWidget(empty)
        stack.addWidget(whole)
        self._stack = stack
        return stack

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

    def touch(self) -> None:
        """Refresh soon, since the project file has changed; changes that follow closely are shown together."""
        self._stale = True
        if not self._timer.isActive() and not self._next_step.isActive():
            self._timer.start(round(max(0.0, self._rested - time.monotonic()) * 1e3))

    def hurry(self) -> None:
        """Refresh at once, or right after a refresh under way, since the user chose something else."""
        self._hurried, self._rested = True, 0.0
        self._timer.stop()
        self.touch()

    @property
    def rests(self) -> bool:
        """Whether no refresh is due or under way."""
        return not (self._stale or self._timer.isActive() or self._next_step.isActive())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_if_shown()

    def _refresh_if_shown(self) -> None:
        if self._stale and self.isVisible():
            self._begin()
            self._go_on()

    def _begin(self) -> None:
        self._stale, self._hurried, self._spent = False, False, 0.0
        self._steps_of = (self.workspace.reader, self.workspace.run_id)
        self._steps = self._every_step()

    def _every_step(self) -> Iterator[None]:
        """The steps of any page, one without yields too: nothing is read before the first is taken."""
        yield from self.steps()

    def _go_on(self) -> None:
        """The next step of a refresh; the first again where another project or run is open by now."""
        if self._steps_of != (self.workspace.reader, self.workspace.run_id):
            self.touch()
        elif self._step():
            self._next_step.start()
        else:
            self._finish()

    def _step(self) -> bool:
        """Take a step; False where there was none left."""
        begin = time.monotonic()
        try:
            return next(self._steps, self) is None
        except UserError as error:  # the file was damaged or taken away while it is shown
            self.workspace.problem.emit(Problem(error.message, error.hint))
            return False
        finally:
            self._spent += time.monotonic() - begin

    def _finish(self) -> None:
        self._rested = 0.0 if self._hurried else time.monotonic() + max(_MERGE_S, _REST * self._spent)
        self.refreshed.emit()
        if self._stale:
            self.touch()
