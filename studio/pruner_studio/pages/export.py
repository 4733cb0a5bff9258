"""Export: write the tuned library and show what is in it and how it compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store import slower
from pruner_engine.store.comparison import comparable
from pruner_engine.store.lookups import last_export
from pruner_studio import clipboard
from pruner_studio.help import tip_of
from pruner_studio.models.narrowing import narrowed
from pruner_studio.models.projects import expanded, inside
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.runs import run_name
from pruner_studio.models.slower import remedy, told_slower
from pruner_studio.models.words import LIBRARIES
from pruner_studio.opening import show_outside
from pruner_studio.pages.page import Page
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.drawn import Bar, Bars
from pruner_studio.widgets.figure import SaveButton
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.slower import SlowerCard
from pruner_studio.widgets.table import Table
from pruner_studio.widgets.wheel import leave_wheel

_SIDE_BY_SIDE = 760  # pixels from which on latencies, outputs and files stand beside each other
_IN_ONE_ROW = 1000  # pixels that the folder, the choices and the buttons of an export need
_TONES = {"applied": "good", "fallback": "warn", "not tunable": "muted"}
COVERAGE_COLUMNS = (
    Column(tr("Function"), lambda row: row["name"]),
    Column(tr("Task"), lambda row: row["task"] or None),
    Column(
        tr("Schedule"),
        lambda row: _STATES.get(row["state"], row["state"]),
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
_STATES: dict[str, str] = {"applied": tr("applied"), "fallback": tr("fallback"), "not tunable": tr("not tunable")}


class ExportPage(Page):
    title = tr("Export")
    subtitle = tr(
        "Compiles the model with the best schedules, checks its outputs, writes a folder that runs without a compiler."
    )

    def build(self) -> Iterator[None]:
        card = Card(tr("New export"))
        parts, deeds = Columns(_IN_ONE_ROW), Columns(0)
        place, choices, buttons = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        self.out = QLineEdit()
        self.out.setAccessibleName(tr("Output folder"))
        self.out.setPlaceholderText(tr("Folder to write"))
        self.out.textChanged.connect(lambda _: self._enable())
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Schedules of"))
        leave_wheel(self.which)
        self.which.addItem(tr("Best of all runs"), True)
        self.which.addItem(tr("Best of this run"), False)
        self.which.currentIndexChanged.connect(lambda _: self._enable())
        self.beside = QCheckBox(tr("Weights beside the library"))
        self.beside.setAccessibleName(tr("Weights beside the library"))
        self.beside.setToolTip(tr("In a file of their own (safetensors), in place of the library"))
        self.beside.toggled.connect(lambda _: self._enable())
        self.go = button(tr("Export"), self.start, "primary", "export")
        self.copy_button = button(tr("Copy as command"), self._copy, icon="copy")
        place.addWidget(label(tr("Folder"), "muted"))
        place.addWidget(self.out, 1)
        place.addWidget(button(tr("Choose…"), self._ask))
        choices.addWidget(self.which)
        choices.addWidget(self.beside)
        choices.addStretch(1)
        buttons.addStretch(1)
        buttons.addWidget(self.copy_button)
        buttons.addWidget(self.go)
        deeds.row.addLayout(choices, 1)
        deeds.row.addLayout(buttons)
        parts.row.addLayout(place, 1)
        parts.row.addWidget(deeds)
        for row in (place, choices, buttons, deeds.row, parts.row):
            row.setSpacing(8)
        card.body.addWidget(parts)
        self.phase = label("", "faint")
        card.body.addWidget(self.phase)
        self.column.addWidget(card)
        yield
        self._build_result()

    def _build_result(self) -> None:
        self._for_project = ""
        self.pages = QStackedWidget()
        self.empty = self.nothing("export", tr("Nothing exported yet"), "")
        self.pages.addWidget(self.empty)
        self.result = QWidget()
        outer = QVBoxLayout(self.result)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(14)
        self.source = label("", "muted", cut=True)
        outer.addWidget(self.source)
        self.slower = SlowerCard()
        self.slower.asked.connect(lambda: self.go_to.emit("tasks"))
        outer.addWidget(self.slower)
        columns = Columns(_SIDE_BY_SIDE)
        self.latencies = Card(tr("Latency"))
        self.latency_bars = Bars(tr("Latency of the exported model and of the libraries"), "seconds")
        self.latencies.head.addWidget(SaveButton(self.latency_bars.figure))
        self.latencies.body.addWidget(self.latency_bars)
        self.latency_note = label("", "faint", wrap=True)
        self.latencies.body.addWidget(self.latency_note)
        self.latencies.body.addStretch(1)
        self.check = Card(tr("Outputs"))
        self.check_state = Pill()
        self.check.head.addWidget(self.check_state)
        self.check_rows = QVBoxLayout()
        self.check.body.addLayout(self.check_rows)
        self.check.body.addStretch(1)
        self.files = Card(tr("Files"))
        self.file_rows = QVBoxLayout()
        self.file_rows.setSpacing(4)
        self.files.body.addLayout(self.file_rows)
        self.files.body.addWidget(button(tr("Open folder"), self._open_folder, "link"), 0, Qt.AlignmentFlag.AlignLeft)
        self.files.body.addStretch(1)
        for part in (self.latencies, self.check, self.files):
            columns.row.addWidget(part, 1)
        outer.addWidget(columns)
        self.coverage = Card(tr("Coverage"), tr("Enter on a row opens its task"))
        self.coverage.head.addWidget(NarrowedBy(self.workspace))
        self.coverage_note = label("", "muted", wrap=True)
        self.coverage.body.addWidget(self.coverage_note)
        self.functions = RowTable(COVERAGE_COLUMNS, self)
        self.coverage.body.addWidget(
            Table(
                tr("Functions of the library"),
                self.functions,
                None,
                self._open_task,
                sort_by=(5, Qt.SortOrder.DescendingOrder),
                hint=tr("No function of the library passes the filter: take it away to see all."),
            )
        )
        outer.addWidget(self.coverage, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("What was exported"))
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.result)
        self.result.setObjectName("pageBody")
        self.pages.addWidget(scroll)
        self.column.addWidget(self.pages, 1)

    # ------------------------------------------------------------ doing

    def _ask(self) -> None:
        """Ask for a folder that is there; the one that is written goes into it."""
        out = Path(expanded(self.out.text()))
        there = next((str(folder) for folder in out.parents if folder.is_dir()), "")
        dialog = QFileDialog(self, tr("Folder for the export"), there)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = f"{Path(self.workspace.path).stem}-export"
        dialog.fileSelected.connect(lambda folder: self.out.setText(inside(folder, name)))
        dialog.open()

    def plan(self) -> msg.Export:
        return msg.Export(
            project=self.workspace.path,
            out=expanded(self.out.text()),
            run_id=self.workspace.run_id,
            all_runs=self.which.currentData(),
            weights_beside=self.beside.isChecked(),
            plugins=self.workspace.plugins,
        )

    def start(self) -> None:
        """Export, after a question where the model is known to be slower than something else."""
        plan, reader = self.plan(), self.workspace.reader
        found = slower.expected(reader, plan.run_id, all_runs=plan.all_runs) if reader else None
        if found is None:
            self.workspace.start(plan)
        else:
            self._ask_first(plan, found)

    def _ask_first(self, plan: msg.Export, found: slower.Slower) -> None:
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(told_slower(found))
        box.setInformativeText(remedy(found))
        anyway = box.addButton(tr("Export all the same"), QMessageBox.ButtonRole.AcceptRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)

        def answered(chosen: QAbstractButton) -> None:
            if chosen is anyway:
                self.workspace.start(plan)

        box.buttonClicked.connect(answered)
        box.open()

    def command_line(self) -> str:
        """The same export for a terminal; empty where it lacks a project or a folder."""
        plan = self.plan()
        return lines.line_of(plan) if plan.project and plan.out else ""

    def _copy(self) -> None:
        clipboard.copy(self.command_line())

    def _enable(self) -> None:
        """What can be pressed now, and why the export cannot."""
        hindrance = self._hindrance()
        self.phase.setText(hindrance)
        self.phase.setVisible(bool(hindrance))
        self.go.setEnabled(bool(self.out.text().strip()) and not hindrance)
        self.copy_button.setEnabled(bool(self.command_line()))
        self.line_changed.emit()

    def _hindrance(self) -> str:
        """Why nothing can be exported now; empty where it can."""
        if self.workspace.job.running and self.workspace.job.work.task == "export":
            return tr("Exporting: {phase}").format(phase=self.workspace.job.work.phase)
        reader, run = self.workspace.reader, self.workspace.run()
        taken = []
        if reader is not None and run is not None:
            taken = [row for row in reader.runs() if comparable(row, run)] if self.which.currentData() else [run]
        if not any(row["valid"] for row in taken):
            return tr("There is nothing to export before a candidate was measured.")
        return tr("A job is running: export when it has ended.") if self.workspace.job.running else ""

    def _open_folder(self) -> None:
        if self._exported is not None:
            show_outside(self._exported["out"], self.workspace)

    def _open_task(self, row: dict[str, Any]) -> None:
        """Look at the schedules of a function's task, in the run shown or else in the one that was exported."""
        reader, shown = self.workspace.reader, self.workspace.run_id
        if reader is None or shown is None or self._exported is None:
            return
        for run_id in (shown, self._exported["run_id"]):
            named = {name: task_id for task_id, name in reader.task_names(run_id).items()}
            if row["task"] in named:
                self.workspace.choose_run(run_id)
                self.workspace.select(named[row["task"]])
                self.go_to.emit("schedule")
                return

    # ------------------------------------------------------------ showing

    def steps(self) -> Iterable[None]:
        if self.workspace.path != self._for_project:
            self._for_project = self.workspace.path
            project = Path(self.workspace.path)
            self.out.setText(str(project.with_name(f"{project.stem}-export")) if self.workspace.path else "")
        self._enable()
        reader, run = self.workspace.reader, self.workspace.run()
        self._exported = last_export(reader, run["model_id"]) if reader and run else None
        self.pages.setCurrentIndex(1 if self._exported else 0)
        self.empty.tell(
            tr("Nothing exported yet"),
            tr("Open a project or tune a model first.")
            if run is None
            else tr(
                "After an export: what was written, whether its outputs are right, how fast it is beside the libraries."
            ),
            act=run is None,
        )
        if self._exported:
            self._show(self._exported)
        return ()

    def _show(self, exported: dict[str, Any]) -> None:
        assert self.workspace.reader is not None
        summary, run = exported["summary"], self.workspace.reader.run(exported["run_id"])
        told = tr("Last export of this model: {run}, {moment}")
        self.source.setText(told.format(run=run_name(run), moment=units.moment(exported["at"])))
        self.slower.show_found(slower.exported(summary))
        timings = {name: entry["seconds"] for name, entry in summary["latency"].items() if entry["seconds"]}
        slowest, tuned = max(timings.values(), default=1.0), timings.get("tuned")
        self.latency_bars.show_bars([self._bar(name, seconds, slowest, tuned) for name, seconds in timings.items()])
        missing = [
            f"{LIBRARIES.get(name, name)}: {said(entry['note'])}"
            for name, entry in summary["latency"].items()
            if not entry["seconds"]
        ]
        self.latency_note.setText("\n".join(missing))
        self._show_checks(summary["checks"])
        self._show_files(summary["files"], exported)
        self.functions.show_rows(self._narrowed(summary["coverage"]["functions"]))
        parts = [
            tr("{count} {state} ({share} of the time)").format(
                count=units.count(part["functions"]),
                state=_STATES.get(state, state),
                share=units.percent(part["share"]),
            )
            for state, part in summary["coverage"]["summary"].items()
        ]
        self.coverage_note.setText(
            tr("Functions with a tuned schedule and without: {parts}.").format(parts=", ".join(parts))
        )

    def _narrowed(self, functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The functions of the tasks that the filter lets through."""
        reader, run_id = self.workspace.reader, self.workspace.run_id
        rows = [{"id": index, **row} for index, row in enumerate(functions)]
        if not self.workspace.filter or reader is None or run_id is None:
            return rows
        kept = {row["name"] for row in narrowed(reader.tasks(run_id), self.workspace.filter)}
        return [row for row in rows if row["task"] in kept]

    def _bar(self, name: str, seconds: float, slowest: float, tuned: float | None) -> Bar:
        told = units.latency(seconds) + (f"   {units.ratio(seconds / tuned)}" if tuned and name != "tuned" else "")
        tone, tip = ("good", tip_of("figure.exported")) if name == "tuned" else ("faint", tip_of(f"figure.{name}"))
        return Bar(LIBRARIES.get(name, name), seconds, seconds / slowest, told, tone, tip)

    def _show_checks(self, checks: list[dict[str, Any]]) -> None:
        state = (tr("equal"), "good") if all(check["ok"] for check in checks) else (tr("differ"), "bad")
        self.check_state.show_state(*state if checks else ("", "neutral"))
        clear(self.check_rows)
        for check in checks:
            told = (
                tr("Against {name}: equal within the tolerance of {tolerance:.1e}")
                if check["ok"]
                else tr("Against {name}: differs by more than the tolerance of {tolerance:.1e}")
            )
            name = LIBRARIES.get(check["against"], check["against"])
            self.check_rows.addWidget(label(told.format(name=name, tolerance=check["tolerance"]), "muted", wrap=True))
            if check["message"]:
                self.check_rows.addWidget(label(said(check["message"]), "faint", wrap=True))

    def _show_files(self, files: dict[str, str], exported: dict[str, Any]) -> None:
        clear(self.file_rows)
        self.file_rows.addWidget(label(exported["out"], "faint", wrap=True))
        told = sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in [*files, "metadata.json"]})
        self.file_rows.addWidget(label("\n".join(told), "muted"))
