"""Failed trials by kind, each with its first message, what to do, the log and the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout

from pruner_engine import units
from pruner_engine.store.reader import Row
from pruner_studio.literal import plain_tip
from pruner_studio.models.words import ERRORS
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.log_fold import LogFold
from pruner_studio.window_words import advice_of

_STAGES = {
    "build": tr("did not compile"),
    "load": tr("did not load"),
    "run": tr("failed while running"),
    "check": tr("wrong outputs"),
}
_LONGEST = 300  # characters of a message that are shown; the rest is in the tool tip


class FailureCard(Card):
    """`opened` tells the measurement that the user wants to look at."""

    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__(tr("Failures"))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(10)
        self.body.addLayout(self._rows)
        self._shown: list[Row] | None = None
        self._counts: list[QLabel] = []
        self.logs: dict[tuple[str, str], LogFold] = {}

    def show_failures(self, failures: Sequence[Row], trials: int) -> None:
        """Groups as the reader counts them, out of so many trials."""
        shown = [{**row, "count": 0} for row in failures]
        if self._shown != shown:
            self._shown = shown
            self._fill(failures)
        for count, row in zip(self._counts, failures, strict=True):
            count.setText(_told(row, trials))

    def _fill(self, failures: Sequence[Row]) -> None:
        """Make the rows anew, whose counts follow: what somebody marks in them, or is at, goes with them."""
        unfolded = {kind for kind, log in self.logs.items() if log.unfolded}
        clear(self._rows)
        self.logs, self._counts = {}, []
        if not failures:
            self._rows.addWidget(label(tr("None of these tasks."), "faint"))
        for row in failures:
            self._add(row)
        for kind in unfolded & self.logs.keys():  # a run at work counts on while somebody reads
            self.logs[kind].unfold()

    def _add(self, row: Row) -> None:
        self._counts.append(label("", wrap=True))
        self._rows.addWidget(self._counts[-1])
        message = said(row["message"])
        first = label(message[:_LONGEST], "faint", wrap=True, selectable=True)
        first.setToolTip(plain_tip(message))
        self._rows.addWidget(first)
        self._rows.addWidget(label(advice_of(row["stage"], row["error"]), "muted", wrap=True, selectable=True))
        look = button(tr("Look at the first"), partial(self.opened.emit, row["first_id"]), "link")
        self._rows.addWidget(look, 0, Qt.AlignmentFlag.AlignLeft)
        if row["log"].strip():
            log = self.logs[row["stage"], row["error"]] = LogFold(row["log"])
            self._rows.addWidget(log)


def _told(row: Row, trials: int) -> str:
    stage, error = _STAGES.get(row["stage"], row["stage"]), ERRORS.get(row["error"], row["error"])
    what = " · ".join(part for part in (stage, error) if part)
    share = tr("{share} of trials").format(share=units.percent(row["count"] / max(1, trials)))
    return f"{units.count(row['count'])} × {what}  ({share})"
