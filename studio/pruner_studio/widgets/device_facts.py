"""What is known of a device, in words and human units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from pruner_engine import units
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.rooms import Columns

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
    "matrix_flops": tr("peak of the matrix units"),
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
_NO_BREAK = "\N{NO-BREAK SPACE}"
SOURCES = {"measured": tr("measured"), "estimated": tr("estimated"), "preset": tr("from a data sheet")}


def facts_grid(facts: dict[str, Any]) -> Columns:
    """What is known of a device, a row a fact, in two columns where there is room."""
    entries = [
        (name, shown)
        for name, value in facts.items()
        if name not in ("name", "index") and (shown := _shown(name, value))
    ]
    half = (len(entries) + 1) // 2
    made = Columns(0)
    made.row.setSpacing(24)
    made.row.addLayout(_column(entries[:half]), 1)
    made.row.addLayout(_column(entries[half:]), 1)
    return made


def _column(entries: Sequence[tuple[str, str]]) -> QGridLayout:
    grid, top = QGridLayout(), Qt.AlignmentFlag.AlignTop
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(6)
    for at, (name, text) in enumerate(entries):
        grid.addWidget(label(_word(name), "muted"), at, 0, top)
        grid.addWidget(label(text, wrap=True), at, 1, top)
    grid.setColumnStretch(1, 1)
    grid.setRowStretch(len(entries), 1)
    return grid


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
        whole = tr("{cache} at {speed}").format(cache=told, speed=speed) if speed else told
        return whole.replace(" ", _NO_BREAK)  # a narrow row is broken between caches
    if isinstance(value, dict):
        return ", ".join(f"{_word(key)} {told}" for key, entry in value.items() if (told := _shown(key, entry)))
    if not value or isinstance(value, str):
        return SOURCES.get(value, value) if name == "source" else value or ""
    return next((text(value) for part, text in _UNITS if part in f"{name}."), units.general(value))
