"""Progress of a run: each entry is written to the project file first, then sent as an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pruner_engine.notices import Level
from pruner_engine.protocol import Event, Notice, Phase, Progress
from pruner_engine.search.budget import WorkClock
from pruner_engine.search.plugin_values import plain
from pruner_engine.search.task_state import TaskState, end_to_end, untuned
from pruner_engine.store.project import Project


class RunLog:
    """Phases, notices, quarantined tasks and the latency curve of one run.

    Args:
        project: open for writing.
        run_id: the run.
        states: its tasks, whose latencies make the curve.
        clock: its working time.
        budget_trials: how many trials it may make; None for no such limit.
        emit: takes each event; called from the thread that tells.

    Attributes:
        trials, valid: measured so far, over all sessions of the run.
        round_id: the round under way; None before the first.
    """

    def __init__(
        self,
        project: Project,
        run_id: int,
        states: Sequence[TaskState],
        clock: WorkClock,
        budget_trials: int | None,
        emit: Callable[[Event], None],
    ) -> None:
        self._project, self._run_id, self._states = project, run_id, states
        self._clock, self._budget_trials, self._emit = clock, budget_trials, emit
        self.trials, self.valid = project.trials.counts(run_id)
        self.round_id: int | None = None

    def count(self, ok: bool) -> None:
        """Count a trial."""
        self.trials += 1
        self.valid += ok

    def phase(self, name: str, task: str, detail: str = "") -> None:
        self._project.runs.update(self._run_id, phase=name)
        self._emit(Phase(name=name, task=task, detail=detail))

    def notice(self, level: Level, text: str, hint: str) -> None:
        self._project.runs.add_event(self._run_id, level, text, hint)
        self._emit(Notice(level=level, text=text, hint=hint))

    def remind(self, text: str) -> None:
        """Tell what stays as it is, whenever a session of the run comes upon it; it is kept once."""
        if not self._project.runs.was_told(self._run_id, text):
            self._project.runs.add_event(self._run_id, "info", text, "")
        self._emit(Notice(level="info", text=text))

    def quarantine(self, state: TaskState, why: str) -> None:
        """Leave a task out for the rest of the run; the other tasks go on."""
        state.quarantined = why
        self._project.runs.update_task(self._run_id, state.task_id, quarantined=why)
        self.notice(
            "warning",
            f"{state.task.name} is tuned no more: {why.rstrip('.')}.",
            "The other tasks go on; its default kernel is exported.",
        )

    def adaptation(self, metrics: dict[str, object]) -> None:
        """Record how the cost model adapted in the round under way."""
        if self.round_id is not None:
            self._project.runs.add_adaptation(self._run_id, self.round_id, **plain(metrics))

    def point(self, state: TaskState | None) -> None:
        """Add a point to the latency curve; `state` is the task whose round has ended, None before the first round."""
        self._clock.mark(self.trials)
        self._project.runs.add_progress(
            self._run_id,
            elapsed_s=self._clock.elapsed_s,
            trials=self.trials,
            valid=self.valid,
            latency_s=end_to_end(self._states),
            left_s=self._clock.left_s(self.trials),
        )
        self._project.runs.update(self._run_id, elapsed_s=self._clock.elapsed_s)
        self._project.settle()
        self.progress(state)

    def progress(self, state: TaskState | None) -> None:
        """Send an event about where the run stands; the project file does not change."""
        self._emit(
            Progress(
                run_id=self._run_id,
                trials=self.trials,
                budget_trials=self._budget_trials,
                valid=self.valid,
                failed=self.trials - self.valid,
                elapsed_s=self._clock.elapsed_s,
                left_s=self._clock.left_s(self.trials),
                latency_s=end_to_end(self._states),
                untuned_s=untuned(self._states),
                task_id=None if state is None else state.task_id,
                round_id=self.round_id,
            )
        )
