"""Schedule: the candidates of a task, and one of them from every side."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QTabWidget

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_studio import clipboard
from pruner_studio.models.narrowing import narrowed
from pruner_studio.pages.finder import Finder
from pruner_studio.pages.page import Page
from pruner_studio.panes.code import CodePane
from pruner_studio.panes.decisions import DecisionsPane
from pruner_studio.panes.diff import DiffPane
from pruner_studio.panes.loops import LoopsPane
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.panes.roofline import RooflinePane
from pruner_studio.panes.what_if import WhatIfPane
from pruner_studio.said import said
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, icon_button, label
from pruner_studio.widgets.candidates import CandidatesCard, figures, figures_tip, outcome
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.elided import Choice
from pruner_studio.widgets.empty_state import EmptyState
from pruner_studio.widgets.log_fold import LogFold
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.rooms import Division
from pruner_studio.window_words import advice_of

_KEEP = (tr("Use as reference"), tr("Compare other candidates with this one"))
_LET_GO = (tr("Clear the reference"), tr("Other candidates are compared with this one: compare them with it no longer"))
_UNTRIED = tr("Trace, code and decisions are shown here once a candidate of this task was measured.")
_FAILED = tr("No candidate of this task is valid; choose one at the left to see why.")
_SIDE_BY_SIDE = 960  # pixels from which on the candidates stand beside the one that is looked at


class SchedulePage(Page):
    """The candidates of a task, and panes that show one of them."""

    title = tr("Schedule")
    subtitle = tr("What a candidate does to its kernel, and why it is as fast as it is.")

    def build(self) -> Iterator[None]:
        self._subject: Subject | None = None
        self._sought: tuple[object, ...] = ()  # for which the list of candidates was scrolled last
        self._first_id: int | None = None  # task that is shown while the user has chosen none
        self.workspace.opened.connect(self._forget_first)
        self.header.addWidget(NarrowedBy(self.workspace))
        self.task = Choice()
        self.task.setAccessibleName(tr("Task"))
        self.task.activated.connect(lambda at: self.workspace.select(self.task.itemData(at)))
        self.header.addWidget(self.task)
        split = Division(tr("Divider of candidates and candidate"), _SIDE_BY_SIDE)
        self.pages = self.add_stack(
            self.nothing(
                "schedule",
                tr("No schedule yet"),
                tr("Candidates of a task are shown here as soon as the first round is measured."),
            ),
            split,
        )
        self.candidates = CandidatesCard(lambda row: self.workspace.select(row["task_id"], row["id"]))
        self.candidates.shown_changed.connect(self.refresh)
        # Of their own, so that the division stays where it is whatever the views want
        self.candidates.setMinimumWidth(theme.pixels(420))
        split.addWidget(self.candidates)
        yield
        self.candidate_card = Card(tr("Candidate"))
        self.candidate_card.setMinimumWidth(theme.pixels(440))
        split.addWidget(self.candidate_card)
        split.setSizes([420, 740])  # and so in any width: neither has a stretch of its own
        self._fill_candidate(self.candidate_card)
        yield from self._add_panes(self.candidate_card)

    def _fill_candidate(self, card: Card) -> None:
        self.state = Pill()
        card.head.addWidget(self.state)
        self.reference_button = button(_KEEP[0], self._turn_reference, icon="diff", tip=_KEEP[1])
        card.head.addWidget(self.reference_button)
        self.candidates.table.row_actions = lambda: (
            (self.reference_button.text(), self._turn_reference, self.reference_button.isEnabled()),
        )
        self.copy_button = icon_button("copy", tr("Copy as command"), lambda: clipboard.copy(self.command_line()))
        card.head.addWidget(self.copy_button)
        card.keep_note_below()
        card.note.setToolTip(figures_tip())
        self.message = label("", "muted", wrap=True, selectable=True)
        card.body.addWidget(self.message)
        self.hint = label("", "muted", wrap=True, selectable=True)
        card.body.addWidget(self.hint)
        self.log = LogFold()
        card.body.addWidget(self.log)
        self.nothing_here = EmptyState("schedule", "", "", None)
        self.nothing_here.hide()
        card.body.addWidget(self.nothing_here, 1)

    def _add_panes(self, card: Card) -> Iterator[None]:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Views of the candidate"))
        self.tabs.tabBar().setAccessibleName(tr("Views of the candidate"))
        card.body.addWidget(self.tabs, 1)
        self.panes: list[tuple[str, Pane]] = []
        self.loops = LoopsPane(self.workspace)
        self._add_pane(tr("Trace and loops"), self.loops)
        yield
        self.code = CodePane(self.workspace, self.loops)
        self._add_pane(tr("Code"), self.code)
        yield
        self.what_if = WhatIfPane(self.workspace)
        self._add_pane(tr("Why, what if"), self.what_if)
        yield
        self.decisions = DecisionsPane(self.workspace)
        self._add_pane(tr("Decisions"), self.decisions)
        yield
        self.roofline = RooflinePane(self.workspace)
        self.roofline.picked.connect(self._candidate_picked)
        self._add_pane(tr("Roofline"), self.roofline)
        yield
        self.diff = DiffPane(self.workspace)
        self._add_pane(tr("Diff"), self.diff)
        yield

    def _add_pane(self, name: str, pane: Pane) -> None:
        self.panes.append((name, pane))
        self.tabs.addTab(pane, name)

    # ------------------------------------------------------------ showing

    def steps(self) -> Iterator[None]:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        tasks = reader.tasks(run_id) if reader and run_id is not None else []
        known = {row["id"]: row for row in tasks}
        self.task.setVisible(bool(tasks))
        if not tasks or reader is None or run_id is None:
            self.pages.setCurrentIndex(0)
            self.tell_nothing()
            self.task.clear()
            return
        chosen = self.workspace.task_id in known
        task = known[self.workspace.task_id if chosen else self._first(tasks)]
        self.pages.setCurrentIndex(1)
        self._fill_tasks(tasks, task["id"])
        candidate_id = (self.workspace.candidate_id if chosen else None) or task["best_candidate_id"]
        yield
        self.candidates.show_task(reader, run_id, task["id"], candidate_id)
        sought = (reader, run_id, task["id"], self.workspace.candidate_id, self.candidates.which.current)
        # A list that somebody reads stays where it is although a run finds a better candidate
        self.candidates.table.choose(candidate_id, seek=sought != self._sought)
        if sought != self._sought:  # it may be chosen already, and have gone elsewhere with other rows around it
            self.candidates.table.bring_into_sight()
        self._sought = sought
        self._show_candidate(task, candidate_id)

    def _first(self, tasks: list[dict[str, Any]]) -> int | None:
        """The heaviest task that the filter lets through; it stays, although the search makes others the heaviest."""
        offered = narrowed(tasks, self.workspace.filter) or tasks
        if self._first_id not in {row["id"] for row in offered}:
            self._first_id = max(offered, key=lambda row: (row["trials"] > 0, row["share"] or 0))["id"]
        return self._first_id

    def _forget_first(self) -> None:
        self._first_id = None

    def _fill_tasks(self, tasks: list[dict[str, Any]], shown_id: int) -> None:
        """Those that the filter lets through, and in any case the one shown."""
        kept = {row["id"] for row in narrowed(tasks, self.workspace.filter)} | {shown_id}
        self.task.offer([(row["name"], row["id"]) for row in tasks if row["id"] in kept], shown_id)

    def _show_candidate(self, task: dict[str, Any], candidate_id: int | None) -> None:
        assert self.workspace.reader is not None and self.workspace.run_id is not None
        row = self.workspace.reader.candidate(candidate_id) if candidate_id is not None else None
        of_task = self.workspace.path, self.workspace.run_id, task["id"]
        subject = Subject(*of_task, row["id"]) if row is not None else None
        if row is None:
            tried = task["trials"] > 0
            self.candidate_card.heading.setText(tr("Untuned kernel"))
            self.candidate_card.note.setText(units.latency(task["untuned_s"]))
            self.state.show_state(tr("no valid candidate yet"), "bad" if tried else "neutral")
            self._tell("")
            self.nothing_here.tell(tr("No candidate to show"), _FAILED if tried else _UNTRIED)
        else:
            self.candidate_card.heading.setText(tr("Candidate {number}").format(number=row["id"]))
            best = row["id"] == task["best_candidate_id"]
            self.candidate_card.note.setText(figures(row, task, self.diff.kept(task["id"])))
            tone = "bad" if row["stage"] not in (None, "ok") else "good" if best else "neutral"
            self.state.show_state(tr("best of its task") if best else outcome(row), tone)
            failed = row["stage"] not in (None, "ok")
            hint = advice_of(row["stage"], row["error"]) if failed else ""
            self._tell(said(row["message"] or ""), hint, row["log"] or "" if failed else "")
        self.candidate_card.note.setVisible(row is not None or bool(task["untuned_s"]))
        self.reference_button.setEnabled(row is not None)
        self.nothing_here.setVisible(row is None)
        self.tabs.setVisible(row is not None)
        self._subject = subject
        self._name_reference()
        news = task["trials"] + self.workspace.reader.told_anew()
        for _, pane in self.panes:
            pane.look_at(subject, news)

    def _tell(self, message: str, hint: str = "", log: str = "") -> None:
        """Tell the outcome of the candidate's measurement, what to do about a failure, and what its worker wrote."""
        for shown, text in ((self.message, message), (self.hint, hint)):
            shown.setText(text)
            shown.setVisible(bool(text))
        self.log.show_log(log)

    # ------------------------------------------------------------ choosing

    def _candidate_picked(self, candidate_id: int) -> None:
        row = self.workspace.reader.candidate(candidate_id) if self.workspace.reader else None
        if row is not None:
            self.workspace.select(row["task_id"], candidate_id)

    def left_out(self) -> Iterable[str]:
        return (self.candidates.left_out.text(), self.roofline.left_out if self.roofline.isVisible() else "")

    def finder(self) -> Finder | None:
        own = [found for _, pane in self.panes if pane.isVisible() and (found := pane.finder()) is not None]
        return own[0] if own else super().finder()

    def edits(self) -> Sequence[QUndoStack]:
        editor = self.what_if.editor
        return [editor.stack] if editor.isVisible() else []

    def command_line(self) -> str:
        """The line of the shown view; that of the tasks where it shows no candidate."""
        if self.workspace.run_id is None or self.pages.currentIndex() == 0:
            return super().command_line()
        pane = next(pane for _, pane in self.panes if pane is self.tabs.currentWidget())
        return shlex.join(pane.words()) or lines.tasks_line(self.workspace.path, self.workspace.run_id)

    @property
    def _is_reference(self) -> bool:
        """Whether the shown candidate is the one that others are compared with."""
        return self._subject is not None and self._subject.candidate_id == self.diff.reference

    def _name_reference(self) -> None:
        name, tip = _LET_GO if self._is_reference else _KEEP
        self.reference_button.setText(name)
        self.reference_button.setAccessibleName(name)
        self.reference_button.setToolTip(tip)

    def _turn_reference(self) -> None:
        """Keep the shown candidate as the left side of the diff, or no longer."""
        if self._subject is None:
            return
        if self._is_reference:
            self.diff.keep(None)
        else:
            self.diff.keep(self._subject.candidate_id)
            self.tabs.setCurrentWidget(self.diff)
        self.refresh()
