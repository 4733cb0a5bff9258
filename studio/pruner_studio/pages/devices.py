"""Devices: what this machine is, and the profile that the draft model reckons with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store import lookups
from pruner_studio import background
from pruner_studio.help import tip_of
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Card, Pill, clear, label
from pruner_studio.widgets.boards import BoardsCard


class DevicesPage(Page):
    title = tr("Devices")
    subtitle = tr("This machine as detected, the measured profiles of the devices in this project, and boards.")

    def build(self) -> Iterable[None]:
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
        self.boards = BoardsCard(self.workspace)
        self.cards.addLayout(self.here)
        self.cards.addLayout(self.stored)
        self.cards.addWidget(self.boards)
        self.cards.addStretch(1)
        scroll.setWidget(inside)
        self.column.addWidget(scroll, 1)
        self._shown: list[dict[str, Any]] | None = None
        background.run(_detect, self._detected, self.workspace.problem.emit)
        return ()

    def _detected(self, devices: list[tuple[str, dict[str, Any]]]) -> None:
        for name, facts in devices:
            card = _facts_card(name, facts)
            card.head.addWidget(Pill(tr("this machine"), "info"))
            self.here.addWidget(card)

    def command_line(self) -> str:
        boards = self.boards.command()
        return lines.line_of(boards if boards.tracker else msg.Doctor())

    def steps(self) -> Iterable[None]:
        reader = self.workspace.reader
        rows = lookups.targets(reader) if reader else []
        if rows == self._shown:
            return ()
        self._shown = rows
        clear(self.stored)
        for row in rows:
            profile = dict(row["profile"])
            calibration = profile.pop("calibration", {})
            card = _facts_card(row["device"], profile)
            card.note.setText(tr("profile in this project · {fingerprint}").format(fingerprint=row["fingerprint"]))
            card.body.addWidget(_calibration(calibration))
            card.body.addWidget(label(row["text"], "mono", wrap=True))
            self.stored.addWidget(card)
        return ()


def _detect() -> list[tuple[str, dict[str, Any]]]:
    from pruner_engine.targets import detect_gpus, detect_host

    return [(device.name, device.as_json()) for device in (detect_host(), *detect_gpus())]


def _calibration(factors: dict[str, float]) -> QLabel:
    """The factors that correct the draft's time components on a device."""
    told = ", ".join(f"{name} {units.ratio(factor)}" for name, factor in factors.items())
    made = label(
        tr("Calibration of the draft: {factors}").format(factors=told or tr("none needed")), "muted", wrap=True
    )
    made.setToolTip(tip_of("figure.calibration"))
    return made


_WORDS = {
    "kind": tr("kind"),
    "fingerprint": tr("fingerprint"),
    "cores": tr("cores"),
    "threads": tr("threads"),
    "caches": tr("caches"),
    "features": tr("features"),
    "memory_bandwidth": tr("memory bandwidth"),
    "vector_registers": tr("vector registers"),
    "gpu": tr("limits of the GPU"),
    "arch": tr("architecture"),
    "memory_bytes": tr("memory"),
    "clock_hz": tr("clock"),
    "peak_flops": tr("peak, all cores"),
    "peak_flops_core": tr("peak, one core"),
    "dram_bandwidth": tr("memory bandwidth"),
    "dram_bandwidth_core": tr("memory bandwidth, one core"),
    "parallel_overhead_s": tr("start of all threads"),
    "vector_bits": tr("vector width"),
    "source": tr("figures are"),
    # limits of a GPU; sm is one of its multiprocessors
    "warp_size": tr("threads of a warp"),
    "schedulers": tr("warp schedulers"),
    "max_threads_block": tr("threads of a block"),
    "max_registers_thread": tr("registers of a thread"),
    "shared_memory_block": tr("shared memory of a block"),
    "max_threads_sm": tr("threads of a multiprocessor"),
    "registers_sm": tr("registers of a multiprocessor"),
    "shared_memory_sm": tr("shared memory of a multiprocessor"),
    "transaction_bytes": tr("memory transaction"),
    "tensor_flops": tr("peak of the Tensor Cores"),
}
_SOURCES = {"measured": tr("measured"), "estimated": tr("estimated"), "preset": tr("from a data sheet")}


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
        grid.addWidget(label(_word(name), "muted"), index % half, 2 * (index // half), top)
        grid.addWidget(label(text, wrap=True), index % half, 2 * (index // half) + 1, top)
    grid.setColumnStretch(1, 1)
    grid.setColumnStretch(3, 1)
    card.body.addLayout(grid)
    return card


_UNITS: tuple[tuple[str, Callable[[float], str]], ...] = (
    ("flops", lambda value: units.rate(value, "FLOP")),
    ("bandwidth", lambda value: units.rate(value, "B")),
    ("bytes", units.size),
    ("shared_memory", units.size),
    ("_hz.", lambda value: f"{units.si(value)}Hz"),
    ("_bits.", lambda value: tr("{count:g} bits").format(count=value)),
    ("_s.", units.latency),
)


def _word(name: str) -> str:
    """What a fact is called; of a later version, as the file names it."""
    return _WORDS.get(name, name.replace("_", " "))


def _shown(name: str, value: Any) -> str:
    """A fact in human units, chosen by its name; empty where there is none."""
    if isinstance(value, list | tuple):
        return ", ".join(_shown(name, entry) for entry in value)
    if isinstance(value, dict) and {"level", "bytes"} <= value.keys():
        told = f"L{value['level']} {units.size(value['bytes'])}"
        speed = units.rate(value["bandwidth"], "B") if value.get("bandwidth") else ""
        return tr("{cache} at {speed}").format(cache=told, speed=speed) if speed else told
    if isinstance(value, dict):
        return ", ".join(f"{_word(key)} {told}" for key, entry in value.items() if (told := _shown(key, entry)))
    if not value or isinstance(value, str):
        return _SOURCES.get(value, value) if name == "source" else value or ""
    return next((text(value) for part, text in _UNITS if part in f"{name}."), f"{value:g}")
