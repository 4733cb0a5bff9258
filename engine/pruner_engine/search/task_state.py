"""The state of one task while a run tunes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pruner_engine.measure.types import MeasureResult
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.task import TuningTask


@dataclass(eq=False, slots=True)
class Trial:
    """A measured candidate."""

    candidate: Candidate
    result: MeasureResult

    @property
    def seconds(self) -> float | None:
        """Seconds a call, of an abandoned candidate a lower bound of them; None when it failed."""
        return self.result.seconds if self.result.ok else None


@dataclass(eq=False)
class TaskState:
    """A task of a run with its trials.

    Attributes:
        task_id, sketch_ids: rows of the project file.
        steer: normal | pin | boost | freeze, as the user has it.
        quarantined: why the task is tuned no more; empty while it is.
        space: generated when the first round needs it.
        exhausted: nothing is left to measure.
        measured: hashes of the candidates of `trials`.
        untuned_s: seconds a call of the untuned kernel; None until measured.
        pinned: candidates of the user's that the next round measures before its own.
        known: traces, as JSON, that another project found best of it; the next round measures them, too.
        best_history: best seconds a call after each round; the scheduler's gradient reads it.
    """

    task: TuningTask
    task_id: int
    untuned_s: float | None = None
    steer: str = "normal"
    quarantined: str = ""
    space: DesignSpace | None = None
    sketch_ids: list[int] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    best: Trial | None = None
    best_history: list[float] = field(default_factory=list)
    since_gain: int = 0
    rounds: int = 0
    exhausted: bool = False
    measured: set[str] = field(default_factory=set)
    pinned: list[Candidate] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        """Add a trial; an abandoned candidate never becomes the best."""
        self.trials.append(trial)
        self.measured.add(trial.candidate.hash)
        self.since_gain += 1
        seconds = trial.seconds
        if seconds is None or trial.result.censored:
            return
        if self.best is None or seconds < (self.best.seconds or 0.0):
            self.best = trial
            self.since_gain = 0

    def end_round(self) -> None:
        self.rounds += 1
        if self.best_s is not None:
            self.best_history.append(self.best_s)

    @property
    def best_s(self) -> float | None:
        return None if self.best is None else self.best.seconds

    @property
    def latency_s(self) -> float | None:
        """Seconds a call of the faster of best schedule and untuned kernel, which is what an export compiles."""
        return min((s for s in (self.best_s, self.untuned_s) if s is not None), default=None)

    def elites(self, count: int) -> list[Candidate]:
        """The best measured candidates that belong to a sketch, best first."""
        timed = [t for t in self.trials if t.seconds is not None and not t.result.censored]
        timed.sort(key=lambda t: t.seconds or 0.0)
        return [t.candidate for t in timed if t.candidate.sketch is not None][:count]


def end_to_end(states: Iterable[TaskState]) -> float | None:
    """Estimated latency of the model in seconds: sum of calls times seconds a call; None while a task is unknown."""
    return _total((state.task.weight, state.latency_s) for state in states)


def untuned(states: Iterable[TaskState]) -> float | None:
    """Estimated latency of the untuned model in seconds; None while a task is unknown."""
    return _total((state.task.weight, state.untuned_s) for state in states)


def _total(kernels: Iterable[tuple[int, float | None]]) -> float | None:
    total = 0.0
    for calls, seconds in kernels:
        if seconds is None:
            return None
        total += calls * seconds
    return total
