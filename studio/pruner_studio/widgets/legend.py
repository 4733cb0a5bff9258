"""The legend of a plot: names of its series in their colours, in as many lines as they need."""

from __future__ import annotations

import html
from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from pruner_studio.literal import one_line
from pruner_studio.theme import theme
from pruner_studio.widgets.series import Series

_POINT, _LINE = "●", "━"  # as they are drawn: a group of points and a curve may have one colour
_LONGEST = 60  # letters of a name, which stays on one line: a strategy of a plugin may have any


class Legend(QLabel):
    """A text that is laid out anew only where names or colours have changed."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.setProperty("role", "faint")
        self._entries: list[tuple[str, str, str, bool]] = []

    def tell(self, series: Iterable[Series]) -> None:
        """Name those that have a name and points."""
        entries = [
            (entry.name, _POINT if entry.points else _LINE, theme.color(entry.color).name(), entry.strong)
            for entry in series
            if entry.name and len(entry.x)
        ]
        if entries == self._entries:
            return
        self._entries = entries
        told = (
            f'<span style="color:{color}">{mark}</span>&nbsp;&nbsp;{_told(name, strong)}'
            for name, mark, color, strong in entries
        )
        self.setText("&nbsp;&nbsp; ".join(told))  # the one at which a line may break is the last: none begins with it


def _told(name: str, strong: bool) -> str:
    """HTML of a name that stays on one line, cut in the middle where it is long."""
    half, name = _LONGEST // 2, one_line(name)
    shown = name if len(name) <= _LONGEST else f"{name[:half]}…{name[-half:]}"
    text = html.escape(shown).replace(" ", "&nbsp;").replace("-", "&#8209;")
    return f"<b>{text}</b>" if strong else text
