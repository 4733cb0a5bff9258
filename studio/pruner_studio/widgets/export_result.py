"""What an export has written: how fast the library is, whether its outputs are right, its files and functions."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.store.figures import slower
from pruner_studio import clipboard
from pruner_studio.help import tip_of
from pruner_studio.models.exports import (
    STATES,
    is_for_here,
    is_run,
    run_line,
    told_coverage,
    told_place,
    told_unchecked,
)
from pruner_studio.models.narrowing import narrowed
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.runs import run_name
from pruner_studio.models.words import LIBRARIES
from pruner_studio.opening import show_outside
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, icon_button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.drawn import Bar, Bars
from pruner_studio.widgets.figure import SaveButton
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.slower import SlowerCard
from pruner_studio.widgets.table import Table
from pruner_studio.workspace import Workspace

_SIDE_BY_SIDE = 760  # pixels from which on latencies, outputs and files stand beside each other
_TONES = {"applied": "good", "drafted": "warn", "fallback": "warn", "not tunable": "muted"}
COVERAGE_COLUMNS = (
    Column(tr("Function"), lambda row: row["name"]),
    Column(tr("Task"), lambda row: row["task"] or None),
    Column(
        tr("Schedule"),
        lambda row: STATES.get(row["state"], row["state"]),
        tone=lambda row: _TONES.get(row["state"], ""),
    ),
    Column(tr("Calls"), lambda row: row["calls"], units.count, tip_of("figure.weight"), right=True),
    Column(
        tr("Time"),
        lambda row: row["seconds"],
        units.latency,
        tip_of("figure.function_time"),
        right=True,
    ),
    Column(
        tr("Share of time"),
        lambda row: row["share"],
        units.percent,
        tip_of("figure.function_share"),
        right=True,
        share=lambda row: row["share"],
    ),
)
# what is written, for whoever has not seen it yet
_ABOUT = {
    "model.so": tr("the compiled model"),
    "weights.safetensors": tr("its weights"),
    "metadata.json": tr("its inputs, outputs, checks"),
    "run.py": tr("runs it from Python"),
    "cpp/": tr("runs it from C++"),
    "runtime/": tr("what it needs of TVM"),
    "records/": tr("the schedules, for TVM"),
    "README.txt": tr("how to use all this"),
    "LICENSES/": tr("of TVM"),
}


class ExportResult(QScrollArea):
    """Shows one export.

    Signals:
        go_to: another page, by its key, is to be shown.
    """

    go_to = Signal(str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._exported: dict[str, Any] | None = None
        body = QWidget()
        outer = QVBoxLayout(body)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(14)
        self.source = label("", "muted", cut=True)
        outer.addWidget(self.source)
        outer.addLayout(self._run_row())
        self.slower = SlowerCard()
        self.slower.asked.connect(lambda: self.go_to.emit("tasks"))
        outer.addWidget(self.slower)
        columns = Columns(_SIDE_BY_SIDE)
        for card in (self._latencies(), self._checks(), self._files()):
            columns.row.addWidget(card, 1)
        outer.addWidget(columns)
        outer.addWidget(self._coverage(), 1)
        body.setObjectName("pageBody")
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("What was exported"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(body)

    def _run_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.run_line = label("", "mono", cut=True, name=tr("The line that runs it"))
        self.run_where = label("", "muted")
        row.addWidget(self.run_where)
        row.addWidget(self.run_line)
        row.addWidget(icon_button("copy", tr("Copy the line that runs and times it"), self._copy_line))
        row.addStretch(1)
        return row

    def _latencies(self) -> Card:
        card = Card(tr("Latency"))
        self.latency_bars = Bars(tr("Latency of the exported model and of the libraries"), "seconds")
        card.head.addWidget(SaveButton(self.latency_bars.figure))
        card.body.addWidget(self.latency_bars)
        self.latency_note = label("", "faint", wrap=True)
        card.body.addWidget(self.latency_note)
        card.body.addStretch(1)
        return card

    def _checks(self) -> Card:
        self.check = Card(tr("Outputs"))
        self.check.align_heading()
        self.check_state = Pill()
        self.check.head.addWidget(self.check_state)
        self.check_rows = QVBoxLayout()
        self.check.body.addLayout(self.check_rows)
        self.check.body.addStretch(1)
        return self.check

    def _files(self) -> Card:
        card = Card(tr("Files"))
        card.align_heading()
        self.place = label("", "faint", wrap=True, selectable=True)
        self.file_rows = QGridLayout()
        self.file_rows.setHorizontalSpacing(12)
        self.file_rows.setVerticalSpacing(1)
        self.file_rows.setColumnStretch(1, 1)
        card.body.addWidget(self.place)
        card.body.addLayout(self.file_rows)
        card.body.addWidget(button(tr("Open folder"), self._open_folder, "link"), 0, Qt.AlignmentFlag.AlignLeft)
        card.body.addStretch(1)
        return card

    def _coverage(self) -> Card:
        card = Card(tr("Coverage"), tr("Enter on a row opens its task"))
        card.head.addWidget(NarrowedBy(self._workspace))
        self.coverage_note = label("", "muted", wrap=True)
        card.body.addWidget(self.coverage_note)
        self.functions = RowTable(COVERAGE_COLUMNS, self)
        table = Table(
            tr("Functions of the library"),
            self.functions,
            None,
            self._open_task,
            sort_by=(5, Qt.SortOrder.DescendingOrder),
            hint=tr("No function of the library passes the filter: take it away to see all."),
        )
        card.body.addWidget(table)
        return card

    def show_export(self, exported: dict[str, Any]) -> None:
        """Show an export, a row as `last_export` gives it."""
        self._exported = exported
        assert self._workspace.reader is not None
        summary, run = exported["summary"], self._workspace.reader.run(exported["run_id"])
        told = tr("Last export of this model: {run}, {moment}")
        self.source.setText(told.format(run=run_name(run), moment=units.moment(exported["at"])))
        self.slower.show_found(slower.exported(summary))
        timings = {name: entry["seconds"] for name, entry in summary["latency"].items() if entry["seconds"]}
        slowest, tuned = max(timings.values(), default=1.0), timings.get("tuned")
        self.latency_bars.setVisible(bool(timings))
        self.latency_bars.show_bars([self._bar(name, seconds, slowest, tuned) for name, seconds in timings.items()])
        missing = [
            f"{LIBRARIES.get(name, name)}: {said(entry['note'])}"
            for name, entry in summary["latency"].items()
            if not entry["seconds"]
        ]
        self.latency_note.setText("\n".join(filter(None, [told_place(summary), *missing])))
        self._show_checks(summary["checks"], is_run=is_run(summary))
        self._show_files(summary["files"], exported)
        self.functions.show_rows(self._narrowed(summary["coverage"]["functions"]))
        self.coverage_note.setText(told_coverage(summary))

    def _narrowed(self, functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The functions of the tasks that the filter lets through."""
        reader, run_id = self._workspace.reader, self._workspace.run_id
        rows = [{"id": index, **row} for index, row in enumerate(functions)]
        if not self._workspace.filter or reader is None or run_id is None:
            return rows
        kept = {row["name"] for row in narrowed(reader.tasks(run_id), self._workspace.filter)}
        return [row for row in rows if row["task"] in kept]

    def _bar(self, name: str, seconds: float, slowest: float, tuned: float | None) -> Bar:
        told = units.latency(seconds) + (f"   {units.ratio(seconds / tuned)}" if tuned and name != "tuned" else "")
        tone, tip = ("good", tip_of("figure.exported")) if name == "tuned" else ("faint", tip_of(f"figure.{name}"))
        return Bar(LIBRARIES.get(name, name), seconds, seconds / slowest, told, tone, tip)

    def _show_checks(self, checks: list[dict[str, Any]], *, is_run: bool = True) -> None:
        state = (tr("equal"), "good") if all(check["ok"] for check in checks) else (tr("differ"), "bad")
        unknown = ("", "neutral") if is_run else (tr("not checked"), "warn")
        self.check_state.show_state(*state if checks else unknown)
        clear(self.check_rows)
        if not is_run:
            self.check_rows.addWidget(label(told_unchecked(), "muted", wrap=True))
        for check in checks:
            told = (
                tr("Against {name}: equal within the tolerance of {tolerance}")
                if check["ok"]
                else tr("Against {name}: differs by more than the tolerance of {tolerance}")
            )
            name = LIBRARIES.get(check["against"], check["against"])
            tolerance = units.decimal(f"{check['tolerance']:.1e}")
            self.check_rows.addWidget(label(told.format(name=name, tolerance=tolerance), "muted", wrap=True))
            if check["message"]:
                self.check_rows.addWidget(label(said(check["message"]), "faint", wrap=True))

    def _show_files(self, files: dict[str, str], exported: dict[str, Any]) -> None:
        self.place.setText(exported["out"])
        clear(self.file_rows)
        told = sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in [*files, "metadata.json"]})
        for at, name in enumerate(told):
            self.file_rows.addWidget(label(name), at, 0, Qt.AlignmentFlag.AlignTop)
            self.file_rows.addWidget(label(_ABOUT.get(name, ""), "muted", wrap=True), at, 1)
        here = is_for_here(exported["summary"])
        self.run_where.setText(
            tr("Run and time it:") if here else tr("Run and time it on the device, in a copy of the folder:")
        )
        self.run_line.setText(run_line(exported["summary"], exported["out"]))

    def _copy_line(self) -> None:
        clipboard.copy(self.run_line.text())

    # ------------------------------------------------------------ going on from here

    def _open_folder(self) -> None:
        if self._exported is not None:
            show_outside(self._exported["out"], self._workspace)

    def _open_task(self, row: dict[str, Any]) -> None:
        """Look at the schedules of a function's task, in the run shown or else in the one that was exported."""
        reader, shown = self._workspace.reader, self._workspace.run_id
        if reader is None or shown is None or self._exported is None:
            return
        for run_id in (shown, self._exported["run_id"]):
            named = {name: task_id for task_id, name in reader.task_names(run_id).items()}
            if row["task"] in named:
                self._workspace.choose_run(run_id)
                self._workspace.select(named[row["task"]])
                self.go_to.emit("schedule")
                return
