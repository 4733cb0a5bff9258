"""The candidate's code in each form that its target has."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtWidgets import QStackedWidget

from pruner_engine.jobs import messages as msg
from pruner_engine.store.reader import ProjectReader
from pruner_studio.panes.loops import LoopsPane
from pruner_studio.panes.pane import NO_CANDIDATE, Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Segments
from pruner_studio.widgets.code import SearchableCode
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
    """The forms of `FORMS` that code for a run's target has."""
    target: dict[str, Any] = json.loads(reader.run(run_id)["target"] or "{}")
    return _OF_TARGET.get(target.get("kind", ""), _OTHERWISE)


class CodePane(Pane):
    """TVMScript comes with the replay, linked to the loops; the other forms are compiled when they are looked at."""

    def __init__(self, workspace: Workspace, loops: LoopsPane) -> None:
        super().__init__(workspace)
        self._loops = loops
        self._there: set[str] = set()
        self.forms = Segments(tr("Form of the code"), FORMS)
        self.forms.chosen.connect(lambda _: self._show_form())
        self.column.addWidget(self.forms)
        self.stack = QStackedWidget()
        self.code: dict[str, SearchableCode] = {}
        for form, name in FORMS:
            self.code[form] = SearchableCode(name)
            self.stack.addWidget(self.code[form])
        self.column.addWidget(self.stack, 1)
        script = self.code["tvmscript"].view
        loops.linked.connect(lambda links: script.show_text("tvmscript", links["text"]))
        loops.told.connect(lambda text: script.show_text("", text))
        loops.lines_chosen.connect(script.link)
        script.line_chosen.connect(loops.choose_line)

    def show_subject(self, subject: Subject) -> None:
        self._there = set()
        offered = forms_of(self.reader, subject.run_id)
        for form, _ in FORMS:
            self.forms.part(form).setVisible(form in offered)
            if form != "tvmscript":
                self.code[form].view.show_text("", "")
        if self.forms.current not in offered:
            self.forms.choose("tvmscript")
        self._show_form()

    def words(self) -> list[str]:
        return self._inspect(self.forms.current, self.subject.candidate_id if self.subject else None)

    def _show_form(self) -> None:
        form, subject = self.forms.current, self.subject
        self.stack.setCurrentWidget(self.code[form])
        if form == "tvmscript":
            self._loops.load()
            return
        if subject is None or form in self._there:
            return
        self._there.add(form)
        view = self.code[form].view
        if subject.candidate_id is None:
            view.show_text("", NO_CANDIDATE)
            return
        view.show_text("", tr("Compiling…"))
        command = msg.Inspect(
            project=subject.project, task_id=subject.task_id, candidate_id=subject.candidate_id, forms=[form]
        )
        self.ask(
            command,
            lambda reply: view.show_text(form, reply.texts[form]),
            lambda told: view.show_text("", told),
        )
