"""Devices: what this machine is, and the profile that the draft model reckons with."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from pruner_studio import units
from pruner_studio.pages.page import Page
from pruner_studio.widgets.basic import Card, Pill, clear, label


class DevicesPage(Page):
    title = "Devices"
    subtitle = "This machine as detected, and the measured profiles of the devices in this project."
    go_to = Signal(str)

    def build(self) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        inside = QWidget()
        inside.setObjectName("pageBody")
        self.cards = QVBoxLayout(inside)
        self.cards.setContentsMargins(0, 0, 4, 0)
        self.cards.setSpacing(14)
        self.here = QVBoxLayout()
        self.here.setSpacing(14)
        self.stored = QVBoxLayout()
        self.stored.setSpacing(14)
        self.cards.addLayout(self.here)
        self.cards.addLayout(self.stored)
        self.cards.addStretch(1)
        scroll.setWidget(inside)
        self.column.addWidget(scroll, 1)
        QTimer.singleShot(0, self._detect)

    def _detect(self) -> None:
        from pruner_engine.targets import detect_gpus, detect_host

        for device in (detect_host(), *detect_gpus()):
            card = _facts_card(device.name, device.as_json())
            card.head.addWidget(Pill("this machine", "info"))
            self.here.addWidget(card)

    def refresh(self) -> None:
        clear(self.stored)
        reader = self.workspace.reader
        for row in reader.rows("SELECT device, fingerprint, profile, text FROM targets ORDER BY id") if reader else []:
            card = _facts_card(row["device"], row["profile"])
            card.note.setText(f"profile in this project · {row['fingerprint']}")
            card.body.addWidget(label(row["text"], "mono", wrap=True))
            self.stored.addWidget(card)


def _facts_card(title: str, facts: dict[str, Any]) -> Card:
    card = Card(title)
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
    entries = [(name, _shown(name, value)) for name, value in facts.items()]
    entries = [entry for entry in entries if entry[1] and entry[0] != "name"]
    half = (len(entries) + 1) // 2
    for index, (name, text) in enumerate(entries):
        grid.addWidget(label(name.replace("_", " "), "muted"), index % half, 2 * (index // half))
        grid.addWidget(label(text, wrap=True), index % half, 2 * (index // half) + 1)
    grid.setColumnStretch(1, 1)
    grid.setColumnStretch(3, 1)
    card.body.addLayout(grid)
    return card


def _shown(name: str, value: Any) -> str:
    """A fact in human units, judged by its name."""
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], dict):
            return ", ".join(_shown("cache", entry) for entry in value)
        return ", ".join(_shown(name, entry) for entry in value)
    if isinstance(value, dict):
        if {"level", "bytes"} <= value.keys():
            return f"L{value['level']} {units.size(value['bytes'])}"
        return ", ".join(f"{key} {_shown(name, entry)}" for key, entry in value.items())
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if "flops" in name:
        return units.rate(value, "FLOP") if value else ""
    if "bandwidth" in name:
        return units.rate(value, "B") if value else ""
    if "bytes" in name:
        return units.size(value)
    if name.endswith("_hz"):
        return f"{units.si(value)}Hz" if value else ""
    return f"{value:g}"
