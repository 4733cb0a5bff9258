"""Devices: what this machine is, and the profile that the draft model reckons with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
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


_WORDS = {
    "arch": "architecture",
    "memory_bytes": "memory",
    "clock_hz": "clock",
    "peak_flops": "peak, all cores",
    "peak_flops_core": "peak, one core",
    "dram_bandwidth": "memory bandwidth",
    "dram_bandwidth_core": "memory bandwidth, one core",
    "parallel_overhead_s": "start of all threads",
    "vector_bits": "vector width",
    "source": "figures are",
}


def _facts_card(title: str, facts: dict[str, Any]) -> Card:
    card = Card(title)
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
    entries = [
        (name, shown)
        for name, value in facts.items()
        if name not in ("name", "index") and (shown := _shown(name, value))
    ]
    half = (len(entries) + 1) // 2
    top = Qt.AlignmentFlag.AlignTop
    for index, (name, text) in enumerate(entries):
        grid.addWidget(label(_WORDS.get(name, name.replace("_", " ")), "muted"), index % half, 2 * (index // half), top)
        grid.addWidget(label(text, wrap=True), index % half, 2 * (index // half) + 1, top)
    grid.setColumnStretch(1, 1)
    grid.setColumnStretch(3, 1)
    card.body.addLayout(grid)
    return card


_UNITS: tuple[tuple[str, Callable[[float], str]], ...] = (
    ("flops", lambda value: units.rate(value, "FLOP")),
    ("bandwidth", lambda value: units.rate(value, "B")),
    ("bytes", units.size),
    ("_hz.", lambda value: f"{units.si(value)}Hz"),
    ("_bits.", lambda value: f"{value:g} bits"),
    ("_s.", units.latency),
)


def _shown(name: str, value: Any) -> str:
    """A fact in human units, chosen by its name; empty where there is none."""
    if isinstance(value, list | tuple):
        return ", ".join(_shown(name, entry) for entry in value)
    if isinstance(value, dict) and {"level", "bytes"} <= value.keys():
        speed = f" at {units.rate(value['bandwidth'], 'B')}" if value.get("bandwidth") else ""
        return f"L{value['level']} {units.size(value['bytes'])}{speed}"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_shown(name, entry)}" for key, entry in value.items())
    if not value or isinstance(value, str):
        return value or ""
    return next((text(value) for part, text in _UNITS if part in f"{name}."), f"{value:g}")
