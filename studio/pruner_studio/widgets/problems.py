"""Cards that tell what went wrong without stopping anybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from pruner_studio import clipboard
from pruner_studio.models.words import LEVELS
from pruner_studio.problem import Problem
from pruner_studio.said import said
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, icon_button, label
from pruner_studio.widgets.tab_order import lead_to, stops_in

_HEIGHTS = (600, 900)  # pixels of the window below which one problem is shown, and two; else three


class ProblemCard(QFrame):
    """One problem: sentence, what to do, and for a bug the report to copy."""

    dismissed = Signal()

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem
        self.setProperty("role", "problem")
        self.setProperty("level", problem.level)
        self.setAccessibleName(f"{LEVELS.get(problem.level, problem.level)}: {said(problem.message)}")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        self._picture = QLabel()
        theme.changed.connect(self._paint)
        self._paint()
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        text = QVBoxLayout()
        text.setSpacing(3)
        text.addWidget(label(said(problem.message), "heading", wrap=True, selectable=True))
        if problem.hint:
            text.addWidget(label(said(problem.hint), "muted", wrap=True, selectable=True))
        self._report = QPlainTextEdit(problem.report)
        self._report.setAccessibleName(tr("Report"))
        self._report.setReadOnly(True)
        self._report.setFixedHeight(150)
        self._report.hide()
        text.addWidget(self._report)
        row.addLayout(text, 1)
        for name, do in problem.actions:
            row.addWidget(button(name, partial(self._act, do)))
        if problem.report:
            row.addWidget(button(tr("Details"), lambda: self._report.setVisible(self._report.isHidden()), "link"))
            row.addWidget(button(tr("Copy report"), self._copy, "link"))
        row.addWidget(icon_button("cross", tr("Dismiss"), self.dismissed.emit), 0, Qt.AlignmentFlag.AlignTop)

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


class ProblemStack(QWidget):
    """The latest problems, newest on top; the same one is shown once, and older ones wait until there is room."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 12, 24, 0)
        self._column.setSpacing(8)
        self._cards: list[ProblemCard] = []
        self._older: list[Problem] = []  # newest first
        self._most = 1 + len(_HEIGHTS)
        self._more = QWidget()
        row = QHBoxLayout(self._more)
        row.setContentsMargins(0, 0, 0, 0)
        self.older = label("", "muted", cut=True)
        row.addWidget(self.older)
        self._all = button(tr("Dismiss all"), self.dismiss_all, "link")
        row.addWidget(self._all)
        row.addStretch(1)
        self._column.addWidget(self._more)
        self._tell_older()
        self.hide()

    def cards(self) -> list[ProblemCard]:
        return list(self._cards)

    def problems(self) -> list[Problem]:
        """All that nobody has dismissed, newest first."""
        return [*(card.problem for card in self._cards), *self._older]

    def tell(self, problem: Problem) -> None:
        """Show a problem on top of the others; the oldest gives way and is counted."""
        self.withdraw(problem)
        self._insert(0, problem)
        self._fill()

    def fit(self, height: int) -> None:
        """Show as many as leave the page its room in a window of so many pixels."""
        self._most = 1 + sum(height >= least for least in _HEIGHTS)
        self._fill()

    def withdraw(self, problem: Problem) -> None:
        """Take a problem away that has gone by itself."""
        self._older = [older for older in self._older if older != problem]
        for card in self.cards():
            if card.problem == problem:
                self.dismiss(card)
        self._tell_older()

    def dismiss(self, card: ProblemCard) -> None:
        """Take a card away; the newest of those that gave way comes back in its place."""
        self._remove(card)
        self._fill()

    def dismiss_all(self) -> None:
        self._older.clear()
        for card in self.cards():
            self.dismiss(card)

    def _fill(self) -> None:
        """The oldest give way where there are too many, the newest of those come back where there is room."""
        for card in self._cards[: self._most - 1 : -1]:
            self._older.insert(0, card.problem)
            self._remove(card)
        while self._older and len(self._cards) < self._most:
            self._insert(len(self._cards), self._older.pop(0))
        self._tell_older()

    def _insert(self, at: int, problem: Problem) -> None:
        made = ProblemCard(problem)
        made.dismissed.connect(lambda: self.dismiss(made))
        self._cards.insert(at, made)
        self._column.insertWidget(at, made)
        below = stops_in(self._cards[at + 1])[0] if at + 1 < len(self._cards) else self._all
        lead_to(below, stops_in(made))

    def _remove(self, card: ProblemCard) -> None:
        self._cards.remove(card)
        card.hide()
        # Out of the layout at once: places in it are places among the cards
        self._column.removeWidget(card)
        card.deleteLater()

    def _tell_older(self) -> None:
        self.older.setText(
            tr("Older problems: {count} (shown when others are dismissed)").format(count=len(self._older))
        )
        self._more.setVisible(bool(self._older))
        self.setVisible(bool(self._cards))
