"""Any two schedules side by side, of one run, of two, or of two projects, of one task or of alike ones, both named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.inspect.diff import DiffRow, diff_lines
from pruner_engine.jobs.lines import decision_names
from pruner_engine.store.queries.lookups import same_task
from pruner_engine.store.reader import ProjectReader
from pruner_studio import background
from pruner_studio.models.trace import changed_decisions
from pruner_studio.panes.code import forms_of
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.candidates import spread_of
from pruner_studio.widgets.diff import DiffView
from pruner_studio.widgets.elided import Choice
from pruner_studio.widgets.search import SearchField
from pruner_studio.widgets.segments import Segments
from pruner_studio.workspace import Workspace

FORMS = (
    ("trace", tr("Trace")),
    ("nest", tr("Loop nest")),
    ("tvmscript", tr("Code")),
    ("llvm", "LLVM IR"),
    ("asm", tr("Assembly")),
    ("cuda", "CUDA"),
    ("ptx", "PTX"),
    ("why", tr("Symbols")),
)
_MOST_ALIKE = 12  # tasks of the same operator whose best is offered
_COMPILED = ("llvm", "asm", "cuda", "ptx")  # of some targets only

Side = int | str  # a candidate's id; behind the path of its project and a colon where that is another one


class DiffPane(Pane):
    """Left: the reference that the user kept, the best of a run or the untuned kernel; right: the subject."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.reference: int | None = None  # candidate that the user keeps as the left side
        self._chosen: Side | None = None  # left side that the user wants, also while it cannot stand there
        self._beside: Sequence[ProjectReader] = ()  # projects whose candidates are offered too
        workspace.changed.connect(self._look_beside)
        top = QHBoxLayout()
        top.setSpacing(8)
        self.left = Choice()
        self.left.setAccessibleName(tr("Compare with"))
        self.left.activated.connect(self._left_chosen)
        self.forms = Segments(tr("What is compared"), FORMS)
        self.forms.chosen.connect(lambda _: self._compare())
        for form in _COMPILED:  # all of them, which no target has, would ask for more room than a small screen has
            self.forms.part(form).hide()
        top.addWidget(label(tr("Compare with"), "muted"))
        top.addWidget(self.left, 1)
        self.column.addLayout(top)
        self.column.addWidget(self.forms)  # a line of its own: on a small screen both do not fit into one
        self.view = DiffView()
        self.column.addWidget(self.view, 1)

    def keep(self, candidate_id: int | None) -> None:
        """Take a candidate as the left side from now on, or none in particular."""
        self.reference = self._chosen = candidate_id
        self._shown = None
        if self.subject is not None:
            self.look_at(self.subject, self._news)

    def kept(self, task_id: int) -> dict[str, Any] | None:
        """The row of the reference, where it is of a task."""
        row = self._row(self.reference)
        return row if row is not None and row["task_id"] == task_id else None

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

    def finder(self) -> SearchField:
        return self.view.search

    def words(self) -> list[str]:
        """The terminal has --candidate at the left, and its project is the one that is named first."""
        if self.subject is None or self.left.currentData() is None:
            return []
        if self._beside != self.workspace.beside.readers:  # what stands at the left may be of one that is closed
            return []
        reader, left_id = self._place(self.left.currentData())
        right = ["--against", str(self.subject.candidate_id)]
        if reader is self.reader:
            return [*self._inspect(self.forms.current, left_id), *right]
        row = reader.candidate(left_id)
        of_task = self._inspect(self.forms.current, left_id, str(reader.path), row["task_id"] if row else None)
        return [*of_task, *right, "--with", self.subject.project]

    def _place(self, side: Side) -> tuple[ProjectReader, int]:
        """The project that a side is of, and its number there."""
        if isinstance(side, int):
            return self.reader, side
        path, _, number = side.rpartition(":")
        return next(reader for reader in self._beside if str(reader.path) == path), int(number)

    def _look_beside(self) -> None:
        """Another project was laid beside this one, or taken away."""
        if self.workspace.reader is not None and self._beside != self.workspace.beside.readers:
            self._shown = None
            self._show_if_visible()

    def _fill(self, subject: Subject) -> None:
        """The kept reference, the best of the task in each run, of the projects laid beside this one too, the untuned
        kernel, the best of the tasks of the same operator; the user's choice stays.
        """
        offered: dict[Side, str] = {}
        self._beside = self.workspace.beside.readers
        if (kept := self._row(self.reference)) is not None:
            offered[kept["id"]] = tr("Reference: {name}").format(name=self._name(kept, subject))
        for best in reversed(self.reader.bests(subject.task_id)):
            if best["id"] not in offered:
                offered[best["id"]] = tr("Best of run {number}: {name}").format(
                    number=best["run_id"], name=self._name(best, subject)
                )
        own = self._chosen if isinstance(self._chosen, int) else None
        if (chosen := self._row(own)) is not None and chosen["task_id"] == subject.task_id:
            offered.setdefault(chosen["id"], self._name(chosen, subject))  # it was the best of a run that goes on
        for reader in self._beside:
            for best in reader.bests(same_task(self.reader, subject.task_id, reader)):
                offered[f"{reader.path}:{best['id']}"] = self._name(best, subject, reader)
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

    def _name(self, row: dict[str, Any] | None, subject: Subject, of: ProjectReader | None = None) -> str:
        if row is None:
            task = self.reader.task(subject.task_id)
            seconds = task["untuned_s"] if task else None
            return tr("Untuned kernel") + (f", {units.latency(seconds)}" if seconds else "")
        run = (of or self.reader).run(row["run_id"])
        seconds = f", {units.latency(row['seconds'])}" if row["seconds"] else ""
        told = tr("candidate {number} (run {run}, {more})").format(
            number=row["id"], run=run["id"], more=run["strategy"] + seconds
        )
        if of not in (None, self.reader):
            return tr("{project}: {candidate}").format(project=of.path.stem, candidate=told)
        if row["task_id"] == subject.task_id:
            return told
        task = self.reader.task(row["task_id"])
        return tr("{candidate} of {task}").format(candidate=told, task=task["name"] if task else row["task_id"])

    def _compare(self) -> None:
        subject, form = self.subject, self.forms.current
        if subject is None:
            return
        self.view.tell(tr("Applying both traces…"))
        pair = self._place(self.left.currentData()), (self.reader, subject.candidate_id)
        texts: list[list[str]] = []

        def answered(reply: msg.Inspected) -> None:
            texts.append(reply.texts[form].splitlines())
            if len(texts) < len(pair):
                ask(*pair[len(texts)])
            else:
                background.run(self, lambda: diff_lines(*texts), self.in_time(lined_up), self.in_time(not_lined_up))

        def lined_up(rows: list[DiffRow]) -> None:
            left, right = (self._name(reader.candidate(number), subject, reader) for reader, number in pair)
            self.view.show_diff(form, (left, right), rows, self._decisions(*pair), self._verdict(subject, *pair))

        def not_lined_up(problem: Problem) -> None:
            self.view.tell(self.failed_with(problem))

        def ask(reader: ProjectReader, number: int) -> None:
            row = reader.candidate(number)  # none of an untuned kernel, which is the subject's
            task_id = subject.task_id if row is None else row["task_id"]
            self.ask(self._question(str(reader.path), task_id, number, form), answered, self.view.tell)

        ask(*pair[0])

    def _decisions(self, *pair: tuple[ProjectReader, int]) -> list[str] | None:
        left, right = (reader.trace(number) for reader, number in pair)
        if left is None or right is None:
            return None
        row = self.reader.candidate(pair[1][1])
        sketches = self.reader.sketches(row["task_id"]) if row else []
        names = [decision_names(one["decisions"]) for one in sketches if row and one["id"] == row["sketch_id"]]
        return changed_decisions(left, right, *names)

    def _verdict(self, subject: Subject, *pair: tuple[ProjectReader, int]) -> str:
        """Which side is faster, and by how much; empty where they are of different kernels, or one was not timed."""
        sides = [reader.candidate(number) for reader, number in pair]
        own = [row for row, (of, _) in zip(sides, pair, strict=True) if row is not None and of is self.reader]
        if any(row["task_id"] != subject.task_id for row in own):
            return ""
        task = self.reader.task(subject.task_id)
        untuned = task["untuned_s"] if task else None
        left, right = (row["seconds"] if row else untuned for row in sides)
        if not left or not right:
            return ""
        spread, ratio = sum(spread_of(row) for row in sides if row), units.ratio(max(left, right) / min(left, right))
        if ratio == units.ratio(1.0):
            return tr("Both are equally fast.")
        told = tr("The right one is {ratio} faster.") if right < left else tr("The right one is {ratio} slower.")
        doubt = tr("Their repeats differ by more than that.")
        return " ".join([told.format(ratio=ratio), *([doubt] if abs(left - right) < spread else [])])
