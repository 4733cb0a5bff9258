"""What if: the parts of a candidate's prediction, and how they change with other decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_studio.models.words import STAGES
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.problem import Problem
from pruner_studio.said import said
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.parts import ASKING, PartsView
from pruner_studio.widgets.rooms import Division
from pruner_studio.widgets.what_if import WhatIfEditor
from pruner_studio.window_words import advice_of
from pruner_studio.workspace import Workspace

_LEAST_HEIGHT = 160  # pixels of the decisions, and of the prediction below them on a small screen
_PATIENCE_MS = 400  # for which figures of the decisions before stand
_STEPS: dict[type, str] = {msg.Verify: "--verify", msg.Try: "--measure", msg.Pin: "--pin"}


@dataclass(frozen=True)
class _Answer:
    """The answer to a question, in words, with the candidate that it is about, if any."""

    text: str
    candidate_id: int | None = None


class WhatIfPane(Pane):
    """The editor beside the prediction's parts; below it the learned model, the machine and the search are asked."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._row: dict[str, Any] | None = None
        self._specs: list[dict[str, Any]] = []
        self._busy = False  # the engine does what was asked for last
        self._step = ""  # of `pruner try`, whose answer is shown below the prediction
        self._told_of: int | None = None  # candidate that the answer is about
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE_MS)  # an engine that measures answers later
        self.editor, self.parts = WhatIfEditor(), PartsView()
        self._late.timeout.connect(self.parts.wait)
        self.editor.edited.connect(self._edited)
        split = Division(tr("Divider of decisions and prediction"), 0)
        for part in (self.editor, self.parts):
            part.setMinimumHeight(theme.pixels(_LEAST_HEIGHT))
            split.addWidget(part)
        split.setSizes([340, 400])
        self.column.addWidget(split, 1)
        self.answer = label("", "muted", wrap=True, name=tr("Answer about these decisions"), selectable=True)
        self.column.addWidget(self.answer)
        self.column.addLayout(self._actions())

    def _actions(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.verify_button = button(
            tr("Verify"), self.verify, icon="check", tip=tr("Ask the learned model of this run")
        )
        self.measure_button = button(
            tr("Measure now"), self.measure, "primary", "play", tr("Build and time it; it becomes a trial of this run")
        )
        self.next_button = button(
            tr("Measure next"), self.measure_next, icon="pin", tip=tr("The run measures it first in its next round")
        )
        self._buttons = (self.verify_button, self.measure_button, self.next_button)
        self._tips = [made.toolTip() for made in self._buttons]
        for made in self._buttons:
            row.addWidget(made)
        self.show_button = button(tr("Show the candidate"), self._show_told, "link")
        self.show_button.hide()
        row.addWidget(self.show_button)
        row.addStretch(1)
        return row

    # ------------------------------------------------------------ showing

    def show_subject(self, subject: Subject) -> None:
        self._late.stop()
        row = self.candidate(subject)
        sketches = {sketch["id"]: sketch for sketch in self.reader.sketches(subject.task_id)}
        self._row = row if row and row["sketch_id"] in sketches else None
        for part in (self.editor, *self._buttons):
            part.setVisible(self._row is not None)
        self._answer_nothing()
        self._busy = False
        if self._row is None:
            self.parts.tell(tr("The draft model reads candidates of the task's own sketches only."))
            return
        self._specs = sketches[self._row["sketch_id"]]["decisions"]
        self.editor.show_candidate(self._row["id"], self._specs, self._row["decisions"])
        self.parts.tell(ASKING)
        self._predict()

    def show_news(self, subject: Subject) -> None:
        """The shown candidate itself may have been measured, or its time told anew."""
        row = self.candidate(subject)
        if self._row is not None and row is not None and _known(row) != _known(self._row):
            self._row = row
            self._predict()

    def _forget(self) -> None:
        super()._forget()
        self._late.stop()
        self.editor.forget()

    def _show_if_visible(self) -> None:
        super()._show_if_visible()
        if self.isVisible():
            self._enable()

    def _edited(self) -> None:
        if self.subject is not None and self._row is not None:
            # a run that finds a better candidate would otherwise show that one, and the edit would be lost
            self.workspace.select(self.subject.task_id, self._row["id"])
        self._answer_nothing()
        self._predict()

    def _answer_nothing(self) -> None:
        self._step = ""
        self._tell("")

    def _tell(self, text: str, candidate_id: int | None = None) -> None:
        """An answer, and the way to the candidate that it is about."""
        self.answer.setText(text)
        self._told_of = candidate_id
        self.show_button.setVisible(candidate_id is not None and self._row is not None)
        if candidate_id is not None:
            named = tr("Show candidate {number}").format(number=candidate_id)
            self.show_button.setText(named)
            self.show_button.setAccessibleName(named)

    def _show_told(self) -> None:
        if self.subject is not None and self._told_of is not None:
            self.workspace.select(self.subject.task_id, self._told_of)

    def _predict(self) -> None:
        """Ask for the prediction of what the editors say, held against that of the candidate as it is."""
        shown = self._shown
        if self._row is None or shown is None:
            return
        edited = self.editor.decisions != self.editor.start
        known = self._row["stage"] == "ok" and not self._row["censored"] and not edited
        measured = self._row["seconds"] if known else None
        command = msg.WhatIf(
            project=shown.project,
            task_id=shown.task_id,
            sketch_id=self._row["sketch_id"],
            decisions=list(self.editor.decisions),
            measured_s=measured,
            against=list(self.editor.start) if edited else None,
            plugins=self.workspace.plugins,
        )

        def answered(answer: msg.WhatIfScore) -> None:
            self._late.stop()
            self.parts.show_score(answer, measured)
            if command.decisions != self.editor.decisions:  # that of later ones is on its way
                self._late.start()

        def failed(told: str) -> None:
            self._late.stop()
            self.parts.tell(told)

        if not self._late.isActive():
            self._late.start()
        self.ask(command, answered, failed)

    # ------------------------------------------------------------ the learned model, the machine, the search

    def verify(self) -> None:
        self._do(msg.Verify, tr("Asking the learned model…"), self._verified)

    def measure(self) -> None:
        """Measure now; the shown run, where this window tunes it, takes the row into its next round instead."""
        if self.workspace.steers_shown:
            self.measure_next()
        else:
            self._do(msg.Try, tr("Building and timing it…"), self._tried)

    def measure_next(self) -> None:
        if self.workspace.steers_shown:
            self._step = _STEPS[msg.Pin]
            self.workspace.control(self._command(msg.Pin))
            self._tell(tr("The running search measures it first in its next round."))
        else:
            self._do(msg.Pin, tr("Putting it into the run…"), self._pinned)

    def _do(self, kind: type, meanwhile: str, sentence_of: Callable[[Any], str]) -> None:
        if self._row is None or self.subject is None:
            return
        self._step = _STEPS[kind]
        self._tell(meanwhile)
        self._busy = True
        self._enable()
        command, candidate_id = self._command(kind), self._row["id"]

        def tell(answer: _Answer) -> None:
            self._busy = False
            self._enable()
            before = tr("About the decisions before: {answer}").format(answer=answer.text)
            told = answer.text if command.decisions == self.editor.decisions else before
            self._tell(told, answer.candidate_id if answer.candidate_id != candidate_id else None)
            if not self.isVisible():
                tell_elsewhere(answer)

        def tell_elsewhere(answer: _Answer) -> None:
            """What changed the project is told wherever its user looks by now."""
            if kind is not msg.Verify:
                asked = tr("Asked for with decisions of candidate {number}.").format(number=candidate_id)
                self.workspace.problem.emit(Problem(answer.text, asked, level="info"))

        told = self.in_time(tell, tell_elsewhere)
        self.ask_anyway(
            command,
            lambda reply: told(_Answer(sentence_of(reply), getattr(reply, "candidate_id", None))),
            lambda text: told(_Answer(text)),
        )

    def _enable(self) -> None:
        """What can be pressed now, and why the rest cannot."""
        for made, tip, hindrance in zip(self._buttons, self._tips, ("", *self._hindrances()), strict=True):
            made.setEnabled(not (self._busy or hindrance))
            made.setToolTip(hindrance or tip)

    def _hindrances(self) -> tuple[str, str]:
        """Why a row cannot be measured now, and why it cannot be put into the run; empty where it can."""
        workspace = self.workspace
        if self.subject is None or workspace.steers_shown:
            return "", ""
        working = workspace.job.running
        if (working and workspace.job_is_of_shown_project) or any(run["alive"] for run in self.reader.runs()):
            taken = tr("Another engine works on this project: wait until it has ended, or stop it.")
            return taken, taken
        disturbing = tr("The job of this window and a measurement would disturb each other: measure when it has ended.")
        return disturbing if working else "", ""

    def _command(self, kind: type) -> Any:
        assert self.subject is not None and self._row is not None
        return kind(
            project=self.subject.project,
            run_id=self.subject.run_id,
            task_id=self.subject.task_id,
            sketch_id=self._row["sketch_id"],
            decisions=list(self.editor.decisions),
            plugins=self.workspace.plugins,
        )

    def _verified(self, reply: msg.Verified) -> str:
        return (
            tr("{model} puts it on place {place} of {of} candidates of this task; such a score took {latency}.").format(
                model=reply.model, place=reply.place, of=reply.of, latency=units.latency(reply.like_s)
            )
            + " "
            + tr("It learned from {source}.").format(source=said(reply.learned_from))
        )

    def _tried(self, reply: msg.Tried) -> str:
        self.workspace.changed.emit()
        if reply.stage != "ok":
            told = tr("Candidate {number} failed in {stage}: {message}")
            stage, why = STAGES.get(reply.stage, reply.stage), said(reply.message)
            failed = told.format(number=reply.candidate_id, stage=stage, message=why)
            return f"{failed}\n{advice_of(reply.stage, reply.error)}"
        told = tr("was measured before") if reply.before else tr("is a trial of this run now")
        number = tr("Candidate {number}").format(number=reply.candidate_id)
        return f"{units.latency(reply.seconds)}. {number} {told}."

    def _pinned(self, reply: msg.Pinned) -> str:
        told = tr("was measured before") if reply.before else tr("is measured first when the run goes on (Resume)")
        return tr("Candidate {number}").format(number=reply.candidate_id) + f" {told}."

    def words(self) -> list[str]:
        """The `pruner try` line that asks the same: the draft model, or whoever gave the answer that is shown."""
        if self.subject is None or self._row is None:
            return []
        of_run = self.subject.project, self.subject.task_id, self.subject.run_id
        words = lines.try_words(*of_run, self._row["id"], self.workspace.plugins)
        names = lines.decision_names(self._specs)
        for name, spec, old, new in zip(names, self._specs, self.editor.start, self.editor.decisions, strict=True):
            if old != new:
                words += ["--decide", f"{name}={_value(spec, new)}"]
        return [*words, self._step] if self._step else words


def _known(row: dict[str, Any]) -> tuple[Any, ...]:
    """What measuring has told of a candidate."""
    return row["stage"], row["seconds"]


def _value(spec: dict[str, Any], value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(spec["domain"]["candidates"][value] if "candidates" in spec["domain"] else value)
