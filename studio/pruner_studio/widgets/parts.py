"""The draft model's view of one candidate: what costs time, time parts, penalties and symbols."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.protocol import Predicted, WhatIfScore
from pruner_studio.help import help_of, tip_of
from pruner_studio.said import all_said, said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.drawn import Bar, Bars
from pruner_studio.widgets.figure import Figure, SaveButton

ASKING = tr("Asking the draft model…")
_GROUPS = {
    "times": tr("Predicted time"),
    "penalties": tr("Penalties"),
    "symbols": tr("Symbols (bars are logarithmic)"),
}


class PartsView(QScrollArea):
    """Where decisions were edited, each part is beside that of the candidate as it is: in brackets, and as a mark."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(290)
        inside = QWidget()
        inside.setObjectName("cardBody")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 12, 8, 8)
        column.setSpacing(8)
        self.verdict = label("", "heading", wrap=True)
        self.note = label("", "muted", wrap=True, name=tr("Why it is as fast as it is"), selectable=True)
        self.legend = label(
            tr("In brackets and as a line: the candidate as it is, where it differs."), "faint", wrap=True
        )
        self.figure = Figure(tr("Predicted parts of the latency"), self._drawn, self._table)
        self.save_button = SaveButton(self.figure)
        top = QHBoxLayout()
        top.addWidget(self.verdict, 1)
        top.addWidget(self.save_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addWidget(self.note)
        column.addWidget(self.legend)
        self.groups: dict[str, tuple[QWidget, Bars]] = {}
        for key, title in _GROUPS.items():
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
        self.legend.hide()
        for head, bars in self.groups.values():
            head.hide()
            bars.hide()

    def wait(self) -> None:
        """Mark what is shown as outdated, since an answer about newer decisions is on the way."""
        self.verdict.setText(ASKING)
        self.save_button.setEnabled(False)
        for _, bars in self.groups.values():
            bars.grey(True)

    def show_score(self, score: WhatIfScore, measured_s: float | None = None) -> None:
        """Show the parts of a prediction, beside the measurement where there is one."""
        if not score.valid:
            self.tell(all_said(*score.reasons))
            return
        before = score.against
        measured = tr(", measured {latency}").format(latency=units.latency(measured_s)) if measured_s else ""
        against = _against(score.latency_s, before.latency_s) if before is not None else ""
        self.verdict.setText(
            tr("Predicted {latency}").format(latency=units.latency(score.latency_s)) + measured + against
        )
        self.save_button.setEnabled(True)
        self.note.setText("\n".join(f"•  {said(sentence)}" for sentence in score.reasons))
        self.legend.setVisible(before is not None)
        self._fill("times", _times(score.times, before))
        self._fill("penalties", _penalties(score.penalties, before))
        self._fill("symbols", _symbols(score.symbols, before))

    def _drawn(self) -> list[QWidget]:
        """What is shown of the prediction."""
        groups = [part for group in self.groups.values() for part in group]
        return [part for part in (self.verdict, self.note, self.legend, *groups) if not part.isHidden()]

    def _table(self) -> Iterable[Sequence[Any]]:
        """The parts, with those of the candidate as it is where they are shown too."""
        edited = not self.legend.isHidden()
        yield "group", "name", "value", *(["candidate"] if edited else [])
        for key, (_, bars) in self.groups.items():
            for bar in bars.bars:
                told = f"{key} (s)" if key == "times" else key, bar.name, bar.value
                yield (*told, "" if bar.before is None else bar.before) if edited else told

    def _fill(self, key: str, bars: list[Bar]) -> None:
        head, view = self.groups[key]
        head.setVisible(bool(bars))
        view.setVisible(bool(bars))
        view.grey(False)
        view.show_bars(bars)


def _against(edited_s: float, own_s: float) -> str:
    """How the edited decisions stand to the candidate's own."""
    ratio = units.ratio(max(edited_s, own_s) / min(edited_s, own_s))
    if ratio == units.ratio(1.0):
        return tr(", as fast as the candidate")
    told = tr(", {ratio} faster than the candidate") if edited_s < own_s else tr(", {ratio} slower than the candidate")
    return told.format(ratio=ratio)


def _times(times: dict[str, float], before: Predicted | None) -> list[Bar]:
    was = {} if before is None else before.times
    most = max((*times.values(), *was.values()), default=1.0) or 1.0
    return [
        _bar("time", name, value, was.get(name), units.latency, lambda time: time / most)
        for name, value in times.items()
    ]


def _penalties(penalties: dict[str, float], before: Predicted | None) -> list[Bar]:
    was = {} if before is None else before.penalties
    return [
        _bar(
            "penalty",
            name,
            value,
            was.get(name),
            lambda factor: units.decimal(f"{factor:.2f}"),
            lambda factor: min(factor, 1 / factor) if factor > 0 else 0.0,
            "good" if 0.8 < value < 1.25 else "warn",
        )
        for name, value in penalties.items()
    ]


def _symbols(symbols: dict[str, float], before: Predicted | None) -> list[Bar]:
    was = {} if before is None else before.symbols
    most = math.log1p(max((*symbols.values(), *was.values()), default=1.0)) or 1.0
    return [
        _bar("symbol", name, value, was.get(name), _number, lambda count: math.log1p(max(0.0, count)) / most, "faint")
        for name, value in symbols.items()
    ]


def _bar(
    group: str,
    name: str,
    value: float,
    before: float | None,
    told: Callable[[float], str],
    fill: Callable[[float], float],
    tone: str = "accent",
) -> Bar:
    """The bar of a part, and what it is for the candidate as it is, where that is known."""
    text = told(value)
    was = before if before is not None and told(before) != text else None  # the digits tell them apart
    return Bar(
        _title(group, name),
        value,
        fill(value),
        text if was is None else f"{text} ({told(was)})",
        tone,
        tip_of(f"{group}.{name}"),
        before,
        None if was is None else fill(was),
    )


def _number(value: float) -> str:
    """Small whole numbers whole, others with three digits and a prefix."""
    return units.count(value) if value == int(value) and value < 1e5 else units.si(value).strip()


def _title(group: str, name: str) -> str:
    """The term's title; of one that nobody has explained its name."""
    term = help_of(f"{group}.{name}")
    return term.title if term else name.replace("_", " ")
