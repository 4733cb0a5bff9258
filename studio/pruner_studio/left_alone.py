"""Cards about runs without a window, at work or with a dead engine, shown until their project is opened."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pruner_studio import background
from pruner_studio.models.recent import recent, summaries, there
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.workspace import Workspace

_SAID = {
    "paused": (tr("Run {run} of {project} is paused."), tr("Open the project and press Go on."), "info"),
    "alive": (tr("Run {run} of {project} is being tuned."), tr("Open the project to watch and steer it."), "info"),
    "interrupted": (
        tr("Run {run} of {project} was interrupted: its engine ended suddenly."),
        tr("What it measured is kept. Open the project and press Resume to go on."),
        "warning",
    ),
}


class LeftAlone(QObject):
    """Cards about runs of the projects opened lately."""

    def __init__(self, workspace: Workspace, problems: ProblemStack) -> None:
        super().__init__(problems)
        self._workspace, self._problems = workspace, problems
        self._told: dict[str, Problem] = {}
        workspace.opened.connect(self._opened)

    def look(self) -> None:
        """Read the projects in a thread, then tell."""
        background.run(self, lambda: summaries(there(recent())), self._tell, self._problems.tell)

    def _tell(self, rows: list[dict[str, Any]]) -> None:
        for row in reversed(rows):  # the newest project comes on top
            state = next((state for state in _SAID if row[state] is not None), None)
            if state is None or row["path"] == self._workspace.path:
                continue
            message, hint, level = _SAID[state]
            opening = (tr("Open"), partial(self._workspace.open, row["path"], row[state]))
            told = Problem(message.format(run=row[state], project=row["name"]), hint, level=level, actions=(opening,))
            self._told[row["path"]] = told
            self._problems.tell(told)

    def _opened(self) -> None:
        if (told := self._told.pop(self._workspace.path, None)) is not None:
            self._problems.withdraw(told)
