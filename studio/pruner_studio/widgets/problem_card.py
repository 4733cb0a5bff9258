"""The card of one problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QVBoxLayout

from pruner_studio import clipboard
from pruner_studio.models.words import LEVELS
from pruner_studio.problem import Problem
from pruner_studio.said import said
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, folded_text, icon_button, label

_NARROW = 640  # pixels below which texts have the card's width
_MARGIN, _FOLDED_MARGIN = 10, 4  # pixels above and below
_REPORT = 150  # pixels of its height


class ProblemCard(QFrame):
    """One problem: sentence, what to do, and for a bug the report to copy.

    In a low window it is folded to one line, until it is clicked on or "More" is pressed.
    """

    dismissed = Signal()

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem
        self._low = self._opened = False
        self.setProperty("role", "problem")
        self.setProperty("level", problem.level)
        self.setAccessibleName(f"{LEVELS.get(problem.level, problem.level)}: {said(problem.message)}")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, _MARGIN, 10, _MARGIN)
        row.setSpacing(12)
        self._picture = QLabel()
        theme.changed.connect(self._paint)
        self._paint()
        row.addWidget(self._picture)
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(8)
        row.addLayout(self._body, 1)
        self._body.addLayout(self._texts(), 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(12)
        self._body.addLayout(buttons)
        for name, do in problem.actions:
            buttons.addWidget(button(name, partial(self._act, do)))
        self._links = [
            button(tr("Details"), lambda: self._report.setVisible(self._report.isHidden()), "link"),
            button(tr("Copy report"), self._copy, "link"),
        ]
        self.more = button("", self._turn, "link")
        for made in (*self._links, self.more):
            buttons.addWidget(made)
        buttons.addStretch(1)
        self.cross = icon_button("cross", tr("Dismiss"), self.dismissed.emit)
        row.addWidget(self.cross)
        self._place()

    def _texts(self) -> QVBoxLayout:
        """What is shown of a card that is open, and the line of a folded one."""
        problem, texts = self.problem, QVBoxLayout()
        texts.setSpacing(3)
        told = [said(text) for text in (problem.message, problem.hint) if text]
        self._whole = [label(told[0], "heading", wrap=True, selectable=True)]
        self._whole += [label(hint, "muted", wrap=True, selectable=True) for hint in told[1:]]
        self.line = label(" ".join(told), "heading", cut=True)
        self._report = folded_text(tr("Report"), _REPORT)
        self._report.setPlainText(problem.report)
        for part in (*self._whole, self.line, self._report):
            texts.addWidget(part)
        return texts

    @property
    def folded(self) -> bool:
        """It tells in one line what there is."""
        return self._low and not self._opened

    def fold(self, low: bool) -> None:
        """Take one line, in a window that is too low for more; one that the user has opened stays open."""
        if low != self._low:
            self._low, self._opened = low, False
            self._place()

    def _turn(self) -> None:
        self._opened = not self._opened
        self._place()

    def _place(self) -> None:
        folded = self.folded
        for part in self._whole:
            part.setVisible(not folded)
        self.line.setVisible(folded)
        for made in self._links:
            made.setVisible(bool(self.problem.report) and not folded)
        if folded:
            self._report.hide()
        self.more.setText(tr("More") if folded else tr("Less"))
        self.more.setAccessibleName(self.more.text())
        self._adapt()
        margins, layout = _FOLDED_MARGIN if folded else _MARGIN, self.layout()
        assert layout is not None
        layout.setContentsMargins(14, margins, 10, margins)
        for beside in (self._picture, self.cross):
            layout.setAlignment(beside, Qt.AlignmentFlag.AlignVCenter if folded else Qt.AlignmentFlag.AlignTop)

    def _adapt(self) -> None:
        """In a narrow card the buttons stand below the texts. What the line tells whole there is no more of."""
        below = not self.folded and self.width() < theme.pixels(_NARROW)
        self._body.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)
        cut = self.line.fontMetrics().horizontalAdvance(self.line.text()) > self.line.width()
        self.more.setVisible(self._low and (self._opened or cut or bool(self.problem.report)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._adapt()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click anywhere on a folded one opens it."""
        if self.folded and not self.more.isHidden():
            self._turn()
        else:
            super().mousePressEvent(event)

    def _paint(self) -> None:
        tone = {"error": "bad", "warning": "warn"}.get(self.problem.level, "info")
        self._picture.setPixmap(theme.pixmap("info" if tone == "info" else "warning", tone, 20))

    def _act(self, do: Callable[[], object]) -> None:
        self.dismissed.emit()
        do()

    def copied(self) -> str:
        """All of it, for whoever is at one of its buttons."""
        return "\n\n".join(filter(None, (self.problem.message, self.problem.hint, self.problem.report)))

    def _copy(self) -> None:
        clipboard.copy(self.copied())
