"""The devices that `--target` takes by name, with what each can do at best: those of this machine, and the presets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pruner_engine import units
from pruner_engine.targets import NamedTarget
from pruner_studio.help import tip_of
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.translation import tr
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.device_facts import SOURCES
from pruner_studio.widgets.table import Table

_HEIGHT = 300  # pixels: some devices to compare with, the others are scrolled to


def _flops(value: float) -> str:
    return units.rate(value, "FLOP")


def _bytes(value: float) -> str:
    return units.rate(value, "B")


# What devices differ by most is kept in sight on a narrow screen
COLUMNS = (
    Column(tr("Target"), lambda row: row["name"], help=tr("What `pruner tune --target` takes")),
    Column(tr("Device"), lambda row: row["device"]),
    Column(tr("Cores"), lambda row: row["cores"], units.count, tip_of("figure.cores"), right=True, spare=1),
    Column(tr("Peak"), lambda row: row["peak_flops"], _flops, tip_of("figure.peak"), right=True),
    Column(tr("Memory"), lambda row: row["dram_bandwidth"], _bytes, tip_of("figure.bandwidth"), right=True),
    Column(tr("Tensor Cores"), lambda row: row["tensor_flops"], _flops, tip_of("figure.tensor_peak"), right=True),
    Column(
        tr("Of one core"),
        lambda row: row["peak_flops_core"],
        _flops,
        tip_of("figure.peak_core"),
        right=True,
        spare=2,
    ),
    Column(
        tr("By one core"),
        lambda row: row["dram_bandwidth_core"],
        _bytes,
        tip_of("figure.bandwidth_core"),
        right=True,
        spare=2,
    ),
    Column(tr("Figures are"), lambda row: SOURCES.get(row["source"], row["source"]), spare=2),
)
_FIGURES = ("peak_flops", "peak_flops_core", "dram_bandwidth", "dram_bandwidth_core")


class KnownDevices(Card):
    """A table of the devices that a run may tune for."""

    def __init__(self) -> None:
        super().__init__(tr("Known devices"), tr("what each can do at best; a run may tune for any of them"))
        self.model = RowTable(COLUMNS, self)
        self.table = Table(tr("Known devices"), self.model, stretch=1, hint=tr("Looking for devices…"))
        self.table.setMinimumHeight(_HEIGHT)
        self.body.addWidget(self.table)

    def show_targets(self, targets: Sequence[NamedTarget]) -> None:
        self.model.show_rows([_row(target) for target in targets])

    def show_profile(self, name: str, profile: dict[str, Any]) -> None:
        """Figures of a device of this machine."""
        tensor = (profile.get("gpu") or {}).get("tensor_flops") or None
        figures = {figure: profile[figure] for figure in _FIGURES}
        told = figures | {"tensor_flops": tensor, "source": profile["source"], "cores": profile["cores"]}
        self.model.show_rows([row | told if row["id"] == name else row for row in self.model.rows])


def _row(target: NamedTarget) -> dict[str, Any]:
    figures = {name: getattr(target.figures, name, None) for name in (*_FIGURES, "tensor_flops")}
    source = "preset" if target.figures else None
    return {
        "id": target.name,
        "name": target.name,
        "device": target.device,
        "cores": target.cores,
        "source": source,
    } | figures
