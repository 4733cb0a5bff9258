"""Any two schedules of a task side by side, of one run or of two, both named."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.inspect.diff import DiffRow, diff_lines
from pruner_studio import background
from pruner_studio.models.trace import changed_decisions
from pruner_studio.panes.code import forms_of
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Segments, label
from pruner_studio.widgets.diff import DiffView
from pruner_studio.widgets.elided import Choice
from pruner_studio.workspace import Workspace

FORMS = (
    ("trace", tr("Trace")),
    ("nest", tr("Loop nest")),
    ("tvmscript", tr("Code")),
    ("llvm", "LLVM IR"),
    ("asm", tr("Assembly")),
    ("cuda", "CUDA"),
    ("why", tr("Symbols")),
)
_COMPILED = ("llvm", "asm", "cuda")  # of some targets only


class DiffPane(Pane):
    """Left: the reference that the user kept, the best of a run or the untuned kernel; right: the subject."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.reference: int | None = None  # candidate that the user keeps as the left side
        self._chosen: int | None = None  # left side that the user wants, also while it cannot stand there
        top = QHBoxLayout()
        top.setSpacing(8)
        self.left = Choice()
        self.left.setAccessibleName(tr("Compare with"))
        self.left.activated.connect(self._left_chosen)
        self.forms = Segments(tr("What is compared"), FORMS)
        self.forms.chosen.connect(lambda _: self._compare())
        top.addWidget(label(tr("Compare with"), "muted"))
        top.addWidget(self.left, 1)
        self.column.addLayout(top)
        self.column.addWidget(self.forms)  # a line of its own: on a small screen both do not fit into one
        self.view = DiffView()
        self.column.addWidget(self.view, 1)

    def keep(self, candidate_id: int) -> None:
        """Take a candidate as the left side from now on."""
        self.reference = self._chosen = candidate_id
        self._shown = None
        if self.subject is not None:
            self.look_at(self.subject, self._news)

    def shown(self) -> object:
        return super().shown(), self.left.currentData(), self.forms.current

    def show_subject(self, subject: Subject) -> None:
        there = forms_of(self.reader, subject.run_id)
        for form in _COMPILED:
            self.forms.part(form).setVisible(form in there)
        if self.forms.current in _COMPILED and self.forms.current not in there:
            self.forms.choose("trace")
        self._fill(subject)
        self._compare()

    def show_news(self, subject: Subject) -> None:
        """A run may have a better one now; what is compared stays as long as its left side does."""
        left = self.left.currentData()
        self._fill(subject)
        if self.left.currentData() != left:
            self._compare()

    def _forget(self) -> None:
        super()._forget()
        self.reference = self._chosen = None

    def words(self) -> list[str]:
        right = self.subject.candidate_id if self.subject else None
        left = self._inspect(self.forms.current, self.left.currentData())  # the terminal has --candidate at the left
        return [*left, "--against", str(right)] if left and right is not None else []

    def _fill(self, subject: Subject) -> None:
        """The kept reference, the best of the task in each run, the untuned kernel; the user's choice stays."""
        offered: dict[int, str] = {}
        if (kept := self._of_task(self.reference, subject)) is not None:
            offered[kept["id"]] = tr("Reference: {name}").format(name=self._name(kept, subject))
        for best in reversed(self.reader.bests(subject.task_id)):
            if best["id"] not in offered:
                offered[best["id"]] = tr("Best of run {number}: {name}").format(
                    number=best["run_id"], name=self._name(best, subject)
                )
        if (chosen := self._of_task(self._chosen, subject)) is not None and chosen["id"] not in offered:
            offered[chosen["id"]] = self._name(chosen, subject)  # it was the best of a run that goes on
        offered[msg.UNTUNED] = self._name(None, subject)
        wanted = [(text, one) for one, text in offered.items() if one != subject.candidate_id]
        self.left.offer(wanted, self._chosen)

    def _of_task(self, candidate_id: int | None, subject: Subject) -> dict[str, Any] | None:
        """A candidate's row, where it is one of the subject's task."""
        row = None if candidate_id is None else self.reader.candidate(candidate_id)
        return row if row is not None and row["task_id"] == subject.task_id else None

    def _left_chosen(self, at: int) -> None:
        self._chosen = self.left.itemData(at)
        self._compare()

    def _name(self, row: dict[str, Any] | None, subject: Subject) -> str:
        if row is None:
            task = self.reader.task(subject.task_id)
            seconds = task["untuned_s"] if task else None
            return tr("Untuned kernel") + (f", {units.latency(seconds)}" if seconds else "")
        run = self.reader.run(row["run_id"])
        seconds = f", {units.latency(row['seconds'])}" if row["seconds"] else ""
        return tr("candidate {number} (run {run}, {more})").format(
            number=row["id"], run=run["id"], more=run["strategy"] + seconds
        )

    def _compare(self) -> None:
        subject, left_id, form = self.subject, self.left.currentData(), self.forms.current
        if subject is None:
            return
        if subject.candidate_id is None:
            self.view.tell(subject.lacks)
            return
        self.view.tell(tr("Applying both traces…"))
        texts: dict[int, str] = {}
        pair = (left_id, subject.candidate_id)

        def answered(reply: msg.Inspected) -> None:
            texts[reply.candidate_id] = reply.texts[form]
            if len(texts) < 2:
                ask(subject.candidate_id)
            else:
                both = [texts[side].splitlines() for side in pair]
                background.run(lambda: diff_lines(*both), self.in_time(lined_up), self.workspace.problem.emit)

        def lined_up(rows: list[DiffRow]) -> None:
            left, right = (self._name(self.reader.candidate(side), subject) for side in pair)
            self.view.show_diff(form, (left, right), rows, self._decisions(*pair))

        def ask(side: int | None) -> None:
            command = msg.Inspect(project=subject.project, task_id=subject.task_id, candidate_id=side, forms=[form])
            self.ask(command, answered, self.view.tell)

        ask(left_id)

    def _decisions(self, left: int, right: int) -> list[str] | None:
        traces = [self.reader.trace(side) for side in (left, right)]
        return None if traces[0] is None or traces[1] is None else changed_decisions(traces[0], traces[1])
