"""What the engine told during a run: the latest in sight, the older ones behind a link."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from pruner_engine import units
from pruner_engine.store.reader import Row
from pruner_studio.models.words import LEVELS
from pruner_studio.said import all_said, said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, folded_text, label
from pruner_studio.widgets.cards import Card

_LATEST = 6
_HEIGHT = 220  # px


class MessageCard(Card):
    """Newest first; not there without a message."""

    def __init__(self) -> None:
        super().__init__(tr("Messages"))
        self._shown: Sequence[Row] | None = None
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        self.body.addLayout(self._rows)
        self.more = button("", lambda: self._unfold(self.older.isHidden()), "link")
        self.body.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.older = folded_text(tr("Older messages"), _HEIGHT)
        self.body.addWidget(self.older)

    def show_messages(self, events: Sequence[Row]) -> None:
        """Events as the reader gives them, oldest first."""
        if events == self._shown:
            return
        self._shown = events
        self.setVisible(bool(events))
        clear(self._rows)
        for row in reversed(events[-_LATEST:]):
            self._rows.addWidget(label(f"{units.moment(row['at'])}  {said(row['text'])}", wrap=True, selectable=True))
            if row["hint"]:
                self._rows.addWidget(label(said(row["hint"]), "faint", wrap=True, selectable=True))
        older = "\n".join(_line(row) for row in reversed(events[:-_LATEST]))
        if older != self.older.toPlainText():  # a run at work tells on while somebody reads
            place = self.older.verticalScrollBar().value()
            self.older.setPlainText(older)
            self.older.verticalScrollBar().setValue(place)
        self.more.setVisible(bool(older))
        self._unfold(bool(older) and not self.older.isHidden())

    def _unfold(self, unfolded: bool) -> None:
        self.older.setVisible(unfolded)
        number = len(self._shown or ()) - _LATEST
        several = tr("{count} older messages").format(count=units.count(number))
        folded = tr("One older message") if number == 1 else several
        text = tr("Hide older messages") if unfolded else folded
        self.more.setText(text)
        self.more.setAccessibleName(text)


def _line(row: Row) -> str:
    level = "" if row["level"] == "info" else f"{LEVELS.get(row['level'], row['level'])}: "
    return f"{units.moment(row['at'])}  {level}{all_said(row['text'], row['hint'])}"
