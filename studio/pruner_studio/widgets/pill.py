"""A short state in a coloured capsule."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QSizePolicy

from pruner_studio.widgets.basic import restyle


class Pill(QLabel):
    """A short state in a coloured capsule; tone of neutral, info, good, warn, bad."""

    def __init__(self, text: str = "", tone: str = "neutral") -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.show_state(text, tone)

    def show_state(self, text: str, tone: str) -> None:
        self.setText(text)
        self.setVisible(bool(text))
        restyle(self, tone=tone)
