"""The trace replayed on its loop nest, above the code that is linked to it."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt, Signal

from pruner_engine import protocol as msg
from pruner_studio.models.trace import instructions
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.code import CodeView
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.replay import ReplayView
from pruner_studio.widgets.search import Found, Place, SearchField, next_place, places
from pruner_studio.workspace import Workspace


class LoopsPane(Pane):
    """The loop nest of a candidate, linked with its code.

    Signals:
        linked: {"text", "nodes", "lines"} of the candidate's code, once the engine has replayed it.
        told: what stands in the place of the code meanwhile.
        nodes_chosen: loops or blocks of the finished nest, of what was chosen: one of them, an instruction, or a line.
        nodes_pointed: those of what the pointer is on.
    """

    linked = Signal(object)
    told = Signal(str)
    nodes_chosen = Signal(list)
    nodes_pointed = Signal(list)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.view = ReplayView()
        self.view.nodes_chosen.connect(self.nodes_chosen)
        self.view.nodes_pointed.connect(self.nodes_pointed)
        self.code = CodeView(tr("Code of the finished nest"))
        self.nodes_pointed.connect(lambda nodes: self.code.point_at(self.lines_of(nodes)))
        self.code.line_pointed.connect(lambda line: self.point_at(self.node_at(line)))
        self.code.line_chosen.connect(self.choose_line)
        self.linked.connect(lambda links: self.code.show_text("tvmscript", links["text"]))
        self.told.connect(lambda text: self.code.show_text("", text))
        self.nodes_chosen.connect(self._nodes_chosen)
        split = Divided(Qt.Orientation.Vertical, tr("Divider of trace and code"), 10)
        split.addWidget(self.view)
        split.addWidget(self.code)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        self.column.addWidget(split, 1)
        self.search = SearchField(tr("trace and code"), self._find, self.code.marked)
        self.view.bottom.addWidget(self.search)
        self._links: dict[str, Any] = {}
        self._found: Place | None = None  # where what is sought was found last
        self.chosen: list[int] = []  # nodes of the finished nest

    def show_subject(self, subject: Subject) -> None:
        self._links, self._found, self.chosen = {}, None, []
        trace = self.reader.trace(subject.candidate_id)
        self.view.show_trace(instructions(trace) if trace else [])
        self.told.emit(tr("Replaying the trace…"))
        command = self._question(subject.project, subject.task_id, subject.candidate_id, "replay")
        self.ask(command, self._replayed, self._fail)

    def choose_line(self, line: int) -> None:
        """A line of the TVMScript was chosen."""
        self.choose(self.node_at(line))

    def choose(self, node: int | None) -> None:
        """A line of code was chosen: mark its loop or block, the instruction, and all lines."""
        if node is not None:
            self.view.choose_node(node)
            self.nodes_chosen.emit([node])

    def point_at(self, node: int | None) -> None:
        """The pointer is on a line of code."""
        self.view.point_at_node(node if self.view.finished else None)

    def finder(self) -> SearchField:
        return self.search

    def _find(self, text: str, back: bool) -> Found:
        """Go through the instructions and their decisions, then through the code."""
        steps = self.view.model.rows
        among = {at for at, *_ in places(((step["text"], step["decision"] or "") for step in steps), text)}
        lines = places(((line,) for line in self.code.toPlainText().split("\n")), text)
        found = [*((at, 0, 0) for at in sorted(among)), *((len(steps) + at, 0, letter) for at, _, letter in lines)]
        reached = next_place(found, self._found, back=back)
        self._found = reached.place
        if self._found is not None:
            at, _, letter = self._found
            if at < len(steps):
                self.view.choose_instruction(steps[at])
            else:
                self.choose_line(at - len(steps))
                self.code.select(at - len(steps), range(letter, letter + len(text)))
        return reached

    def words(self) -> list[str]:
        return self._inspect("replay", self.subject.candidate_id if self.subject else None)

    def _replayed(self, reply: msg.Inspected) -> None:
        replay = json.loads(reply.texts["replay"])
        self._links = replay["code"]
        self.linked.emit(self._links)
        self.view.show_replay(replay)

    def node_at(self, line: int | None) -> int | None:
        """The innermost loop or block that a line of the TVMScript belongs to."""
        nodes: list[int | None] = self._links.get("nodes", [])
        return nodes[line] if line is not None and line < len(nodes) else None

    def lines_of(self, numbers: list[int]) -> list[int]:
        """Lines of the TVMScript that belong to loops or blocks, with those that open them."""
        if not self._links:
            return []
        inside = {line for line, node in enumerate(self._links["nodes"]) if node in numbers}
        return sorted(inside | {line for number in numbers if (line := self._links["lines"][number]) >= 0})

    def _nodes_chosen(self, nodes: list[int]) -> None:
        self.chosen = nodes
        self.code.link(self.lines_of(nodes))

    def _fail(self, text: str) -> None:
        self.view.fail(text)
        self.told.emit(text)
