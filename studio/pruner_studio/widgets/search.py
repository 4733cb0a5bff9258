"""A field of words that are sought in what is shown; Enter goes to the next place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from pruner_engine import units
from pruner_studio.announcing import announce
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label

_WIDEST, _LEAST = 260, 120  # pixels

Place = tuple[int, int, int]  # row, part of the row, letter


class Found(NamedTuple):
    """The place that was gone to, and as which of how many, from 1."""

    place: Place | None
    at: int
    of: int


def places(rows: Iterable[Sequence[str]], words: str) -> list[Place]:
    """Where a text stands in the parts of rows, in their order; small and large letters are alike."""
    found, words = [], words.lower()
    for at, parts in enumerate(rows):
        for number, part in enumerate(parts):
            lower = part.lower()
            letter = lower.find(words)
            while letter >= 0:
                found.append((at, number, letter))
                letter = lower.find(words, letter + len(words))
    return found


def next_place(found: Sequence[Place], current: Place | None, *, back: bool) -> Found:
    """The one after the current one, or before it, around the ends."""
    if not found:
        return Found(None, 0, 0)
    if current is None:
        at = len(found) - 1 if back else 0
    else:
        at = (bisect_left(found, current) - 1 if back else bisect_right(found, current)) % len(found)
    return Found(found[at], at + 1, len(found))


class SearchField(QWidget):
    """A field whose words are sought in texts, with buttons that go from place to place.

    Args:
        name: of what is searched.
        find: goes to the next place of a text, or with True to the one before.
        marked: the text that is selected in it, which is sought unless something else is typed.
    """

    def __init__(self, name: str, find: Callable[[str, bool], Found], marked: Callable[[], str]) -> None:
        super().__init__()
        self._find, self._marked = find, marked
        self.field = QLineEdit()
        self.field.setAccessibleName(tr("Find in {name}").format(name=name))
        self.field.setPlaceholderText(tr("Find…"))
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(_LEAST)
        self.field.setMaximumWidth(_WIDEST)
        self.told = label("", "muted", name=tr("What was found"))
        self.told.hide()
        self.field.returnPressed.connect(self.go_on)
        self.field.textChanged.connect(lambda _: self.told.hide())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field)
        row.addWidget(self.told)

    def begin(self) -> None:
        """Let the user type what is sought: what is marked, or something else."""
        if marked := self._marked():
            self.field.setText(marked)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def go_on(self, *, back: bool = False) -> None:
        """Go to the next place, or the one before."""
        if text := self.field.text():
            found = self._find(text, back)
            told = tr("{at} of {all}").format(at=units.count(found.at), all=units.count(found.of))
            self.told.setText(told if found.of else tr("Not found."))
            announce(self.told, self.told.text())
        self.told.setVisible(bool(text))
