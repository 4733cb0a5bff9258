"""The workspace: what is open and selected, as one object that every page watches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from pruner_engine import protocol as msg
from pruner_engine.errors import UserError
from pruner_engine.store.file import reading
from pruner_engine.store.file.identity import identity
from pruner_engine.store.file.lock import is_being_written
from pruner_engine.store.reader import ProjectReader
from pruner_studio.helpers import Helpers
from pruner_studio.job import Job
from pruner_studio.models.beside import Beside
from pruner_studio.models.drawn_runs import DrawnRuns
from pruner_studio.models.recent import remember
from pruner_studio.models.runs import ENDED, state_of
from pruner_studio.problem import Problem
from pruner_studio.translation import tr

_POLL_MS = 400


class Workspace(QObject):
    """The open project, the chosen run, task and candidate, the job, and the engines that answer questions.

    Signals:
        opened: another project file, or none, is open.
        changed: rows of the open project changed (looked for every 400 ms), or something else is to be shown of it.
        selected: another task or candidate was chosen, the tasks were narrowed, or runs are to be drawn otherwise.
        problem: a Problem to show.
        solved: a Problem that has gone by itself.
        job_changed: the job of this window started, ended or changed its state.
        asked_again: what could not be had is to be asked for anew.
        exported: the job wrote a model into this folder.
    """

    opened = Signal()
    changed = Signal()
    selected = Signal()
    problem = Signal(object)
    solved = Signal(object)
    job_changed = Signal()
    asked_again = Signal()
    exported = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reader: ProjectReader | None = None
        self.run_id: int | None = None
        self.task_id: int | None = None
        self.candidate_id: int | None = None
        self.beside = Beside()  # projects whose runs are compared with those of the open one
        self.drawn = DrawnRuns()
        self.filter = ""  # words that narrow the tasks on every page
        self.curves_over = str(QSettings().value("curves_over", ""))  # horizontal axis of runs' curves on every page
        self.plugins: list[str] = []  # files whose code the user agrees to run: those that are ticked on Start
        self.job = Job(self)
        self.helpers = Helpers(self)
        self._version = -1
        self._file: tuple[int, int] | None = None  # the file that is read, whatever lies at its path by now
        self._arriving: reading.State | None = None  # what lies there instead, as it was when looked at last
        self._refused: reading.State | None = None  # as it was when it was opened in vain
        self._not_opened: list[Problem] = []  # files that were not what was hoped for, until one is
        self._damage: Problem | None = None  # told once for as long as the file cannot be read
        self._absence: Problem | None = None  # told once for as long as there is no file
        self.job.problem.connect(self.problem)
        self.helpers.problem.connect(self.problem)
        self.job.solved.connect(self.solved)
        self.job.changed.connect(self.job_changed)
        self.job.run_started.connect(self._run_started)
        self.job.exported.connect(self.exported)
        self.job.exported.connect(self.changed)
        self.job.ended.connect(self.changed)
        self._poll = QTimer(self, interval=_POLL_MS)
        self._poll.timeout.connect(self._look)
        self._poll.start()

    # ------------------------------------------------------------ project

    def open(self, path: str | Path, run_id: int | None = None) -> bool:
        """Open a project file; tells a Problem and keeps what is open when that fails."""
        path = Path(path).resolve()  # under one name in the list of recent ones, however it is called
        file, reader = identity(path), None
        try:
            reader = ProjectReader(path)
            version, runs, newest = reader.data_version(), [run["id"] for run in reader.runs()], reader.newest()
        except UserError as error:
            if reader is not None:
                reader.close()
            self._not_opened.append(Problem(error.message, error.hint))
            self.problem.emit(self._not_opened[-1])
            return False
        for problem in self._not_opened:
            self.solved.emit(problem)
        self._not_opened.clear()
        self.close()
        self.reader, self._version, self._file = reader, version, file
        self._arriving = self._refused = None
        self.run_id = run_id if run_id in runs else newest
        remember(str(reader.path))
        self.opened.emit()
        self.changed.emit()
        self.attach()
        return True

    def leave(self) -> None:
        """Close the project that is open; a job goes on."""
        self.close()
        self.opened.emit()
        self.changed.emit()

    def close(self) -> None:
        if self.job.running and not self.job.owned:
            self.job.quit()  # only leaves it: the buttons must not act on somebody else's run that is out of sight
        if self.reader is not None:
            self.reader.close()
        self._absence, self._damage = self._told(self._absence, None), self._told(self._damage, None)
        self.beside.clear()
        self.drawn.clear()
        self.reader = self.run_id = self.task_id = self.candidate_id = None
        self.filter = ""

    @property
    def path(self) -> str:
        return str(self.reader.path) if self.reader else ""

    def run(self) -> dict[str, Any] | None:
        """The chosen run as the project file has it now."""
        return self.reader.run(self.run_id) if self.reader and self.run_id is not None else None

    def attach(self) -> None:
        """Listen to the engine that works on the shown run, where this window started none itself."""
        run = self.run()
        if run is None or not run["alive"] or not run["socket"] or self.job.running:
            return
        self.job.watch(run, self.path)

    def choose_run(self, run_id: int) -> None:
        """Show another run; the task stays chosen where that run has it, runs of one model share their tasks."""
        if self.reader is not None and run_id != self.run_id:
            kept = self.task_id if self.task_id in self.reader.task_names(run_id) else None
            self.run_id, self.task_id, self.candidate_id = run_id, kept, None
            self.changed.emit()
            self.selected.emit()
            self.attach()

    def select(self, task_id: int | None, candidate_id: int | None = None) -> None:
        """Choose a task and, where given, one of its candidates: every page follows."""
        if (task_id, candidate_id) != (self.task_id, self.candidate_id):
            self.task_id, self.candidate_id = task_id, candidate_id
            self.selected.emit()

    def refresh(self) -> None:
        """Refresh every page, repeat questions that failed, and look for an engine again."""
        self.asked_again.emit()
        self.changed.emit()
        self.attach()

    def narrow(self, words: str) -> None:
        """Only tasks whose name, operator or shapes hold every word count on every page; "" takes that away."""
        if words != self.filter:
            self.filter = words
            self.selected.emit()

    def draw_run(self, name: str, drawn: bool) -> None:
        """Draw a run's curve wherever runs are drawn, or hide it; kept while the project is open."""
        self.drawn.tick(name, drawn)
        self.selected.emit()

    def draw_over(self, axis: str) -> None:
        """Draw the curves of runs over trials or over time wherever they are drawn; kept between starts."""
        self.curves_over = axis
        QSettings().setValue("curves_over", axis)
        self.selected.emit()

    def add_beside(self, path: str) -> bool:
        """Lay the runs of another project beside those of the open one; tells a Problem where none compares."""
        run = self.run()
        if self.reader is None or run is None:
            return False
        try:
            self.beside.add(path, self.reader, run)
        except UserError as error:
            self.problem.emit(Problem(error.message, error.hint))
            return False
        self.changed.emit()
        return True

    def leave_beside(self) -> None:
        """Show only the runs of the open project."""
        self.beside.clear()
        self.changed.emit()

    def _look(self) -> None:
        if self.reader is None:
            return
        self._look_beside()
        self._look_for_file(self.path)
        if self._was_replaced():  # SQLite would go on reading the file that has no name any more
            self._read_anew(Path(self.path))
            return
        try:
            self._take_news(self.reader.data_version())
        except UserError as error:
            self._damage = self._told(self._damage, Problem(error.message, error.hint))
        else:
            self._damage = self._told(self._damage, None)

    def _read_anew(self, path: Path) -> None:
        """Open what lies there now once it stays as it is, since it may still be copied there; and once only."""
        before, self._arriving = self._arriving, reading.state_of(path)
        if before == self._arriving and before != self._refused:
            self._refused = before
            self.open(path, self.run_id)

    def _look_beside(self) -> None:
        try:
            changed = self.beside.look()
        except UserError as error:
            self.problem.emit(Problem(error.message, error.hint, level="warning"))
            changed = True
        if changed:
            self.changed.emit()

    def _look_for_file(self, path: str) -> None:
        """Tell that the file was taken away, until it is back; an engine that works on it writes it anew."""
        gone = identity(path) is None and not is_being_written(Path(path))
        told = tr("{path} is not there any more: it was moved, renamed or removed.").format(path=path)
        hint = tr("What it held is still shown. Open it where it is now, or keep it by File › Save a copy…")
        self._absence = self._told(self._absence, Problem(told, hint, level="warning") if gone else None)

    def _told(self, before: Problem | None, now: Problem | None) -> Problem | None:
        """Tell a problem as it comes, and take it back once it has gone; returns the one that is told."""
        if now is None:
            if before is not None:
                self.solved.emit(before)
            return None
        if before is None:
            self.problem.emit(now)
        return before or now

    def _take_news(self, version: int) -> None:
        if version != self._version:
            self._follow_newest_run()
            self.attach()
            self._version = version
            self.changed.emit()

    def _was_replaced(self) -> bool:
        """Another file lies where the open project was."""
        return identity(self.path) not in (None, self._file)

    def _follow_newest_run(self) -> None:
        assert self.reader is not None
        if self.run_id is None:
            self.run_id = self.reader.newest()

    # ------------------------------------------------------------ job

    @property
    def tuning(self) -> bool:
        """Whether the job of this window is a tuning, of whatever project and run."""
        return self.job.running and self.job.work.task == "tune"

    @property
    def job_is_of_shown_project(self) -> bool:
        return self.reader is not None and Path(self.job.work.project).resolve() == self.reader.path.resolve()

    @property
    def steers_shown(self) -> bool:
        """Whether the window's job tunes the shown run: only then do the ids shown mean the same to its engine."""
        tunes = self.tuning and self.run_id is not None and self.run_id == self.job.work.run_id
        return tunes and self.job_is_of_shown_project

    def state_shown(self, run: dict[str, Any] | None) -> str:
        """State of a run, or of the job of this window that works on it, where the project file does not tell yet."""
        state, work = state_of(run) if run else "", self.job.work
        if self.steers_shown or (run is None and self.tuning):
            if work.state == "paused" and state != "paused":  # what is under way ends first
                return "pausing"
            if work.state == "stopping" or run is None or state in ENDED:
                return work.state
        return state

    def start(self, command: msg.Tune | msg.Resume | msg.Export) -> None:
        """Give the job process its work; one job at a time."""
        self.job.begin(command, self.path)

    def control(self, command: msg.Pause | msg.Unpause | msg.Stop | msg.Steer | msg.Pin) -> None:
        self.job.control(command)

    def _run_started(self, event: msg.RunStarted) -> None:
        """Show the run that has its number now, unless another project was opened since it was asked for."""
        if self.job_is_of_shown_project and not self._was_replaced():
            if event.run_id == self.run_id:
                self.changed.emit()
            else:
                self.task_id = None
                self.choose_run(event.run_id)
        elif self.job_is_of_shown_project or self.path == self.job.work.begun_in:
            self.open(event.project, event.run_id)
        else:
            remember(str(Path(event.project).resolve()))
            self.job_changed.emit()
