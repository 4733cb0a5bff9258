"""Failed trials by kind, each with its first message and the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal

from pruner_engine import units
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Card, button, clear, label

_STAGES = {
    "build": tr("did not compile"),
    "load": tr("did not load"),
    "run": tr("failed while running"),
    "check": tr("wrong outputs"),
}
_ERRORS = {
    "timeout": tr("took too long"),
    "crash": tr("crashed"),
    "memory": tr("used too much memory"),
    "wrong": "",
    "error": "",
}
_LONGEST = 300  # characters of a message that are shown; the rest is in the tool tip


class FailureCard(Card):
    """`opened` tells the measurement that the user wants to look at."""

    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__(tr("Failures"))
        self.body.setSpacing(10)
        self._shown: list[tuple[str, str, int]] = []

    def show_failures(self, failures: Sequence[dict[str, Any]], trials: int) -> None:
        """Groups as the reader counts them, out of so many trials."""
        shown = [(_told(row, trials), row["message"], row["first_id"]) for row in failures]
        if self._shown == shown and self.body.count():
            return
        self._shown = shown
        clear(self.body)
        if not shown:
            self.body.addWidget(label(tr("None of these tasks."), "faint"))
        for text, message, first_id in shown:
            self.body.addWidget(label(text, wrap=True))
            first = label(message[:_LONGEST], "faint", wrap=True)
            first.setToolTip(message)
            self.body.addWidget(first)
            look = button(tr("Look at the first"), partial(self.opened.emit, first_id), "link")
            self.body.addWidget(look, 0, Qt.AlignmentFlag.AlignLeft)

    def texts(self) -> list[str]:
        """What the rows say, top down."""
        return [self.body.itemAt(at).widget().text() for at in range(self.body.count())]  # type: ignore[union-attr]


def _told(row: dict[str, Any], trials: int) -> str:
    stage, error = _STAGES.get(row["stage"], row["stage"]), _ERRORS.get(row["error"], row["error"])
    what = " · ".join(part for part in (stage, error) if part)
    share = tr("{share} of trials").format(share=units.percent(row["count"] / max(1, trials)))
    return f"{units.count(row['count'])} × {what}  ({share})"
