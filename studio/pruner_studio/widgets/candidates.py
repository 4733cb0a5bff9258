"""The candidates of a task, as a card with a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal

from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.help import help_of, tip_of
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.words import ERRORS, ORIGINS, STAGES
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.table import Table

_SHOWN = 500


def told_of_best(shown: int, every: int) -> str:
    """Says so where only the best of the candidates are shown."""
    told = tr("the best {shown} of {all} candidates")
    return told.format(shown=units.count(shown), all=units.count(every)) if shown < every else ""


def outcome(row: dict[str, Any]) -> str:
    """What became of a candidate, in two words."""
    if row["stage"] is None:
        return tr("measured next") if row["origin"] == "user" else tr("not measured")
    if row["stage"] != "ok":
        return f"{STAGES.get(row['stage'], row['stage'])}: {ERRORS.get(row['error'], row['error']) or tr('failed')}"
    return tr("abandoned") if row["censored"] else tr("checked") if row["checked"] else tr("measured")


def _score(value: float) -> str:
    return units.decimal(f"{value:.2f}")


COLUMNS = (
    Column("#", lambda row: row["id"], right=True),  # as a terminal takes it
    Column(tr("Latency"), lambda row: row["seconds"], units.latency, tip_of("figure.measured_latency"), right=True),
    Column(tr("Outcome"), outcome, tone=lambda row: "bad" if row["stage"] not in (None, "ok") else "muted"),
    Column(tr("Draft"), lambda row: row["draft_score"], _score, tip_of("score.draft"), right=True),
    Column(tr("Verified"), lambda row: row["verified_score"], _score, tip_of("score.verified"), right=True),
    Column(tr("Round"), lambda row: row["round"], right=True),
    Column(tr("Origin"), lambda row: ORIGINS.get(row["origin"], row["origin"])),
)


_HINTS = {
    "measured": tr(
        "No candidate of this task was measured in this run: pin or boost it on the Tasks page while it runs."
    ),
    "failed": tr("No trial of this task failed."),
    "all": tr("Nothing was drafted for this task in this run: pin or boost it on the Tasks page while it runs."),
}


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
        self.table = Table(
            tr("Candidates"),
            self.model,
            on_chosen,
            sort_by=(1, Qt.SortOrder.AscendingOrder),
            stretch=2,
            hint=_HINTS["measured"],
        )
        self.table.clicked.connect(lambda index: on_chosen(self.model.rows[index.row()]))  # the current row too
        self.body.addWidget(self.table)
        self.left_out = label("", "faint")
        self.body.addWidget(self.left_out)

    def show_task(self, reader: ProjectReader, run_id: int, task_id: int, shown_id: int | None) -> None:
        """Candidates of one task of a run; of very many drafted ones the best, and the one that is looked at."""
        which = self.which.current
        limit = _SHOWN if which == "all" else -1
        rows = reader.best_candidates(run_id, task_id, which, limit=limit, kept=shown_id)
        self.table.tell(_HINTS[which])
        self.model.show_rows(rows)
        self.left_out.setText(told_of_best(len(rows), reader.drafted(run_id, {task_id})[0]) if which == "all" else "")
        self.left_out.setVisible(bool(self.left_out.text()))


def spread_of(row: dict[str, Any]) -> float:
    """Half of what the repeats of a measurement differ by, in seconds."""
    return (max(row["repeats"]) - min(row["repeats"])) / 2 if row["repeats"] else 0.0


def figures(row: dict[str, Any], task: dict[str, Any], reference: dict[str, Any] | None = None) -> str:
    """Latency, spread over the repeats, rate and gain of a candidate, over the one that the user keeps too."""
    if row["seconds"] is None:
        return ""
    parts = [units.latency(row["seconds"])]
    if len(row["repeats"]) > 1:
        parts.append(f"±{units.percent(spread_of(row) / row['seconds'])}")
    parts.append(units.rate(task["flops"] / row["seconds"], "FLOP"))
    if task["untuned_s"]:
        parts.append(tr("{gain} over untuned").format(gain=units.ratio(task["untuned_s"] / row["seconds"])))
    if reference is not None and reference["seconds"] and reference["id"] != row["id"]:
        told = tr("{gain} over reference {number}")
        gain = units.ratio(reference["seconds"] / row["seconds"])
        parts.append(told.format(gain=gain, number=reference["id"]))
    return "   ".join(parts)


def figures_tip() -> str:
    """What the figures of a candidate are, how they are computed, and where they come from."""
    named = (help_of(f"figure.{name}") for name in ("measured_latency", "spread", "gflops", "gain"))
    return "\n\n".join(f"{term.title}\n{term.tip}" for term in named if term is not None)
