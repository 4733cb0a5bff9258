"""The empty state of a page: what stands there until it has something to show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from pruner_studio.theme import theme
from pruner_studio.widgets.basic import label

_NARROWEST, _WIDEST, _STEP = 120, 460, 10  # pixels of its text


class EmptyState(QWidget):
    """What stands where nothing is yet: why, and what to do."""

    def __init__(self, icon: str, title: str, text: str, action: QPushButton | None) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        self._picture = QLabel()
        self._icon = icon
        self._title, self._text = label(title, "empty-title"), label(text, "subtitle", wrap=True)
        self._fit()
        for part in (self._picture, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        if action is not None:
            column.addSpacing(6)
            column.addWidget(action, 0, Qt.AlignmentFlag.AlignHCenter)
        self._action = action
        column.addStretch(3)
        theme.changed.connect(self._paint)
        self._paint()

    def tell(self, title: str, text: str, *, act: bool = True) -> None:
        """Say something else; `act` tells whether there is anything to do but to wait."""
        if self._action is not None:
            self._action.setVisible(act)
        self._title.setText(title)
        self._text.setText(text)
        self._fit()

    def _fit(self) -> None:
        """Of a fixed width and as high as its lines: a centred label gets no height for its width from the layout.

        Its lines are about equally long, so that no word stands alone in the last one.
        """
        self._text.ensurePolished()
        self._text.setMinimumSize(0, 0)  # else it would want the height of what it said before
        width = min(_WIDEST, self._text.fontMetrics().horizontalAdvance(self._text.text()) + 24)
        height = self._text.heightForWidth(width)
        while width > _NARROWEST and self._text.heightForWidth(width - _STEP) == height:
            width -= _STEP
        self._text.setFixedSize(width, self._text.heightForWidth(width) + 4)

    def _paint(self) -> None:
        self._picture.setPixmap(theme.pixmap(self._icon, "faint", 40))
