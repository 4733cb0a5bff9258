"""A few exclusive choices side by side, as one button cut into segments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from pruner_studio.widgets.basic import button


class Segments(QWidget):
    """A few exclusive choices side by side; `chosen` tells the key of the new one."""

    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        for index, (key, text) in enumerate(choices):
            made = button(text, partial(self.chosen.emit, key), "segment")
            made.setAccessibleName(f"{name}: {text}")
            made.setCheckable(True)
            made.setChecked(index == 0)
            edge = "first" if index == 0 else "last" if index == len(choices) - 1 else ""
            made.setProperty("edge", edge)
            self._group.addButton(made)
            made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # its text is never cut
            self._buttons[key] = made
            row.addWidget(made)
        row.addStretch(1)

    @property
    def current(self) -> str:
        return next(key for key, made in self._buttons.items() if made.isChecked())

    def choose(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def part(self, key: str) -> QPushButton:
        return self._buttons[key]
