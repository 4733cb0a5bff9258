"""The candidates of a task, as a card with a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal

from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.help import help_of, tip_of
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.words import ORIGINS, PHASES
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Card, Segments
from pruner_studio.widgets.table import Table

_SHOWN = 500


def outcome(row: dict[str, Any]) -> str:
    """What became of a candidate, in two words."""
    if row["stage"] is None:
        return tr("measured next") if row["origin"] == "user" else tr("not measured")
    if row["stage"] != "ok":
        return f"{PHASES.get(row['stage'], row['stage'])}: {row['error']}"
    return tr("abandoned") if row["censored"] else tr("checked") if row["checked"] else tr("measured")


def _score(value: float) -> str:
    return f"{value:.2f}"


COLUMNS = (
    Column("#", lambda row: row["id"], units.count, right=True),
    Column(tr("Latency"), lambda row: row["seconds"], units.latency, tip_of("figure.measured_latency"), right=True),
    Column(tr("Outcome"), outcome, tone=lambda row: "bad" if row["stage"] not in (None, "ok") else "muted"),
    Column(tr("Draft"), lambda row: row["draft_score"], _score, tip_of("score.draft"), right=True),
    Column(tr("Verified"), lambda row: row["verified_score"], _score, tip_of("score.verified"), right=True),
    Column(tr("Round"), lambda row: row["round"], units.count, right=True),
    Column(tr("Origin"), lambda row: ORIGINS.get(row["origin"], row["origin"])),
)


class CandidatesCard(Card):
    """Measured candidates, those that failed with their messages, or all that were drafted.

    Signals:
        shown_changed: others are to be shown.
    """

    shown_changed = Signal()

    def __init__(self, on_chosen: Callable[[dict[str, Any]], object]) -> None:
        super().__init__(tr("Candidates"))
        self.which = Segments(
            tr("Candidates shown"),
            (("measured", tr("Measured")), ("failed", tr("Failed")), ("all", tr("All drafted"))),
        )
        self.which.chosen.connect(lambda _: self.shown_changed.emit())
        self.head.addWidget(self.which)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(tr("Candidates"), self.model, on_chosen, sort_by=(1, Qt.SortOrder.AscendingOrder), stretch=2)
        self.body.addWidget(self.table)

    def show_task(self, reader: ProjectReader, run_id: int, task_id: int) -> None:
        """Candidates of one task of a run; of very many drafted ones the best."""
        which = self.which.current
        rows = reader.candidates(run_id, task_id, measured=which != "all")
        if which == "failed":
            rows = [row for row in rows if row["stage"] != "ok"]
        if which == "all" and len(rows) > _SHOWN:
            rows = sorted(rows, key=lambda row: (row["seconds"] or 1e9, -(row["draft_score"] or -1e9)))[:_SHOWN]
        self.model.show_rows(rows)


def figures(row: dict[str, Any], task: dict[str, Any]) -> str:
    """Latency, spread over the repeats, rate and gain of a candidate."""
    if row["seconds"] is None:
        return ""
    parts = [units.latency(row["seconds"])]
    if len(row["repeats"]) > 1:
        parts.append(f"±{units.percent((max(row['repeats']) - min(row['repeats'])) / 2 / row['seconds'])}")
    parts.append(units.rate(task["flops"] / row["seconds"], "FLOP"))
    if task["untuned_s"]:
        parts.append(tr("{gain} of untuned").format(gain=units.ratio(task["untuned_s"] / row["seconds"])))
    return "   ".join(parts)


def figures_tip() -> str:
    """What the figures of a candidate are, how they are computed, and where they come from."""
    named = (help_of(f"figure.{name}") for name in ("measured_latency", "spread", "gflops", "gain"))
    return "\n\n".join(f"{term.title}\n{term.tip}" for term in named if term is not None)
