"""What the window writes or reads for a dialog: a card tells of it while it lasts, and its kind is not begun again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pruner_studio.problem import Problem

_SHORT_MS = 300  # what has ended by then needs no card
Then = Callable[[Any], object]


class UnderWay(QObject):
    """Works by their kinds.

    Signals:
        changed: one was begun or has ended.
        told: a Problem that says what is done.
        over: a Problem of these that is to go.
    """

    changed = Signal()
    told = Signal(object)
    over = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._kinds: list[str] = []

    def __contains__(self, kind: str) -> bool:
        return kind in self._kinds

    def begin(self, kind: str, what: str) -> Callable[[Then], Then]:
        """Begin a work; what is to be called with its outcome, good or bad, is given to what this returns.

        Args:
            what: is done, as a sentence.
        """
        card, late = Problem(what, level="info"), QTimer(self, singleShot=True, interval=_SHORT_MS)
        late.timeout.connect(lambda: self.told.emit(card))
        late.start()
        self._kinds.append(kind)
        self.changed.emit()

        def end() -> None:
            late.stop()
            late.deleteLater()
            self.over.emit(card)
            self._kinds.remove(kind)
            self.changed.emit()

        def ended(then: Then) -> Then:
            def call(outcome: Any) -> None:
                end()
                then(outcome)

            return call

        return ended
