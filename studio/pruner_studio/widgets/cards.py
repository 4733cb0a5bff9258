"""Cards: the framed groups that pages are made of, and tiles of one number."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from pruner_studio.widgets.basic import label, restyle
from pruner_studio.widgets.elided import Elided

HEAD = 28  # pixels of a heading that has a button beside it


class Card(QFrame):
    """A framed group with an optional heading.

    `body` takes the content, `head` what stands right of the heading; `outer` lays out both.
    Its note stands beside the heading, or below it, in as many lines as it needs, where there is no room for all of it.
    """

    _note_stays = True

    def __init__(self, heading: str = "", note: str = "") -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.outer = QVBoxLayout(self)
        self.outer.setContentsMargins(16, 14, 16, 14)
        self.outer.setSpacing(10)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.note = label(note, "faint", cut=True)
        if heading:
            self.heading = Elided(heading)
            self.heading.setProperty("role", "heading")
            self.heading.least = 220
            self.head.addWidget(self.heading)
            self.head.addWidget(self.note)
            self.head.addStretch(1)
            self.outer.addLayout(self.head)
            self._note_stays = False
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        self.outer.addLayout(self.body, 1)

    def align_heading(self) -> None:
        """As high as one that has a button: such a card stands beside this one."""
        self.heading.setMinimumHeight(HEAD)

    def keep_note_below(self) -> None:
        """Below the heading in any room: what changes all the time would jump up and down."""
        self._put_note(below=True)
        self.note.setWordWrap(False)
        self._note_stays = True

    def event(self, event: QEvent) -> bool:
        if not self._note_stays and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            items = (self.head.itemAt(at) for at in range(self.head.count()))
            parts = [part for item in items if item and (part := item.widget()) and not part.isHidden()]
            widths = [part.sizeHint().width() for part in parts if part is not self.note]
            widths.append(self.note.fontMetrics().horizontalAdvance(self.note.text()) + 1)
            needed = sum(widths) + self.head.spacing() * len(widths)
            self._put_note(below=bool(self.note.text()) and needed > self.head.geometry().width())
        return super().event(event)

    def _put_note(self, *, below: bool) -> None:
        if below != (self.head.indexOf(self.note) < 0):
            (self.head if below else self.outer).removeWidget(self.note)
            (self.outer if below else self.head).insertWidget(1, self.note)
            self.note.setWordWrap(below)


class StatTile(Card):
    """One number with its name above and a remark below."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.outer.setContentsMargins(12, 12, 12, 12)
        self.body.setSpacing(2)
        self._name, self._value, self._remark = (
            label(name, "label"),
            label("–", "value"),
            label("", "faint", wrap=True),
        )
        for part in (self._name, self._value, self._remark):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.setMinimumWidth(124)

    def show_value(self, value: str, remark: str = "", good: bool = False) -> None:
        self._value.setText(value)
        self._remark.setText(remark)
        restyle(self._value, role="value-good" if good else "value")
        self.setAccessibleDescription(f"{value} {remark}".strip())
