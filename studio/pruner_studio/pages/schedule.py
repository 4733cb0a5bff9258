"""Schedule: the candidates of a task, and one of them as trace, code and predicted parts."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedWidget, QTabWidget

from pruner_engine import units
from pruner_engine.jobs import messages as msg
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.trace import instructions
from pruner_studio.pages.page import Page
from pruner_studio.widgets.basic import Card, EmptyState, Pill, Segments, button, label
from pruner_studio.widgets.code import SearchableCode
from pruner_studio.widgets.diff import DiffView
from pruner_studio.widgets.parts import PartsView
from pruner_studio.widgets.replay import ReplayView
from pruner_studio.widgets.table import Table
from pruner_studio.widgets.what_if import WhatIfEditor
from pruner_studio.workspace import Problem

FORMS = (("tvmscript", "TVMScript"), ("llvm", "LLVM IR"), ("asm", "Assembly"))
_SHOWN = 500


def outcome(row: dict[str, Any]) -> str:
    """What became of a candidate, in two words."""
    if row["stage"] is None:
        return "not measured"
    if row["stage"] != "ok":
        return f"{row['stage']}: {row['error']}"
    return "abandoned" if row["censored"] else "checked" if row["checked"] else "measured"


def _score(value: float) -> str:
    return f"{value:.2f}"


COLUMNS = (
    Column("#", lambda row: row["id"], units.count, right=True),
    Column("Latency", lambda row: row["seconds"], units.latency, "Median of the repeats", right=True),
    Column("Outcome", outcome, tone=lambda row: "bad" if row["stage"] not in (None, "ok") else "muted"),
    Column("Draft", lambda row: row["draft_score"], _score, "log2 of 1 / predicted seconds", right=True),
    Column(
        "Verified", lambda row: row["verified_score"], _score, "The learned model's score, higher is better", right=True
    ),
    Column("Round", lambda row: row["round"], units.count, right=True),
    Column("Origin", lambda row: row["origin"]),
)


class SchedulePage(Page):
    title = "Schedule"
    subtitle = "What a candidate does to its kernel, and why it is as fast as it is."
    go_to = Signal(str)

    def build(self) -> None:
        self._request = 0
        self._texts: dict[str, str] = {}
        self._shown: tuple[str, int, int | None] | None = None
        self._edited_for: tuple[str, int, int | None] | None = None
        self._candidate: dict[str, Any] | None = None
        self._links: dict[str, Any] = {}
        self._asking = self._ask_again = False
        self._reference: tuple[str, int, int | None] | None = None
        self.task = QComboBox()
        self.task.setAccessibleName("Task")
        self.task.setMinimumWidth(280)
        self.task.activated.connect(lambda at: self.workspace.select(self.task.itemData(at)))
        self.header.addWidget(self.task)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(14)
        split.setChildrenCollapsible(False)
        split.addWidget(self._candidates_card())
        split.addWidget(self._candidate_card())
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setSizes([430, 640])
        self.pages = QStackedWidget()
        self.pages.addWidget(
            EmptyState(
                "schedule",
                "No schedule yet",
                "Candidates of a task are shown here as soon as the first round is measured.",
            )
        )
        self.pages.addWidget(split)
        self.column.addWidget(self.pages, 1)

    def _candidates_card(self) -> Card:
        card = Card("Candidates")
        self.which = Segments("Candidates shown", (("measured", "Measured"), ("all", "All drafted")))
        self.which.chosen.connect(lambda _: self.refresh())
        card.head.addWidget(self.which)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(
            "Candidates",
            self.model,
            lambda row: self.workspace.select(row["task_id"], row["id"]),
            sort_by=(1, Qt.SortOrder.AscendingOrder),
            stretch=2,
        )
        card.body.addWidget(self.table)
        return card

    def _candidate_card(self) -> Card:
        card = Card("Candidate")
        self.candidate_card = card
        self.state = Pill()
        card.head.addWidget(self.state)
        self.reference_button = button(
            "Use as reference", self._use_as_reference, icon="diff", tip="Compare other candidates with this one"
        )
        card.head.addWidget(self.reference_button)
        self.message = label("", "muted", wrap=True)
        card.body.addWidget(self.message)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Views of the candidate")
        self.replay = ReplayView()
        self.replay.node_chosen.connect(self._node_chosen)
        self.tabs.addTab(self.replay, "Trace and loops")
        self.code: dict[str, SearchableCode] = {}
        for form, name in FORMS:
            self.code[form] = SearchableCode(name)
            self.tabs.addTab(self.code[form], name)
        self.code["tvmscript"].view.line_chosen.connect(self._line_chosen)
        self.parts, self.editor = PartsView(), WhatIfEditor()
        self.editor.edited.connect(self._ask_parts)
        self.why = QSplitter(Qt.Orientation.Horizontal)
        self.why.setHandleWidth(14)
        self.why.addWidget(self.editor)
        self.why.addWidget(self.parts)
        self.why.setSizes([320, 320])
        self.tabs.addTab(self.why, "Why, what if")
        self.diff = DiffView()
        self.tabs.addTab(self.diff, "Diff")
        self.tabs.currentChanged.connect(lambda _: self._ask())
        card.body.addWidget(self.tabs, 1)
        return card

    # ------------------------------------------------------------ showing

    def refresh(self) -> None:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        tasks = reader.tasks(run_id) if reader and run_id is not None else []
        known = {row["id"]: row for row in tasks}
        if not tasks or reader is None or run_id is None:
            self.pages.setCurrentIndex(0)
            return
        if self.workspace.task_id not in known:
            heaviest = max(tasks, key=lambda row: (row["trials"] > 0, row["share"] or 0))
            self.workspace.select(heaviest["id"], heaviest["best_candidate_id"])
        task = known[self.workspace.task_id]
        self.pages.setCurrentIndex(1)
        self._fill_tasks(tasks)
        rows = reader.candidates(run_id, task["id"], measured=self.which.current == "measured")
        if len(rows) > _SHOWN and self.which.current == "all":
            rows = sorted(rows, key=lambda row: (row["seconds"] or 1e9, -(row["draft_score"] or -1e9)))[:_SHOWN]
        self.model.show_rows(rows)
        candidate_id = self.workspace.candidate_id or task["best_candidate_id"]
        self.table.choose(candidate_id)
        self._show_candidate(task, candidate_id)

    def _fill_tasks(self, tasks: list[dict[str, Any]]) -> None:
        if [self.task.itemData(at) for at in range(self.task.count())] != [row["id"] for row in tasks]:
            self.task.clear()
            for row in tasks:
                self.task.addItem(row["name"], row["id"])
        self.task.setCurrentIndex(self.task.findData(self.workspace.task_id))

    def _show_candidate(self, task: dict[str, Any], candidate_id: int | None) -> None:
        assert self.workspace.reader is not None
        row = self.workspace.reader.candidate(candidate_id) if candidate_id is not None else None
        if row is None:
            self.candidate_card.heading.setText("Untuned kernel")
            self.candidate_card.note.setText(units.latency(task["untuned_s"]))
            self.state.show_state("no valid candidate yet", "neutral")
            self.message.setText("")
        else:
            self.candidate_card.heading.setText(f"Candidate {row['id']}")
            best = row["id"] == task["best_candidate_id"]
            self.candidate_card.note.setText(_figures(row, task))
            tone = "bad" if row["stage"] not in (None, "ok") else "good" if best else "neutral"
            self.state.show_state("best of its task" if best else outcome(row), tone)
            self.message.setText(row["message"] or "")
        self.message.setVisible(bool(self.message.text()))
        shown = (self.workspace.path, task["id"], candidate_id)
        if shown != self._shown:
            self._shown = shown
            self._texts = {}
            trace = self.workspace.reader.trace(candidate_id) if candidate_id is not None else None
            self.replay.show_trace(instructions(trace) if trace else [])
            self._edited_for = None
            for view in self.code.values():
                view.view.show_text("", "")
            self._ask()

    # ------------------------------------------------------------ questions to the engine

    def _ask(self) -> None:
        """Ask for what the shown tab needs and is not there yet."""
        if self._shown is None or not self.isVisible():
            return
        widget = self.tabs.currentWidget()
        if widget is self.why:
            self._show_why()
            return
        if widget is self.diff:
            self._show_diff()
            return
        form = next((form for form, view in self.code.items() if view is widget), "replay")
        if form == "tvmscript":
            form = "replay"  # it brings the code with links to the loops
        if form in self._texts:
            return
        if form in self.code:
            self.code[form].view.show_text("", "Compiling…")
        project, task_id, candidate_id = shown = self._shown
        if candidate_id is None:
            told = "No candidate of this task was measured in this run."
            self.replay.fail(told)
            for view in self.code.values():
                view.view.show_text("", told)
            return
        self._request += 1
        self.workspace.helper.ask(
            msg.Inspect(
                project=project, task_id=task_id, candidate_id=candidate_id, forms=[form], request=self._request
            ),
            lambda reply: self._answered(shown, reply),
            lambda failure: self._failed(form, failure),
        )

    def _answered(self, shown: tuple[str, int, int | None], reply: msg.Inspected) -> None:
        if shown == self._shown:
            self._texts |= reply.texts
            for form, text in reply.texts.items():
                if form == "replay":
                    self._show_replay(json.loads(text))
                else:
                    self.code[form].view.show_text(form, text)

    def _show_replay(self, replay: dict[str, Any]) -> None:
        self._links = replay["code"]
        self.code["tvmscript"].view.show_text("tvmscript", self._links["text"])
        self.replay.show_replay(replay)

    def _node_chosen(self, number: int) -> None:
        """A loop was chosen: mark the code that belongs to it."""
        inside = [line for line, node in enumerate(self._links["nodes"]) if node == number]
        first = self._links["lines"][number]
        self.code["tvmscript"].view.link(sorted({*inside, *([first] if first >= 0 else [])}))

    def _line_chosen(self, line: int) -> None:
        """A line of code was chosen: mark its loop or block."""
        nodes = self._links["nodes"] if self._links else []
        if line < len(nodes) and nodes[line] is not None:
            self.replay.choose_node(nodes[line])
            self.code["tvmscript"].view.link([at for at, node in enumerate(nodes) if node == nodes[line]], scroll=False)

    def _failed(self, form: str, failure: msg.Failed) -> None:
        told = f"{failure.message}\n{failure.hint}"
        if form in self.code:
            self.code[form].view.show_text("", told)
        else:
            self.replay.fail(told)
            self.code["tvmscript"].view.show_text("", told)
        if failure.kind == "bug":
            self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))

    # ------------------------------------------------------------ diff

    def _use_as_reference(self) -> None:
        """Keep the shown candidate as the left side of the diff."""
        if self._shown is not None and self._shown[2] is not None:
            self._reference = self._shown
            self.tabs.setCurrentWidget(self.diff)
            self._show_diff()

    def _show_diff(self) -> None:
        """Ask for the code of both candidates and line it up."""
        shown, reference = self._shown, self._reference
        if shown is None or shown[2] is None or reference is None or reference[:2] != shown[:2]:
            self.diff.tell("Press “Use as reference” on a candidate, then choose another one of the same task.")
            return
        self.diff.tell("Applying both traces…")
        texts: list[str] = []

        def answered(reply: msg.Inspected) -> None:
            texts.append(reply.texts["tvmscript"])
            if len(texts) == 2 and shown == self._shown and reference == self._reference:
                assert self.workspace.reader is not None
                names = (f"Candidate {reference[2]} (reference)", f"Candidate {shown[2]}")
                traces = [self.workspace.reader.trace(side[2]) for side in (reference, shown) if side[2] is not None]
                self.diff.show_diff(names, (texts[0], texts[1]), changed_decisions(*traces))

        for project, task_id, candidate_id in (reference, shown):
            command = msg.Inspect(project=project, task_id=task_id, candidate_id=candidate_id, forms=["tvmscript"])
            self.workspace.helper.ask(command, answered, lambda failure: self.diff.tell(failure.message))

    # ------------------------------------------------------------ why and what if

    def _show_why(self) -> None:
        """Editors for the shown candidate's decisions, and the parts of its prediction."""
        assert self._shown is not None and self.workspace.reader is not None
        _, task_id, candidate_id = self._shown
        if self._edited_for == self._shown:
            return
        self._edited_for = self._shown
        row = self.workspace.reader.candidate(candidate_id) if candidate_id is not None else None
        sketches = {sketch["id"]: sketch for sketch in self.workspace.reader.sketches(task_id)}
        self._candidate = row if row and row["sketch_id"] in sketches else None
        self.editor.setVisible(self._candidate is not None)
        if self._candidate is None:
            self.parts.tell("The draft model reads candidates of the task's own sketches only.")
            return
        self.editor.show_candidate(sketches[self._candidate["sketch_id"]]["decisions"], self._candidate["decisions"])
        self.parts.tell("Asking the draft model…")
        self._ask_parts()

    def _ask_parts(self) -> None:
        """Ask for the prediction of what the editors say; one question at a time, the newest edit last."""
        if self._candidate is None or self._shown is None:
            return
        if self._asking:
            self._ask_again = True
            return
        self._asking, self._ask_again = True, False
        project, task_id, _ = shown = self._shown
        edited = self.editor.decisions != self.editor.start
        measured = None if edited else self._candidate["seconds"]
        command = msg.WhatIf(
            project=project,
            task_id=task_id,
            sketch_id=self._candidate["sketch_id"],
            decisions=list(self.editor.decisions),
        )

        def answered(reply: msg.WhatIfScore) -> None:
            if shown == self._shown:
                self.parts.show_score(reply, measured, edited=edited)
            done()

        def failed(failure: msg.Failed) -> None:
            self.parts.tell(f"{failure.message} {failure.hint}")
            done()

        def done() -> None:
            self._asking = False
            if self._ask_again:
                self._ask_parts()

        self.workspace.helper.ask(command, answered, failed)


def changed_decisions(left: str | None, right: str | None) -> list[str]:
    """Decisions that two traces of one sketch took differently, as "instruction 4: 2 × 8 → 4 × 4"."""
    if left is None or right is None:
        return []
    ours, theirs = ({row["id"]: row for row in instructions(trace) if row["decision"]} for trace in (left, right))
    return [
        f"instruction {at}: {ours[at]['decision']} → {theirs[at]['decision']}"
        for at in sorted(ours.keys() & theirs.keys())
        if ours[at]["decision"] != theirs[at]["decision"] and ours[at]["kind"] == theirs[at]["kind"]
    ]


def _figures(row: dict[str, Any], task: dict[str, Any]) -> str:
    """Latency, spread over the repeats, rate and gain of a candidate."""
    if row["seconds"] is None:
        return ""
    parts = [units.latency(row["seconds"])]
    if len(row["repeats"]) > 1:
        parts.append(f"±{units.percent((max(row['repeats']) - min(row['repeats'])) / 2 / row['seconds'])}")
    parts.append(units.rate(task["flops"] / row["seconds"], "FLOP"))
    if task["untuned_s"]:
        parts.append(f"{units.ratio(task['untuned_s'] / row['seconds'])} of untuned")
    return "   ".join(parts)
