"""The state of one task while a run tunes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

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


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """A candidate that is built or measured just now.

    Attributes:
        row_id, round_id: its row in the project file, and its round's.
        pinned: it is one of those that a round takes before its own.
    """

    candidate: Candidate
    row_id: int
    round_id: int
    pinned: bool


@dataclass(eq=False)
class TaskState:
    """A task of a run with its trials.

    Attributes:
        task_id, sketch_ids: rows of the project file.
        steer: normal | pin | boost | freeze, as the user has it.
        quarantined: why the task is tuned no more; empty while it is.
        space: generated when the first round needs it.
        exhausted: nothing is left to measure.
        measured: hashes of the candidates of `trials`, and of those that are under way.
        under_way: candidates that are built or measured, by hash, in the order in which they were begun.
        begun: rounds that have not ended.
        unlearned: trials that the strategy has not learned from.
        untuned_s: seconds a call of the untuned kernel; None until measured.
        pinned: candidates of the user's that the next round measures before its own.
        known: traces, as JSON, that another project found best of it; the next round measures them, too.
        best_history: best seconds a call after each round; the scheduler's gradient reads it.
        paces: of the yardstick, beside each trial that had one (see `MeasureResult`).
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
    paces: list[float] = field(default_factory=list)
    since_gain: int = 0
    rounds: int = 0
    exhausted: bool = False
    measured: set[str] = field(default_factory=set)
    under_way: dict[str, Pending] = field(default_factory=dict)
    begun: int = 0
    unlearned: list[Trial] = field(default_factory=list)
    pinned: list[Candidate] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    def begin_round(self, candidates: Iterable[Pending]) -> None:
        self.begun += 1
        self.under_way |= {pending.candidate.hash: pending for pending in candidates}
        self.measured |= self.under_way.keys()

    def break_off_all_but(self, hashes: Collection[str]) -> None:
        """Give up candidates under way, whose turn may come again; what was pinned is pinned as before."""
        left = [pending for key, pending in self.under_way.items() if key not in hashes]
        for pending in left:
            del self.under_way[pending.candidate.hash]
            self.measured.discard(pending.candidate.hash)
            self.exhausted = False
        self.pinned = [*(pending.candidate for pending in left if pending.pinned), *self.pinned]

    def add(self, trial: Trial) -> None:
        """Add a trial; an abandoned candidate never becomes the best."""
        if self.under_way.pop(trial.candidate.hash, None) is not None:
            self.unlearned.append(trial)
        self.trials.append(trial)
        self.measured.add(trial.candidate.hash)
        if trial.result.pace:
            self.paces.append(trial.result.pace)
        self.since_gain += 1
        seconds = trial.seconds
        if seconds is None or trial.result.censored:
            return
        if self.best is None or seconds < (self.best.seconds or 0.0):
            self.best = trial
            self.since_gain = 0

    def end_round(self) -> list[Trial]:
        """Ends the first of those that were begun; returns what is to be learned, if anything was measured."""
        self.begun -= 1
        learned, self.unlearned = self.unlearned, []
        if learned:
            self.rounds += 1
            if self.best_s is not None:
                self.best_history.append(self.best_s)
        return learned

    def rescale(self, factor: float) -> None:
        """Take all that was measured in units that are so many times as long."""
        for trial in self.trials:
            repeats = tuple(seconds * factor for seconds in trial.result.repeats)
            trial.result = replace(trial.result, repeats=repeats)
        self.best_history = [seconds * factor for seconds in self.best_history]
        self.paces = [pace / factor for pace in self.paces]

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
