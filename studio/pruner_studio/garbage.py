"""Looks for garbage in the window's thread.

Python looks for it in whichever thread happens to make an object, and deletes there what it finds. Widgets, models and
cursors of texts are among that, and Qt crashes when they are deleted while the window's thread works with it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 100  # one pass covers all that was made meanwhile, in threads as well
# As `gc.set_threshold` takes them. Rows of a long run are no garbage: looking through all of them is a stall
_THRESHOLDS = (20_000, 20, 50)


class Garbage(QObject):
    """Takes over from Python for as long as its parent is there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Look through the generations of objects that are due."""
        counts = gc.get_count()
        if counts[0] > _THRESHOLDS[0]:
            gc.collect(max(age for age in range(3) if counts[age] > _THRESHOLDS[age]))
