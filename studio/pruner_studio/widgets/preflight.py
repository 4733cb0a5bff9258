"""What the engine finds out about this machine before a run: its checks, and having them made again."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout

from pruner_engine import protocol as msg
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.checks import CheckList
from pruner_studio.widgets.pill import Pill
from pruner_studio.workspace import Workspace


class Preflight(Card):
    """The checks of this machine, made in a helper engine."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(tr("Pre-flight"))
        self._workspace = workspace
        self.state = Pill(tr("checking"), "info")
        self.head.addWidget(self.state)
        self.checks = CheckList()
        self.body.addWidget(self.checks)
        row = QHBoxLayout()
        self.again = button(tr("Check again"), self.check, "link")
        row.addWidget(self.again)
        row.addStretch(1)
        self.body.addLayout(row)
        for news in (workspace.job_changed, workspace.helpers.busy_changed):
            news.connect(self._enable)
        self._enable()

    def check(self) -> None:
        """Check this machine now."""
        if not self._workspace.helpers.checks:  # else the answer is on the way
            self.state.show_state(tr("checking"), "info")
            self._workspace.helpers.ask(msg.Doctor(), self._checked, self._failed)

    def _enable(self) -> None:
        """Whether the machine can be checked again now, and why it cannot."""
        helpers = self._workspace.helpers
        hindrance = tr("This machine is being checked.") if helpers.checks else helpers.hindrance()
        if self._workspace.job.running:
            hindrance = tr("A job is running: the checks would disturb what it measures.")
        self.again.setEnabled(not hindrance)
        self.again.setToolTip(hindrance)

    def _checked(self, report: msg.DoctorReport) -> None:
        self.checks.show_checks(report.checks)
        self.state.show_state(tr("ready") if report.ok else tr("not ready"), "good" if report.ok else "bad")

    def _failed(self, failure: msg.Failed) -> None:
        self.state.show_state(tr("failed"), "bad")
        self._workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))
