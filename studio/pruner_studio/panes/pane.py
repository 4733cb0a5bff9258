"""The base of the panes, which are views of one candidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from pruner_engine import protocol as msg
from pruner_engine.errors import UserError
from pruner_engine.jobs import lines
from pruner_engine.store.reader import ProjectReader
from pruner_studio.problem import Problem
from pruner_studio.said import all_said
from pruner_studio.widgets.search import SearchField
from pruner_studio.workspace import Workspace


@dataclass(frozen=True)
class _Question:
    """A command, and what the pane shows while it is asked for."""

    command: Any
    about: object


@dataclass(frozen=True)
class Subject:
    """The candidate that is looked at."""

    project: str
    run_id: int
    task_id: int
    candidate_id: int


class Pane(QWidget):
    """Shows a subject once it is visible; an answer about one that is shown no more is dropped."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.subject: Subject | None = None
        self._shown: Subject | None = None
        self._news = self._shown_news = 0
        self._asked: _Question | None = None  # that the engine is yet to answer
        self._waiting: tuple[_Question, Callable[[Any], None], Callable[[Any], None]] | None = None
        self._failed = False  # what is shown is that an answer could not be had
        workspace.opened.connect(self._forget)
        workspace.asked_again.connect(self.try_again)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 8, 0, 0)
        self.column.setSpacing(8)

    def look_at(self, subject: Subject | None, news: int) -> None:
        """Show this one, now or as soon as the pane is visible; `news` grows as trials are made, or told anew.

        Without one it is out of sight.
        """
        self.subject, self._news = subject, news
        self._show_if_visible()

    def load(self) -> None:
        """Show the subject, although the pane may be out of sight."""
        if self.subject is None:
            return
        known, self._shown_news = self._shown_news, self._news
        if self.subject != self._shown:
            self._shown, self._failed = self.subject, False
            self._try_to(self.show_subject, self.subject)
        elif known != self._news:
            self._try_to(self.show_news, self.subject)

    def _try_to(self, show: Callable[[Subject], object], subject: Subject) -> None:
        """What a project file holds may make no sense: that is told, whoever asked for the pane."""
        try:
            show(subject)
        except UserError as error:
            self.workspace.problem.emit(Problem(error.message, error.hint))

    def try_again(self) -> None:
        """Repeat the questions that failed."""
        if self._failed:
            self._shown = None
        self._show_if_visible()

    def show_subject(self, subject: Subject) -> None:
        """Fill the pane; called once for each subject, and again where an answer could not be had."""
        raise NotImplementedError

    def show_news(self, subject: Subject) -> None:
        """Trials were made, or told anew, of the task of the subject that is shown."""

    def finder(self) -> SearchField | None:
        """What is typed into that is sought in it; None where there is no text."""
        return None

    def words(self) -> list[str]:
        """The terminal command that prints the same; empty where no candidate is shown."""
        raise NotImplementedError

    def _question(self, project: str, task_id: int, candidate_id: int, form: str) -> msg.Inspect:
        """What asks the engine for a candidate in one of its forms."""
        plugins = self.workspace.plugins
        return msg.Inspect(project=project, task_id=task_id, candidate_id=candidate_id, forms=[form], plugins=plugins)

    def _inspect(self, form: str, candidate_id: int | None, project: str = "", task_id: int | None = None) -> list[str]:
        """`pruner inspect` of a candidate of the subject's task, or of another one of another project."""
        if self.subject is None or candidate_id is None:
            return []
        of_task = project or self.subject.project, task_id or self.subject.task_id
        return lines.inspect_words(*of_task, candidate_id, form, self.workspace.plugins)

    @property
    def reader(self) -> ProjectReader:
        assert self.workspace.reader is not None
        return self.workspace.reader

    def candidate(self, subject: Subject) -> dict[str, Any] | None:
        """Row of the subject's candidate."""
        return self.reader.candidate(subject.candidate_id)

    def ask(self, command: Any, on_reply: Callable[[Any], None], on_failed: Callable[[str], None]) -> None:
        """Ask the engine; `on_failed` takes what went wrong and what to do. An error of ours becomes a card too.

        One question at a time: of those that come before the answer, the newest is asked next.
        """

        def failed(told: str) -> None:
            self._failed = True
            on_failed(told)

        question = _Question(command, self.shown())
        if question == self._asked:  # its answer is on the way
            self._waiting = None
            return
        self._waiting = question, self.in_time(on_reply), self.in_time(failed)
        self._ask_next()

    def _ask_next(self) -> None:
        """Send the next waiting question, unless an answer is pending or something else is shown by now."""
        if self._waiting is None or self._asked is not None:
            return
        (question, on_reply, on_failed), self._waiting = self._waiting, None
        if question.about != self.shown():
            return
        self._asked, self._failed = question, False

        def answering(take: Callable[[Any], None]) -> Callable[[Any], None]:
            def answered(answer: Any) -> None:
                self._asked = None
                take(answer)
                if isValid(self):
                    self._ask_next()

            return answered

        self.ask_anyway(question.command, answering(on_reply), answering(on_failed))

    def ask_anyway(self, command: Any, on_reply: Callable[[Any], None], on_failed: Callable[[str], None]) -> None:
        """Ask at once, and take the answer whatever is shown when it comes."""

        def failed(failure: msg.Failed) -> None:
            if failure.kind == "bug":
                self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))
            on_failed(all_said(failure.message, failure.hint))

        self.workspace.helpers.ask(command, on_reply, failed)

    def failed_with(self, problem: Problem) -> str:
        """What is shown in place of what a thread could not make; an error of ours becomes a card too."""
        self._failed = True
        if problem.report:
            self.workspace.problem.emit(problem)
        return all_said(problem.message, problem.hint)

    def in_time(
        self, take: Callable[[Any], object], late: Callable[[Any], object] = lambda answer: None
    ) -> Callable[[Any], None]:
        """What takes an answer, or `late` in its place once the pane shows something else.

        A pane that is hidden still shows what it showed, whichever subject is looked at elsewhere meanwhile.
        """
        asked = self.shown()

        def answered(answer: Any) -> None:
            if isValid(self):
                (take if self.shown() == asked else late)(answer)

        return answered

    def shown(self) -> object:
        """Identity of what is shown: answers about anything else are dropped."""
        return self._shown

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.try_again()

    def _forget(self) -> None:
        """Ids of the project before mean something else in this one."""
        self.subject = self._shown = None

    def _show_if_visible(self) -> None:
        if self.isVisible():
            self.load()
