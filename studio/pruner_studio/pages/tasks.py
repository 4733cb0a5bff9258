"""Tasks: the model's distinct kernels, what they cost and what tuning gained."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget

from pruner_engine import units
from pruner_engine.jobs import messages as msg
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.pages.page import Page
from pruner_studio.widgets.basic import Card, EmptyState, button, label
from pruner_studio.widgets.table import Table


def arguments(row: dict[str, Any]) -> str:
    """Shapes of a kernel's arguments, output last."""
    *inputs, output = [units.shape(spec["shape"]) for spec in row["shapes"]] or [""]
    return f"{', '.join(inputs)} → {output}"


def _state(row: dict[str, Any]) -> str:
    if row["quarantined"]:
        return "given up"
    return "" if row["steer"] == "normal" else row["steer"]


COLUMNS = (
    Column("Task", lambda row: row["name"], help="Same name at every run"),
    Column("Operator", lambda row: row["op"]),
    Column("Shapes", arguments),
    Column("Calls", lambda row: row["weight"], units.count, "Calls per inference", right=True),
    Column(
        "MFLOP", lambda row: row["flops"] / 1e6, units.significant, "Floating-point operations of one call", right=True
    ),
    Column(
        "Share",
        lambda row: row["share"],
        units.percent,
        "Share of the estimated end-to-end time",
        right=True,
        share=lambda row: row["share"],
    ),
    Column("Untuned", lambda row: row["untuned_s"], units.latency, "One call of the kernel without tuning", right=True),
    Column("Best", lambda row: row["best_s"], units.latency, "Fastest valid candidate measured", right=True),
    Column("GFLOP/s", lambda row: row["gflops"], units.significant, "Of the best candidate", right=True),
    Column(
        "Gain",
        lambda row: row["gain"],
        units.ratio,
        "Untuned over best",
        right=True,
        tone=lambda row: "good" if (row["gain"] or 0) > 1 else "bad" if row["gain"] else "",
    ),
    Column("Trials", lambda row: row["trials"], units.count, "Candidates measured in this run", right=True),
    Column(
        "Failed",
        lambda row: row["failed"] or None,
        units.count,
        right=True,
        tone=lambda row: "bad" if row["failed"] else "",
    ),
    Column("", _state, tone=lambda row: "bad" if row["quarantined"] else "accent"),
)


class TasksPage(Page):
    title = "Tasks"
    subtitle = "Each row is one distinct kernel of the model. Press Enter on a row to look at its schedules."
    go_to = Signal(str)

    def build(self) -> None:
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter by name, operator or shape   (Ctrl+F)")
        self.filter.setAccessibleName("Filter tasks")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(360)
        self.filter.textChanged.connect(self._filter)
        QShortcut(QKeySequence.StandardKey.Find, self, self.filter.setFocus)
        self.header.addWidget(self.filter)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(
            "Tasks",
            self.model,
            lambda row: self.workspace.select(row["id"]),
            self._open,
            sort_by=(5, Qt.SortOrder.DescendingOrder),
            stretch=2,
        )
        card = Card()
        card.layout().setContentsMargins(4, 4, 4, 4)  # type: ignore[union-attr]
        card.body.addWidget(self.table)
        self.pages = QStackedWidget()
        self.pages.addWidget(
            EmptyState("tasks", "No tasks yet", "The kernels of a model are listed here as soon as a run has read it.")
        )
        self.pages.addWidget(card)
        self.column.addWidget(self.pages, 1)
        self.column.addLayout(self._steering())

    def _steering(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.count = label("", "faint")
        row.addWidget(self.count, 1)
        self.steer_buttons = []
        for action, text, tip in (
            ("pin", "Pin", "Tune only pinned tasks"),
            ("boost", "Boost", "Give this task more rounds"),
            ("freeze", "Freeze", "Tune this task no more"),
            ("normal", "Back to normal", "Undo pin, boost or freeze"),
        ):
            made = button(text, partial(self._steer, action), icon=action if action != "normal" else "", tip=tip)
            self.steer_buttons.append(made)
            row.addWidget(made)
        row.addWidget(button("Open schedules", lambda: self.go_to.emit("schedule"), "primary"))
        return row

    def refresh(self) -> None:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        rows = reader.tasks(run_id) if reader and run_id is not None else []
        self.pages.setCurrentIndex(1 if rows else 0)
        self.model.show_rows(rows)
        self.table.choose(self.workspace.task_id)
        self._count(len(rows))
        steerable = (
            self.workspace.job.running and self.workspace.job_task == "tune" and self.workspace.task_id is not None
        )
        for made in self.steer_buttons:
            made.setEnabled(steerable)

    def _count(self, all_tasks: int) -> None:
        shown = len(self.model.rows)
        self.count.setText(f"{shown} of {all_tasks} tasks" if shown != all_tasks else f"{shown} tasks")

    def _filter(self, text: str) -> None:
        words = text.lower().split()

        def keep(row: dict[str, Any]) -> bool:
            searched = f"{row['name']} {row['op']} {arguments(row)}".lower()
            return all(word in searched for word in words)

        self.model.filter(keep if words else None)
        self.refresh()

    def _open(self, row: dict[str, Any]) -> None:
        self.workspace.select(row["id"])
        self.go_to.emit("schedule")

    def _steer(self, action: str) -> None:
        if self.workspace.task_id is not None:
            self.workspace.control(msg.Steer(task_id=self.workspace.task_id, action=action))  # type: ignore[arg-type]
