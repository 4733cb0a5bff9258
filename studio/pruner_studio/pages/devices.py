"""Devices: what this machine is, and the profile that the draft model reckons with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtWidgets import QAbstractButton, QLabel, QVBoxLayout, QWidget

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store.queries import lookups
from pruner_engine.targets import NamedTarget, detect_gpus, detect_host, named_targets
from pruner_studio import background
from pruner_studio.help import tip_of
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import clear, label
from pruner_studio.widgets.boards import BoardsCard
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.device_facts import facts_grid
from pruner_studio.widgets.device_profile import DeviceProfile
from pruner_studio.widgets.known_devices import KnownDevices
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.tab_order import lead_to


class DevicesPage(Page):
    """Device profiles, known devices, and the boards of a tracker."""

    title = tr("Devices")
    subtitle = tr("This machine as detected, the measured profiles of the devices in this project, and boards.")

    def build(self) -> Iterable[None]:
        inside = QWidget()
        self.add_scrolled(inside)
        self.cards = QVBoxLayout(inside)
        self.cards.setContentsMargins(0, 0, 4, 0)
        self.cards.setSpacing(14)
        self.here = QVBoxLayout()
        self.here.setSpacing(14)
        self.stored = QVBoxLayout()
        self.stored.setSpacing(14)
        self.known = KnownDevices()
        self.boards = BoardsCard(self.workspace)
        self.cards.addLayout(self.here)
        self.cards.addWidget(self.known, 1)  # as many of them as there is room for
        self.cards.addLayout(self.stored)
        self.cards.addWidget(self.boards)
        self._shown: list[dict[str, Any]] | None = None
        self.profiles: dict[str, DeviceProfile] = {}
        background.run(self, _detect, self._detected, self.workspace.problem.emit)
        background.run(self, named_targets, self._named, self.workspace.problem.emit)
        return ()

    def _detected(self, devices: dict[str, dict[str, Any]]) -> None:
        for target, facts in devices.items():
            card = _facts_card(facts["name"], facts)
            card.head.addWidget(Pill(tr("this machine"), "info"))
            if ":" not in target:  # kernels run on the first GPU
                self.profiles[target] = part = DeviceProfile(self.workspace, target)
                part.told.connect(self._profiled)
                card.body.addWidget(part)
            self.here.addWidget(card)
            lead_to(self.known.table, card.findChildren(QAbstractButton))

    def _named(self, targets: list[NamedTarget]) -> None:
        self.known.show_targets(targets)
        for part in self.profiles.values():
            if part.reply is not None:
                self._profiled(part.reply)

    def _profiled(self, reply: msg.Profiled) -> None:
        self.known.show_profile(reply.target, reply.profile)

    def command_line(self) -> str:
        boards = self.boards.command()
        return lines.line_of(boards if boards.tracker else msg.Profile(measure=False))

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


def _detect() -> dict[str, dict[str, Any]]:
    """The devices of this machine, by what `--target` calls them."""
    gpus = {f"cuda:{place}" if place else "cuda": gpu for place, gpu in enumerate(detect_gpus())}
    return {name: device.as_json() for name, device in {"auto": detect_host(), **gpus}.items()}


def _facts_card(title: str, facts: dict[str, Any]) -> Card:
    card = Card(title)
    card.body.addWidget(facts_grid(facts))
    return card


def _calibration(factors: dict[str, float]) -> QLabel:
    """The factors that correct the draft's time components on a device."""
    told = ", ".join(f"{name} {units.ratio(factor)}" for name, factor in factors.items())
    made = label(
        tr("Calibration of the draft: {factors}").format(factors=told or tr("none needed")), "muted", wrap=True
    )
    made.setToolTip(tip_of("figure.calibration"))
    return made
