"""Saving and loading by file dialogs: copies of a project, reports, tuning records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from pruner_engine import protocol as msg
from pruner_engine.jobs import lines
from pruner_engine.store.reader import ProjectReader
from pruner_studio import background, clipboard
from pruner_studio.models.projects import copy_project, inside
from pruner_studio.opening import show_outside
from pruner_studio.problem import Problem
from pruner_studio.said import all_said
from pruner_studio.translation import tr
from pruner_studio.under_way import UnderWay
from pruner_studio.widgets import question
from pruner_studio.widgets.file_dialog import ask_for_folder, ask_where_to_write
from pruner_studio.workspace import Workspace

_REMARKS = 3  # that a card tells without its report


class Files(QObject):
    """Opens dialogs that do not block the window, does the work behind them, and tells the outcome as a card.

    Attributes:
        under_way: of the kinds copy, report and records.
    """

    def __init__(self, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self.workspace, self._window = workspace, window
        workspace.exported.connect(self._exported)
        self.under_way = UnderWay(self)
        self.under_way.told.connect(workspace.problem)
        self.under_way.over.connect(workspace.solved)

    def save_copy(self) -> None:
        """Ask for a file and copy the project into it."""
        self._save_as(tr("Save a copy"), self._named("-copy.pruner"), tr("Projects (*.pruner)"), self.write_copy)

    def write_copy(self, path: str) -> None:
        reader = self.workspace.reader
        assert reader is not None

        def done(_: None) -> None:
            told = tr("The project was copied to {path}.").format(path=path)
            show = (tr("Open the copy"), partial(self.workspace.open, path))
            self.workspace.problem.emit(Problem(told, level="info", actions=(show,)))

        self._write("copy", path, lambda: copy_project(reader, path), done)

    def show_folder(self) -> None:
        """Show where the project is kept."""
        show_outside(str(Path(self.workspace.path).parent), self.workspace)

    def save_report(self) -> None:
        """Ask for a file and write the shown run as one HTML page."""
        self._save_as(tr("Save a report"), self._named(".html"), tr("Pages (*.html)"), self.write_report)

    def write_report(self, path: str) -> None:
        project, run_id = self.workspace.path, self.workspace.run_id

        def write() -> None:
            from pruner_engine.reports.run import write_run

            with ProjectReader(project) as reader:
                write_run(reader, run_id, Path(path))

        def done(_: None) -> None:
            self._tell(
                tr("The report was written to {path}.").format(path=path),
                lines.report_line(project, run_id, path),
                self._opening(path),
            )

        self._write("report", path, write, done)

    def _exported(self, folder: str) -> None:
        """The job of this window has ended with an export; its page may be out of sight."""
        told = tr("The model was exported to {folder}.").format(folder=folder)
        hint = tr("How fast it is, and whether its outputs are right, stands on the Export page.")
        self.workspace.problem.emit(Problem(told, hint, level="info", actions=(self._opening(folder),)))

    def export_records(self) -> None:
        """Ask where to write a folder of the best trials as MetaSchedule's JSON records."""
        place = Path(self._named("-records"))
        ask_for_folder(
            self._window,
            tr("Folder for the records"),
            str(place.parent),
            lambda folder: self.write_records(inside(folder, place.name)),
        )

    def write_records(self, folder: str) -> None:
        workspace = self.workspace
        command = msg.ExportRecords(project=workspace.path, out=folder, run_id=workspace.run_id, all_runs=True, best=8)

        def done(answer: msg.RecordsExported) -> None:
            several = tr("{count} records were written to {folder}.")
            told = tr("One record was written to {folder}.") if answer.records == 1 else several
            told = told.format(count=answer.records, folder=answer.out)
            self._tell(told, lines.line_of(command), self._opening(answer.out))

        self._ask("records", tr("Writing {path}…").format(path=folder), command, done)

    def import_records(self) -> None:
        """Ask for a folder of MetaSchedule's JSON records, and whose device measured them."""
        place = str(Path(self.workspace.path).parent)
        ask_for_folder(self._window, tr("Folder of tuning records"), place, self._ask_device)

    def _ask_device(self, folder: str) -> None:
        role, read = QMessageBox.ButtonRole, self.read_records
        same = question.Answer(tr("On this device"), role.YesRole, lambda: read(folder, True))
        other = question.Answer(tr("On another one"), role.NoRole, lambda: read(folder, False))
        question.ask(
            self._window,
            tr("Were these records measured on the device of this project?"),
            tr("Times of another device are kept apart: they never mix with what is measured here."),
            [same, other],
            other,
        )

    def read_records(self, folder: str, same_device: bool) -> None:
        command = msg.ImportRecords(project=self.workspace.path, folder=folder, same_device=same_device)

        def done(answer: msg.RecordsImported) -> None:
            several = tr("{count} records are run {run} now.")
            told = tr("One record is run {run} now.") if answer.records == 1 else several
            told = told.format(count=answer.records, run=answer.run_id)
            if answer.failed:
                several = tr("{count} trials that had failed were not taken over.")
                one = tr("One trial that had failed was not taken over.")
                told = f"{told} {(one if answer.failed == 1 else several).format(count=answer.failed)}"
            show = partial(self.workspace.open, command.project, answer.run_id)  # another one may be open by then
            self._tell(told, lines.line_of(command), (tr("Show"), show), remarks=answer.problems)
            self.workspace.changed.emit()

        self._ask("records", tr("Reading the records in {folder}…").format(folder=folder), command, done)

    # ------------------------------------------------------------ doing

    def _write(self, kind: str, path: str, work: Callable[[], None], done: Callable[[None], object]) -> None:
        """Write a file in a thread."""
        ended = self.under_way.begin(kind, tr("Writing {path}…").format(path=path))
        background.run(self, work, ended(done), ended(self.workspace.problem.emit))

    def _ask(self, kind: str, what: str, command: Any, done: Callable[[Any], object]) -> None:
        """Have an engine do it."""
        ended = self.under_way.begin(kind, what)
        self.workspace.helpers.ask(command, ended(done), ended(self._failed))

    # ------------------------------------------------------------ dialogs

    def _save_as(self, title: str, place: str, kinds: str, write: Callable[[str], object]) -> None:
        """Ask for a file to write; one without an ending gets that of the place that is proposed."""
        ask_where_to_write(self._window, title, place, write, kinds, suffix=Path(place).suffix[1:])

    def _named(self, ending: str) -> str:
        project = Path(self.workspace.path)
        return str(project.with_name(f"{project.stem}{ending}"))

    # ------------------------------------------------------------ telling

    def _opening(self, path: str) -> tuple[str, Callable[[], object]]:
        """A button of a card that shows what was written."""
        return tr("Open"), partial(show_outside, path, self.workspace)

    def _tell(
        self, message: str, line: str, *actions: tuple[str, Callable[[], object]], remarks: Sequence[str] = ()
    ) -> None:
        """An outcome, with the line for a terminal; in the place of that, what the engine remarked, if anything."""
        copy = (tr("Copy as command"), lambda: clipboard.copy(line))
        level = "warning" if remarks else "info"
        told = Problem(message, _first(remarks) or line, "\n".join(remarks), level, (*actions, copy))
        self.workspace.problem.emit(told)

    def _failed(self, failure: msg.Failed) -> None:
        self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))


def _first(remarks: Sequence[str]) -> str:
    """The first of many sentences, and how many more there are."""
    more = len(remarks) - _REMARKS
    told = all_said(*remarks[:_REMARKS])
    if more <= 0:
        return told
    return f"{told} " + (
        tr("One more is in the details.") if more == 1 else tr("{count} more are in the details.").format(count=more)
    )
