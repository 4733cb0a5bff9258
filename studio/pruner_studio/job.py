"""The job of a window: the engine process that tunes or exports for it, and that process's state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pruner_engine import protocol as msg
from pruner_engine.store.figures import slower
from pruner_studio.engine_client import NOT_STARTED, EngineClient
from pruner_studio.models.slower import remedy, told_slower
from pruner_studio.models.words import PHASES
from pruner_studio.problem import Problem
from pruner_studio.said import said
from pruner_studio.translation import tr

_DETACH_MS = 5_000
_AFTER_CRASH = {
    "tune": tr("What was measured is in the project file: press Resume to go on."),
    "export": tr("No tuning is lost. Export again; if it ends again, send the makers a report (Help menu)."),
}


@dataclass
class Work:
    """What a job does.

    Attributes:
        task: tune | export | "" while there is none.
        phase: in words.
        project: path of the file.
        run_id: run that is tuned; None before a new one has its number.
        state: a run's state, or "stopping".
        begun_in: the project that was open when the job was started.
    """

    task: str = ""
    phase: str = ""
    project: str = ""
    run_id: int | None = None
    state: str = ""
    begun_in: str = ""


class Job(EngineClient):
    """The window's job: the engine that tunes or exports, and what it says.

    Signals:
        changed: it started, ended or changed its state.
        problem: a Problem to show.
        solved: a Problem that has gone by itself.
        run_started: RunStarted of the run that has its number now.
        exported: it wrote a model into this folder.
        detached: after `detach`, whether the engine goes on alone, or has ended in good order; otherwise it is not to
            lose this process.

    Attributes:
        alone: the engine goes on when this process ends.
    """

    changed = Signal()
    problem = Signal(object)
    solved = Signal(object)
    run_started = Signal(object)
    exported = Signal(str)
    detached = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.work = Work()
        self.alone = False
        self._patience = QTimer(self, singleShot=True, interval=_DETACH_MS)
        self._patience.timeout.connect(lambda: self.detached.emit(False))
        self._crash: Problem | None = None  # told of the job before
        self.received.connect(self._heard)
        self.ended.connect(self._work_ended)
        self.pulse.weak.connect(lambda: self.problem.emit(self._silence()))
        self.pulse.strong.connect(lambda: self.solved.emit(self._silence()))

    def begin(self, command: msg.Tune | msg.Resume | msg.Export, begun_in: str) -> None:
        """Give the engine its work; one job at a time."""
        if self.running:
            self.problem.emit(
                Problem(tr("A job is still running in this window."), tr("Stop it first, or let it finish."))
            )
            return
        self.work = Work(
            task="export" if isinstance(command, msg.Export) else "tune",
            phase=tr("starting"),
            project=command.project,
            run_id=command.run_id if isinstance(command, msg.Resume) else None,
            state="preparing",
            begun_in=begun_in,
        )
        if self._crash is not None:
            self.solved.emit(self._crash)
            self._crash = None
        self.send(command)
        self.changed.emit()

    def watch(self, run: dict[str, Any], project: str) -> None:
        """Listen to the engine that works on a run already, where it answers."""
        if self.attach(run["socket"]):
            phase = PHASES.get(run["phase"], run["phase"])
            self.work = Work("tune", phase, project, run["id"], run["state"])
            self.changed.emit()

    def control(self, command: msg.Pause | msg.Unpause | msg.Stop | msg.Steer | msg.Pin) -> None:
        """Steer what is under way; nothing happens without."""
        if not self.running:
            return
        self.send(command)
        if isinstance(command, msg.Stop):  # what is in flight ends first
            self.work.state = "stopping"
            self.changed.emit()

    def detach(self) -> None:
        """Have the engine go on after this process has ended: it has to take that in, or it would end too."""
        if self.owned and not self._patience.isActive():
            self._patience.start()
            self.send(msg.Detach())

    def _let_go(self, in_order: bool) -> None:
        """The engine has taken it in, or has ended; what it says after a wait that was in vain closes no window."""
        if self._patience.isActive():
            self._patience.stop()
            self.detached.emit(in_order)

    def _heard(self, event: Any) -> None:
        work = self.work
        match event:
            case msg.RunStarted():
                work.project, work.run_id = event.project, event.run_id
                self.run_started.emit(event)
                self.changed.emit()
            case msg.Phase():
                # what the whole job is called needs no word where there is more to tell
                name = "" if event.name == work.task and event.detail else PHASES.get(event.name, event.name)
                work.phase = " · ".join(filter(None, (name, event.task, said(event.detail))))
                self.changed.emit()
            case msg.Notice() if event.level != "info":
                self.problem.emit(Problem(event.text, event.hint, level=event.level))
            case msg.State(name="detached"):
                self.alone = True
                self._let_go(True)
            case msg.State():
                if event.name in ("tuning", "paused", "stopping") and work.state != "stopping":
                    work.state = event.name
                self.changed.emit()
            case msg.Failed():
                level = "info" if event.kind == "stopped" else "error"
                self.problem.emit(Problem(event.message, event.hint, event.report, level))
                self.quit()
            case msg.RunFinished():
                work.state = event.state
                if event.state == "failed":
                    self.problem.emit(
                        Problem(event.reason or tr("Nothing valid was measured."), tr("See Failures on the Overview."))
                    )
                self.quit()
            case msg.Exported():
                if found := slower.exported(event.summary):
                    self.problem.emit(Problem(told_slower(found), remedy(found), level="warning"))
                self.exported.emit(event.out)
                self.quit()

    def _silence(self) -> Problem:
        hint = tr("It is ended after {end:.0f} s. What it measured is kept, and the run can be resumed.")
        return Problem(
            tr("The engine has given no sign of life for {worry:.0f} s.").format(worry=self.pulse.worry_s),
            hint.format(end=self.pulse.end_s),
            level="warning",
            actions=((tr("End it now"), self.end),),
        )

    def _work_ended(self, why: str) -> None:
        hint = NOT_STARTED if self.unstarted else _AFTER_CRASH.get(self.work.task, "")
        self.work, self.alone = Work(), False
        if why:
            self._crash = Problem(why, hint, self.stderr_tail)
            self.problem.emit(self._crash)
        self.changed.emit()
        self._let_go(not why)
