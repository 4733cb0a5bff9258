"""The devices that `--target` takes by name, with what each can do at best: those of this machine, and the presets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
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


def _figure(title: str, key: str, told: Callable[[Any], str], term: str, spare: int = 0, *, unit: str = "") -> Column:
    return Column(title, itemgetter(key), told, tip_of(f"figure.{term}"), right=True, spare=spare, unit=unit)


# What devices differ by most is kept in sight on a narrow screen
COLUMNS = (
    Column(tr("Target"), itemgetter("name"), help=tr("What `pruner tune --target` takes")),
    Column(tr("Device"), itemgetter("device")),
    _figure(tr("Cores"), "cores", units.count, "cores", spare=1),
    _figure(tr("Peak"), "peak_flops", _flops, "peak", unit="FLOP/s"),
    _figure(tr("Memory"), "dram_bandwidth", _bytes, "bandwidth", unit="B/s"),
    _figure(tr("Tensor Cores"), "tensor_flops", _flops, "tensor_peak", unit="FLOP/s"),
    _figure(tr("Peak, one core"), "peak_flops_core", _flops, "peak_core", spare=2, unit="FLOP/s"),
    _figure(tr("Memory, one core"), "dram_bandwidth_core", _bytes, "bandwidth_core", spare=2, unit="B/s"),
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
