"""The draft model's view of one candidate: what costs time, time parts, penalties and symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.protocol import WhatIfScore
from pruner_studio.help import help_of, tip_of
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.drawn import Bar, Bars
from pruner_studio.widgets.figure import Figure, SaveButton


class PartsView(QScrollArea):
    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(290)
        self._own: float | None = None  # prediction for the candidate as it is
        inside = QWidget()
        inside.setObjectName("cardBody")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 12, 8, 8)
        column.setSpacing(8)
        self.verdict = label("", "heading", wrap=True)
        self.note = label("", "muted", wrap=True, name=tr("Why it is as fast as it is"), selectable=True)
        self.figure = Figure(tr("Predicted parts of the latency"), self._drawn, self._table)
        self.save_button = SaveButton(self.figure)
        top = QHBoxLayout()
        top.addWidget(self.verdict, 1)
        top.addWidget(self.save_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addWidget(self.note)
        self.groups: dict[str, tuple[QWidget, Bars]] = {}
        for key, title in (("times", tr("Predicted time")), ("penalties", tr("Penalties")), ("symbols", tr("Symbols"))):
            head, bars = label(title, "heading"), Bars(title, "seconds" if key == "times" else "value")
            column.addSpacing(8)
            column.addWidget(head)
            column.addWidget(bars)
            self.groups[key] = (head, bars)
        column.addStretch(1)
        self.setWidget(inside)
        self.tell(tr("Choose a candidate."))

    def tell(self, text: str) -> None:
        """Only a sentence, no figures."""
        self.verdict.setText("")
        self.save_button.setEnabled(False)
        self.note.setText(text)
        for head, bars in self.groups.values():
            head.hide()
            bars.hide()

    def show_score(self, score: WhatIfScore, measured_s: float | None = None, *, edited: bool = False) -> None:
        """Show the parts of a prediction, beside the measurement where there is one."""
        if not edited:
            self._own = score.latency_s if score.valid else None
        if not score.valid:
            self.tell(" ".join(score.reasons))
            return
        measured = tr(", measured {latency}").format(latency=units.latency(measured_s)) if measured_s else ""
        against = (
            tr(", {ratio} as fast as the candidate").format(ratio=units.ratio(self._own / score.latency_s))
            if edited and self._own
            else ""
        )
        self.verdict.setText(
            tr("Predicted {latency}").format(latency=units.latency(score.latency_s)) + measured + against
        )
        self.save_button.setEnabled(True)
        self.note.setText("\n".join(f"•  {sentence}" for sentence in score.reasons))
        most = max(score.times.values(), default=1.0) or 1.0
        self._fill(
            "times",
            [
                Bar(_title("time", name), value, value / most, units.latency(value), tip=tip_of(f"time.{name}"))
                for name, value in score.times.items()
            ],
        )
        self._fill(
            "penalties",
            [
                Bar(
                    _title("penalty", name),
                    value,
                    min(value, 1 / value) if value > 0 else 0.0,
                    f"{value:.2f}",
                    "good" if 0.8 < value < 1.25 else "warn",
                    tip_of(f"penalty.{name}"),
                )
                for name, value in score.penalties.items()
            ],
        )
        self._fill(
            "symbols",
            [
                Bar(_title("symbol", name), value, None, _number(value), tip=tip_of(f"symbol.{name}"))
                for name, value in score.symbols.items()
            ],
        )

    def _drawn(self) -> list[QWidget]:
        """What is shown of the prediction."""
        groups = [part for group in self.groups.values() for part in group]
        return [part for part in (self.verdict, self.note, *groups) if not part.isHidden()]

    def _table(self) -> Iterable[Sequence[Any]]:
        yield "group", "name", "value"
        for key, (_, bars) in self.groups.items():
            for name, value in bars.rows()[1:]:
                yield f"{key} (s)" if key == "times" else key, name, value

    def _fill(self, key: str, bars: list[Bar]) -> None:
        head, view = self.groups[key]
        head.setVisible(bool(bars))
        view.setVisible(bool(bars))
        view.show_bars(bars)


def _number(value: float) -> str:
    """Small whole numbers whole, others with three digits and a prefix."""
    return units.count(value) if value == int(value) and value < 1e5 else units.si(value).strip()


def _title(group: str, name: str) -> str:
    """The term's title; of one that nobody has explained its name."""
    term = help_of(f"{group}.{name}")
    return term.title if term else name.replace("_", " ")
