"""The candidate's code in each form that its target has, beside the TVMScript that it comes from."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget

from pruner_engine import protocol as msg
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.reader import ProjectReader
from pruner_studio.panes.loops import LoopsPane
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.search import SearchField
from pruner_studio.widgets.searchable_code import SearchableCode
from pruner_studio.widgets.segments import Segments
from pruner_studio.workspace import Workspace

FORMS = (
    ("tvmscript", "TVMScript"),
    ("cuda", "CUDA"),
    ("ptx", "PTX"),
    ("llvm", "LLVM IR"),
    ("asm", tr("Assembly")),
)
_OF_TARGET = {"cuda": ("tvmscript", "cuda", "ptx", "llvm")}  # LLVM there is the host's side
_OTHERWISE = ("tvmscript", "llvm", "asm")


def forms_of(reader: ProjectReader, run_id: int) -> tuple[str, ...]:
    """The forms of `FORMS` that code for a run's target has.

    Raises:
        UserError: the target makes no sense.
    """
    text = reader.run(run_id)["target"]
    with making_sense(reader.path):
        target: dict[str, Any] = json.loads(text or "{}")
        return _OF_TARGET.get(target.get("kind", ""), _OTHERWISE)


class CodePane(Pane):
    """TVMScript comes with the replay, linked to the loops; the other forms are compiled when they are looked at.

    Their lines are linked to the same loops and blocks, so that what is chosen or pointed at on one side is marked on
    the other.
    """

    def __init__(self, workspace: Workspace, loops: LoopsPane) -> None:
        super().__init__(workspace)
        self._loops = loops
        self._nodes: dict[str, list[int | None]] = {}  # of the lines of each compiled form that is there
        self.forms = Segments(tr("Form of the code"), FORMS)
        self.forms.chosen.connect(lambda _: self.try_again())
        self.column.addWidget(self.forms)
        self.code = {form: SearchableCode(name) for form, name in FORMS}
        self.compiled = QStackedWidget()
        self.sides = Divided(Qt.Orientation.Horizontal, tr("Divider of script and compiled code"), 10)
        self.sides.addWidget(self.code["tvmscript"])
        self.sides.addWidget(self.compiled)
        self.column.addWidget(self.sides, 1)
        script = self.code["tvmscript"].view
        loops.linked.connect(lambda links: script.show_text("tvmscript", links["text"]))
        loops.told.connect(lambda text: script.show_text("", text))
        script.line_chosen.connect(loops.choose_line)
        script.line_pointed.connect(lambda line: loops.point_at(loops.node_at(line)))
        loops.nodes_chosen.connect(lambda nodes: script.link(loops.lines_of(nodes)))
        loops.nodes_pointed.connect(lambda nodes: script.point_at(loops.lines_of(nodes)))
        for form, _ in FORMS:
            if form != "tvmscript":
                self.compiled.addWidget(self.code[form])
                self._link(form)

    def _link(self, form: str) -> None:
        """Let what is chosen or pointed at in a compiled form be chosen or pointed at in all, and the other way."""
        view, loops = self.code[form].view, self._loops
        view.line_chosen.connect(lambda line: loops.choose(self._node_at(form, line)))
        view.line_pointed.connect(lambda line: loops.point_at(self._node_at(form, line)))
        loops.nodes_chosen.connect(lambda nodes: view.link(self._lines_of(form, nodes)))
        loops.nodes_pointed.connect(lambda nodes: view.point_at(self._lines_of(form, nodes)))

    def show_subject(self, subject: Subject) -> None:
        self._nodes = {}
        offered = forms_of(self.reader, subject.run_id)
        for form, _ in FORMS:
            self.forms.part(form).setVisible(form in offered)
            if form != "tvmscript":
                self.code[form].view.show_text("", "")
        if self.forms.current not in offered:
            self.forms.choose("tvmscript")
        self._show_form()

    def try_again(self) -> None:
        """Ask anew for the script and the chosen form, where they are not there."""
        self._loops.try_again()
        self._show_if_visible()
        if self.isVisible():
            self._show_form()

    def finder(self) -> SearchField:
        """That of the side that the keyboard is at, else of the chosen form."""
        script = self.code["tvmscript"]
        return (script if script.isAncestorOf(self.focusWidget() or self) else self.code[self.forms.current]).search

    def words(self) -> list[str]:
        return self._inspect(self.forms.current, self.subject.candidate_id if self.subject else None)

    def _show_form(self) -> None:
        form, subject = self.forms.current, self.subject
        self._loops.load()
        if self.compiled.isHidden() != (form == "tvmscript"):
            self.compiled.setVisible(form != "tvmscript")
            self.sides.setSizes([self.width(), self.width()])
            self.sides.restore()
        if form == "tvmscript":
            return
        self.compiled.setCurrentWidget(self.code[form])
        if subject is None or form in self._nodes:
            return
        view = self.code[form].view
        view.show_text("", tr("Compiling…"))
        command = self._question(subject.project, subject.task_id, subject.candidate_id, form)
        self.ask(command, lambda reply: self._compiled(form, reply), lambda told: view.show_text("", told))

    def _compiled(self, form: str, reply: msg.Inspected) -> None:
        view = self.code[form].view
        view.show_text(form, reply.texts[form])
        self._nodes[form] = reply.nodes.get(form, [])
        view.link(self._lines_of(form, self._loops.chosen))

    def _node_at(self, form: str, line: int | None) -> int | None:
        """The loop or block that a line of a compiled form computes."""
        nodes = self._nodes.get(form, [])
        return nodes[line] if line is not None and line < len(nodes) else None

    def _lines_of(self, form: str, numbers: list[int]) -> list[int]:
        """Lines of a compiled form that compute what loops or blocks hold."""
        inside = self._loops.view.inside(numbers)
        return [line for line, node in enumerate(self._nodes.get(form, [])) if node in inside]
