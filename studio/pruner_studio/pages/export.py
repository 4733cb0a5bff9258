"""Export: write the tuned library, and show the last export of the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QStackedWidget,
    QWidget,
)

from pruner_engine import protocol as msg
from pruner_engine.jobs import lines
from pruner_engine.store.figures import slower
from pruner_engine.store.figures.comparison import comparable
from pruner_engine.store.queries.lookups import last_export
from pruner_studio import clipboard
from pruner_studio.literal import literal, plain_tip
from pruner_studio.models.exports import free_folder, told_replaced
from pruner_studio.models.paths import is_folder
from pruner_studio.models.projects import expanded, inside
from pruner_studio.models.slower import remedy, told_slower
from pruner_studio.pages.page import Page
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets import question
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.export_result import ExportResult
from pruner_studio.widgets.file_dialog import ask_for_folder
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.wheel import leave_wheel

_IN_ONE_ROW = 1110  # pixels that the folder, the choices and the buttons of an export need
_LEAST_PATH = 260  # pixels of a path that is to be read


class ExportPage(Page):
    """The form of a new export, and what the last one of the model wrote."""

    title = tr("Export")
    subtitle = tr(
        "Compiles the model with the best schedules, checks its outputs, writes a folder that runs without a compiler."
    )

    def build(self) -> Iterator[None]:
        self._for_project = ""
        self._declined = False  # the last export was asked about, and not made
        card = Card(tr("New export"))
        card.body.addWidget(self._form())
        self.phase = label("", "faint")
        card.body.addWidget(self.phase)
        self.column.addWidget(card)
        yield
        self.pages = QStackedWidget()
        self.empty = self.nothing("export", tr("Nothing exported yet"), "")
        self.result = ExportResult(self.workspace)
        self.result.go_to.connect(self.go_to)
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.result)
        self.column.addWidget(self.pages, 1)

    def _form(self) -> QWidget:
        """The folder, the choices and the buttons of an export, in one row where there is room."""
        parts, below = Columns(_IN_ONE_ROW), Columns(0)
        place, choices, buttons = self._place(), self._choices(), self._buttons()
        below.row.addLayout(choices, 1)
        below.row.addLayout(buttons)
        parts.row.addLayout(place, 1)
        parts.row.addWidget(below)
        for row in (place, choices, buttons, below.row, parts.row):
            row.setSpacing(8)
        return parts

    def _place(self) -> QHBoxLayout:
        self.out = QLineEdit()
        self.out.setAccessibleName(tr("Output folder"))
        self.out.setPlaceholderText(tr("Folder to write"))
        self.out.setMinimumWidth(theme.pixels(_LEAST_PATH))
        self.out.textChanged.connect(lambda _: self._enable())
        row = QHBoxLayout()
        row.addWidget(label(tr("Folder"), "muted"))
        row.addWidget(self.out, 1)
        row.addWidget(button(tr("Choose…"), self._ask))
        return row

    def _choices(self) -> QHBoxLayout:
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Schedules of"))
        leave_wheel(self.which)
        self.which.addItem(tr("Best of all runs"), True)
        self.which.addItem(tr("Best of this run"), False)
        self.which.currentIndexChanged.connect(lambda _: self._enable())
        self.beside = QCheckBox(tr("Weights beside the library"))
        self.beside.setAccessibleName(tr("Weights beside the library"))
        self.beside.setToolTip(
            tr("In a file of their own (safetensors), in place of the library; more than 512 MB always are")
        )
        self.beside.toggled.connect(lambda _: self._enable())
        row = QHBoxLayout()
        row.addWidget(self.which)
        row.addWidget(self.beside)
        row.addStretch(1)
        return row

    def _buttons(self) -> QHBoxLayout:
        self.go = button(tr("Export"), self.start, "primary", "export")
        self.copy_button = button(tr("Copy as command"), self._copy, icon="copy")
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.copy_button)
        row.addWidget(self.go)
        return row

    # ------------------------------------------------------------ doing

    def _ask(self) -> None:
        """Ask for a folder that is there; the one that is written goes into it."""
        out = Path(expanded(self.out.text()))
        there = next((str(folder) for folder in out.parents if is_folder(folder)), "")
        name = f"{Path(self.workspace.path).stem}-export"
        ask_for_folder(self, tr("Folder for the export"), there, lambda folder: self.out.setText(inside(folder, name)))

    def plan(self) -> msg.Export:
        return msg.Export(
            project=self.workspace.path,
            out=expanded(self.out.text()),
            run_id=self.workspace.run_id,
            all_runs=self.which.currentData(),
            weights_beside=self.beside.isChecked() or None,
            plugins=self.workspace.plugins,
        )

    def start(self) -> None:
        """Export, after a question where the model is known to be slower than something else."""
        plan, reader = self.plan(), self.workspace.reader
        found = slower.expected(reader, plan.run_id, all_runs=plan.all_runs) if reader else None
        self._decline(False)
        if found is None:
            self._begin(plan)
        else:
            self._ask_first(plan, found)

    def _begin(self, plan: msg.Export) -> None:
        """Export, after a question where that replaces an earlier export."""
        reader = self.workspace.reader
        if reader and (told := told_replaced(plan.out, reader)):
            self._ask_to_replace(plan, told)
        else:
            self.workspace.start(plan)

    def _ask_to_replace(self, plan: msg.Export, told: str) -> None:
        role, free = QMessageBox.ButtonRole, free_folder(plan.out)

        def beside() -> None:
            self.out.setText(free)
            self.workspace.start(replace(plan, out=free))

        other = question.Answer(tr("Write {name}").format(name=literal(Path(free).name)), role.AcceptRole, beside)
        same = question.Answer(tr("Replace it"), role.DestructiveRole, lambda: self.workspace.start(plan))
        asked = tr("Replace the export in {folder}?").format(folder=plan.out)
        question.ask(self, plain_tip(asked), plain_tip(told), [other, same], None, lambda: self._decline(True))

    def _ask_first(self, plan: msg.Export, found: slower.Slower) -> None:
        role = QMessageBox.ButtonRole.AcceptRole
        anyway = question.Answer(tr("Export all the same"), role, lambda: self._begin(plan))
        told = plain_tip(told_slower(found)), plain_tip(remedy(found))
        question.ask(self, *told, [anyway], None, lambda: self._decline(True))

    def _decline(self, declined: bool) -> None:
        """Tell that nothing is written: Enter, held a moment too long, has answered the question, too."""
        self._declined = declined
        self._enable()

    def command_line(self) -> str:
        """The same export for a terminal; empty where it lacks a project or a folder."""
        plan = self.plan()
        return lines.line_of(plan) if plan.project and plan.out else ""

    def _copy(self) -> None:
        clipboard.copy(self.command_line())

    def _enable(self) -> None:
        """What can be pressed now, and why the export cannot."""
        hindrance = self._hindrance()
        self.phase.setText(hindrance or (tr("You were asked, and nothing was exported.") if self._declined else ""))
        self.phase.setVisible(bool(self.phase.text()))
        self.go.setEnabled(bool(self.out.text().strip()) and not hindrance)
        self.copy_button.setEnabled(bool(self.command_line()))
        self.line_changed.emit()

    @property
    def _exporting(self) -> bool:
        return self.workspace.job.running and self.workspace.job.work.task == "export"

    def _hindrance(self) -> str:
        """Why nothing can be exported now; empty where it can."""
        if self._exporting:
            return tr("Exporting: {phase}").format(phase=self.workspace.job.work.phase)
        reader, run = self.workspace.reader, self.workspace.run()
        taken = []
        if reader is not None and run is not None:
            taken = [row for row in reader.runs() if comparable(row, run)] if self.which.currentData() else [run]
        if not any(row["valid"] for row in taken):
            return tr("There is nothing to export before a candidate was measured.")
        return tr("A job is running: export when it has ended.") if self.workspace.job.running else ""

    # ------------------------------------------------------------ showing

    def steps(self) -> Iterable[None]:
        if self.workspace.path != self._for_project:
            self._for_project, self._declined = self.workspace.path, False
            project = Path(self.workspace.path)
            self.out.setText(str(project.with_name(f"{project.stem}-export")) if self.workspace.path else "")
        self._enable()
        reader, run = self.workspace.reader, self.workspace.run()
        exported = last_export(reader, run["model_id"]) if reader and run else None
        self.pages.setCurrentIndex(1 if exported else 0)
        under_way = self._exporting and self.workspace.job_is_of_shown_project
        title = tr("Exporting") if under_way else tr("Nothing exported yet")
        then = tr(
            "After an export: what was written, whether its outputs are right, how fast it is beside the libraries."
        )
        self.empty.tell(title, self.without_run() if run is None else then, act=run is None)
        if exported:
            self.result.show_export(exported)
        return ()
