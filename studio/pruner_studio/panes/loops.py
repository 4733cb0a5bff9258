"""The trace replayed on its loop nest, and the code that is linked to it."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Signal

from pruner_engine.jobs import messages as msg
from pruner_studio.models.trace import instructions
from pruner_studio.panes.pane import NO_CANDIDATE, Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.replay import ReplayView
from pruner_studio.workspace import Workspace


class LoopsPane(Pane):
    """Signals:
    linked: {"text", "nodes", "lines"} of the candidate's code, once the engine has replayed it.
    told: what stands in the place of the code meanwhile.
    lines_chosen: lines of the code that belong to a loop or block that was chosen.
    """

    linked = Signal(object)
    told = Signal(str)
    lines_chosen = Signal(list)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.view = ReplayView()
        self.view.node_chosen.connect(self._node_chosen)
        self.column.addWidget(self.view, 1)
        self._links: dict[str, Any] = {}

    def show_subject(self, subject: Subject) -> None:
        self._links = {}
        trace = self.reader.trace(subject.candidate_id) if subject.candidate_id is not None else None
        self.view.show_trace(instructions(trace) if trace else [])
        if subject.candidate_id is None:
            self._fail(NO_CANDIDATE)
            return
        self.told.emit(tr("Replaying the trace…"))
        command = msg.Inspect(
            project=subject.project, task_id=subject.task_id, candidate_id=subject.candidate_id, forms=["replay"]
        )
        self.ask(command, self._replayed, self._fail)

    def load(self) -> None:
        """Replay the subject although the pane is not visible: its code is asked for elsewhere."""
        if self.subject is not None and self.subject != self._shown:
            self._shown = self.subject
            self.show_subject(self.subject)

    def choose_line(self, line: int) -> None:
        """A line of the code was chosen: mark its loop or block, and all its lines."""
        nodes = self._links.get("nodes", [])
        if line < len(nodes) and nodes[line] is not None:
            self.view.choose_node(nodes[line])
            self.lines_chosen.emit([at for at, node in enumerate(nodes) if node == nodes[line]])

    def words(self) -> list[str]:
        return [] if self.subject is None else self._inspect(self.subject, "replay")

    def _replayed(self, reply: msg.Inspected) -> None:
        replay = json.loads(reply.texts["replay"])
        self._links = replay["code"]
        self.linked.emit(self._links)
        self.view.show_replay(replay)

    def _node_chosen(self, number: int) -> None:
        inside = [line for line, node in enumerate(self._links["nodes"]) if node == number]
        first = self._links["lines"][number]
        self.lines_chosen.emit(sorted({*inside, *([first] if first >= 0 else [])}))

    def _fail(self, text: str) -> None:
        self.view.fail(text)
        self.told.emit(text)
