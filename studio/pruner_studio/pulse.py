"""Watches the heartbeats of an engine."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from pruner_engine.jobs.heartbeat import BEAT_S, SILENT_S

WORRY_S = 15.0  # loading TVM on a busy machine may keep an engine from beating for some seconds


class Pulse(QObject):
    """Measures how long an engine has been silent.

    They are counted by a timer of the event loop: time in which the window itself stood still is no silence.

    Attributes:
        worry_s, end_s: seconds of silence until `weak` and until `stopped`.

    Signals:
        weak: nothing was heard for `worry_s`.
        strong: after `weak`, something was heard again.
        stopped: nothing was heard for `end_s`.
    """

    weak = Signal()
    strong = Signal()
    stopped = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.worry_s, self.end_s = WORRY_S, SILENT_S
        self._silent_s = 0.0
        self._weak = False
        self._timer = QTimer(self, interval=round(BEAT_S * 1e3))
        self._timer.timeout.connect(self._missed)

    @property
    def silent_s(self) -> float:
        """For how long nothing was heard, in seconds."""
        return self._silent_s

    def start(self) -> None:
        self.felt()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self.felt()

    def felt(self) -> None:
        """A sign of life."""
        self._silent_s = 0.0
        if self._weak:
            self._weak = False
            self.strong.emit()

    def _missed(self) -> None:
        self._silent_s += BEAT_S
        if self._silent_s > self.end_s:
            self._timer.stop()
            self.stopped.emit()
        elif self._silent_s > self.worry_s and not self._weak:
            self._weak = True
            self.weak.emit()
