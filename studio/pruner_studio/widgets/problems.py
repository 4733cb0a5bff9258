"""Cards that tell what went wrong without stopping anybody."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pruner_studio.announcing import announce
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.problem_card import ProblemCard
from pruner_studio.widgets.tab_order import lead_to, stops_in

# Pixels of the window below which one problem is shown, in one line, and two, the second in one line; else three
_HEIGHTS = (600, 900)


class ProblemStack(QWidget):
    """The latest problems, newest on top; the same one is shown once, and older ones wait until there is room."""

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 12, 24, 0)
        self._column.setSpacing(8)
        self._cards: list[ProblemCard] = []
        self._older: list[Problem] = []  # newest first
        self._most = self._whole = 1 + len(_HEIGHTS)  # cards, and those that are not folded
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
        made = self._insert(0, problem)
        self._fill()
        announce(made, made.accessibleName(), urgent=problem.level == "error")

    def fit(self, height: int) -> None:
        """Show as many as leave the page its room in a window of so many pixels."""
        higher = sum(height >= least for least in _HEIGHTS)
        self._most = 1 + higher
        self._whole = self._most if higher == len(_HEIGHTS) else higher
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
        for at, card in enumerate(self._cards):
            card.fold(at >= self._whole)
        self._tell_older()

    def _insert(self, at: int, problem: Problem) -> ProblemCard:
        made = ProblemCard(problem)
        made.dismissed.connect(lambda: self.dismiss(made))
        self._cards.insert(at, made)
        self._column.insertWidget(at, made)
        below = stops_in(self._cards[at + 1])[0] if at + 1 < len(self._cards) else self._all
        lead_to(below, stops_in(made))
        return made

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
