"""Any two schedules side by side, of one run or of two, of one task or of two alike ones, both named."""

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
_MOST_ALIKE = 12  # tasks of the same operator whose best is offered
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
        """The kept reference, the best of the task in each run, the untuned kernel, the best of the tasks of the same
        operator; the user's choice stays.
        """
        offered: dict[int, str] = {}
        if (kept := self._row(self.reference)) is not None:
            offered[kept["id"]] = tr("Reference: {name}").format(name=self._name(kept, subject))
        for best in reversed(self.reader.bests(subject.task_id)):
            if best["id"] not in offered:
                offered[best["id"]] = tr("Best of run {number}: {name}").format(
                    number=best["run_id"], name=self._name(best, subject)
                )
        if (chosen := self._row(self._chosen)) is not None and chosen["task_id"] == subject.task_id:
            offered.setdefault(chosen["id"], self._name(chosen, subject))  # it was the best of a run that goes on
        offered[msg.UNTUNED] = self._name(None, subject)
        for row in self._alike(subject):
            offered.setdefault(row["id"], self._name(row, subject))
        wanted = [(text, one) for one, text in offered.items() if one != subject.candidate_id]
        self.left.offer(wanted, self._chosen)

    def _row(self, candidate_id: int | None) -> dict[str, Any] | None:
        return None if candidate_id is None else self.reader.candidate(candidate_id)

    def _alike(self, subject: Subject) -> list[dict[str, Any]]:
        """The best candidates of the run's other tasks of the same operator, those first that take most of the time."""
        tasks = self.reader.tasks(subject.run_id)
        operator = next((task["op"] for task in tasks if task["id"] == subject.task_id), None)
        alike = [task for task in tasks if task["op"] == operator and task["id"] != subject.task_id]
        alike.sort(key=lambda task: -(task["share"] or 0.0))
        rows = (self._row(task["best_candidate_id"]) for task in alike[:_MOST_ALIKE])
        return [row for row in rows if row is not None]

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
        told = tr("candidate {number} (run {run}, {more})").format(
            number=row["id"], run=run["id"], more=run["strategy"] + seconds
        )
        if row["task_id"] == subject.task_id:
            return told
        task = self.reader.task(row["task_id"])
        return tr("{candidate} of {task}").format(candidate=told, task=task["name"] if task else row["task_id"])

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
            row = self._row(side)  # none of an untuned kernel, which is the subject's
            task_id = subject.task_id if row is None else row["task_id"]
            command = msg.Inspect(project=subject.project, task_id=task_id, candidate_id=side, forms=[form])
            self.ask(command, answered, self.view.tell)

        ask(left_id)

    def _decisions(self, left: int, right: int) -> list[str] | None:
        traces = [self.reader.trace(side) for side in (left, right)]
        return None if traces[0] is None or traces[1] is None else changed_decisions(traces[0], traces[1])
