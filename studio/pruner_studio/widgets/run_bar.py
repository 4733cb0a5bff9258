"""The bar on top: which project and run is shown, its state, and pause, stop or resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from pruner_engine import protocol as msg
from pruner_engine.store.run_states import IMPORTED
from pruner_studio.announcing import announce
from pruner_studio.models.runs import STATES, budget_used, run_name
from pruner_studio.models.words import PHASES
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label, paint_icon
from pruner_studio.widgets.elided import Choice, Elided
from pruner_studio.widgets.go_on import GoOn
from pruner_studio.widgets.pill import Pill
from pruner_studio.workspace import Workspace

_PAUSE = (tr("Pause"), "pause", tr("Hold after the candidates in flight (Ctrl+P)"))
_UNPAUSE = (tr("Go on"), "play", tr("Go on with the search that is held (Ctrl+P)"))
_RESUME_TIP = tr("Go on where the run was left (Ctrl+R)")
_GO_ON_TIP = tr("Let the run make more trials than its budget")
_LEAST_NAME = 100  # pixels of the project's name
_PROJECTS_SHARE = 3  # it has no more than a third of the bar


class RunBar(QFrame):
    """The bar above the pages: the run shown, its state, and what can be done with it.

    Attributes:
        has_plan: the run shown was searched, so that it can be made anew; what others measured was not.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self._told: tuple[str, int | None, str] = ("", None, "")  # project, run and its state
        self.setObjectName("topbar")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(24, 9, 24, 9)
        row.setSpacing(10)
        self.project = Elided(tr("No project open"))
        self.project.setProperty("role", "project")
        self.project.least = theme.pixels(_LEAST_NAME)
        self.project.is_name = True
        self.runs = Choice()
        self.runs.setAccessibleName(tr("Run shown"))
        self.runs.setMinimumContentsLength(16)
        self.runs.activated.connect(lambda at: workspace.choose_run(self.runs.itemData(at)))
        self.state = Pill()
        self.phase = label("", "faint", cut=True)
        self.pause_button = button("", self.toggle_pause)
        self.stop_button = button(
            tr("Stop"), self.stop, "danger", "stop", tr("End the job; a run can be resumed (Ctrl+.)")
        )
        self.resume_button = button(tr("Resume"), self.resume, "primary", "play", _RESUME_TIP)
        self.go_on_button = button(tr("Go on…"), self.go_on, icon="play", tip=_GO_ON_TIP)
        self.more = GoOn(self)
        self.more.chosen.connect(workspace.start)
        for part in (self.project, self.runs, self.state):
            row.addWidget(part)
        row.addWidget(self.phase, 1)
        for made in (self.pause_button, self.stop_button, self.resume_button, self.go_on_button):
            row.addWidget(made)
        outer.addLayout(row)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Share of the budget used"))
        self.progress.setFixedHeight(3)
        room = self.progress.sizePolicy()
        room.setRetainSizeWhenHidden(True)  # the page stays where it is when a run ends
        self.progress.setSizePolicy(room)
        self.progress.setStyleSheet("min-height: 3px; max-height: 3px; border-radius: 0; background: transparent;")
        outer.addWidget(self.progress)
        for signal in (workspace.opened, workspace.changed, workspace.job_changed):
            signal.connect(self.refresh)
        workspace.helpers.busy_changed.connect(self._enable_resume)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A long name of the project leaves the run its room; the tool tip tells it whole."""
        super().resizeEvent(event)
        most = max(self.project.least, self.width() // _PROJECTS_SHARE)
        if most != self.project.most:
            self.project.most = most
            self.project.updateGeometry()

    def refresh(self) -> None:
        run = self.workspace.run()
        tuning = self.workspace.tuning
        self.setVisible(bool(run) or self.workspace.job.running)
        self.project.setText(Path(self.workspace.path).stem if run else Path(self.workspace.job.work.project).stem)
        self._fill_runs()
        state, stopping = self.workspace.state_shown(run), self.workspace.job.work.state == "stopping"
        self.state.show_state(*STATES.get(state, ("", "neutral")))
        self._announce_state()
        self.has_plan = run is not None and run["strategy"] != IMPORTED
        alive = bool(run and run["alive"])
        self.phase.setText(self._phase(run))
        self.pause_button.setVisible(tuning and not stopping)
        self._name_pause()
        self.stop_button.setVisible(self.workspace.job.running)
        self.stop_button.setEnabled(not stopping)
        idle = self.has_plan and not alive and not self.workspace.job.running
        # one that was interrupted has something to finish, whatever it has spent
        spent = state == "finished" or (run is not None and state != "interrupted" and budget_used(run) == 1)
        self.resume_button.setVisible(idle and not spent)
        self.go_on_button.setVisible(idle and spent)
        self._enable_resume()
        self._show_progress(run, self.workspace.steers_shown or alive)

    def _announce_state(self) -> None:
        """Have another state of the same run said; what is chosen is said as such."""
        before, self._told = self._told, (self.workspace.path, self.workspace.run_id, self.state.text())
        if self._told[:2] == before[:2] and self._told[2] not in ("", before[2]):
            announce(self.state, ": ".join(filter(None, (self.runs.currentText(), self._told[2]))))

    def _enable_resume(self) -> None:
        """Whether a run can be gone on with now, and why it cannot."""
        hindrance = self.workspace.helpers.hindrance()
        for made, tip in ((self.resume_button, _RESUME_TIP), (self.go_on_button, _GO_ON_TIP)):
            made.setEnabled(not hindrance)
            made.setToolTip(hindrance or tip)

    @property
    def _paused(self) -> bool:
        """The job is held: the buttons act on it, whichever run is shown."""
        return self.workspace.job.work.state == "paused"

    def _name_pause(self) -> None:
        name, icon, tip = _UNPAUSE if self._paused else _PAUSE
        if self.pause_button.text() != name:
            self.pause_button.setText(name)
            self.pause_button.setAccessibleName(name)
            self.pause_button.setToolTip(tip)
            paint_icon(self.pause_button, icon)

    def _phase(self, run: dict[str, Any] | None) -> str:
        """What the job does, with its name where something else is shown."""
        workspace, work = self.workspace, self.workspace.job.work
        if not workspace.job.running:
            return PHASES.get(run["phase"], run["phase"]) if run and run["alive"] else ""
        here = workspace.steers_shown if workspace.tuning else workspace.job_is_of_shown_project
        held = work.state in ("paused", "stopping")
        doing = STATES[work.state][0] if held else work.phase
        if here and workspace.state_shown(run) == "paused":
            return ""  # what was done last is not done now
        if run is None or here:
            exporting = tr("Exporting: {phase}").format(phase=doing)  # beside the state of the run that is exported
            return work.phase if workspace.tuning else exporting
        if not workspace.job_is_of_shown_project:
            name = Path(work.project).stem
        else:
            name = tr("New run") if work.run_id is None else tr("Run {id}").format(id=work.run_id)
        return tr("{job}: {phase}").format(job=name, phase=doing)

    def _show_progress(self, run: dict[str, Any] | None, busy: bool) -> None:
        used = budget_used(run) if run and busy else None
        self.progress.setVisible(used is not None or self.workspace.job.running)
        if used is None:
            self.progress.setRange(0, 0 if self.workspace.job.running else 1)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(used * 1000))

    def _fill_runs(self) -> None:
        runs = self.workspace.reader.runs() if self.workspace.reader else []
        self.runs.offer([(run_name(run), run["id"]) for run in reversed(runs)], self.workspace.run_id)
        self.runs.setVisible(bool(runs))

    # ------------------------------------------------------------ actions

    def toggle_pause(self) -> None:
        if self.workspace.tuning:
            self.workspace.control(msg.Unpause() if self._paused else msg.Pause())

    def stop(self) -> None:
        self.workspace.control(msg.Stop())

    def resume(self) -> None:
        if self.workspace.run_id is not None and self.resume_button.isVisible() and self.resume_button.isEnabled():
            path, run_id, plugins = self.workspace.path, self.workspace.run_id, self.workspace.plugins
            self.workspace.start(msg.Resume(project=path, run_id=run_id, plugins=plugins))

    def go_on(self) -> None:
        run = self.workspace.run()
        if run is not None and self.go_on_button.isVisible() and self.go_on_button.isEnabled():
            self.more.ask(self.workspace.path, run, self.workspace.plugins, self.go_on_button)
