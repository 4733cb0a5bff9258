"""The interface of search strategies: they propose candidates of a task and learn from their measurements.

All strategies share space, builder, runner and store, so that a comparison of two isolates the strategy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tvm

from pruner_engine.errors import UserError
from pruner_engine.notices import OnNotice
from pruner_engine.plugins import hint_to_mend, refuse_uncallable
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.verify.pretrained import read_checkpoint_file

_WIDE_OPENING = 6  # trials of a first round that is cut short, however many builders there are


@dataclass
class Proposal:
    """Candidates to measure, and how they were found.

    Attributes:
        candidates: materialised, not yet measured, best first.
        drafted: all that the draft or the search kept, for the record.
        explored: decision rows scored.
        verified: candidates that the learned model scored.
        draft_s, verify_s: seconds of work.
        stats: further figures of the round (JSON values).
    """

    candidates: list[Candidate]
    drafted: Sequence[Candidate] = ()
    explored: int = 0
    verified: int = 0
    draft_s: float = 0.0
    verify_s: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """What a strategy is given.

    Attributes:
        target, profile: the device that kernels are for, and its figures.
        threads: worker threads that it may use.
        on_phase: takes the name of what it does now, and the task's.
        on_adaptation: takes figures of an adaptation, columns of the table `adaptations`.
        on_notice: takes a level (info, warning or error), a sentence for the user, and what to do.
        goes_on: the run is resumed, and `restore` will be given the model that it had learned.
    """

    target: tvm.target.Target
    profile: DeviceProfile
    seed: int
    settings: SearchSettings
    threads: int
    on_phase: Callable[[str, str], None]
    on_adaptation: Callable[[dict[str, Any]], None]
    on_notice: OnNotice
    goes_on: bool = False


class Strategy(ABC):
    """Searches the tasks of one run, one round of one task at a time.

    Attributes:
        name: what `--strategy` takes.
        round_trials: candidates a round; a class gives what it was published with, the settings may give another, and
            a machine that builds more at a time widens it.
        ahead: it may propose a round before it has learned from the one ahead, another task's or, where a GPU measures,
            one of the same task, whose candidates are in `state.measured` by then; see under_way.py.
        keeps_times: it remembers by itself what candidates took, so that this must not be told anew (yardstick.py).
        opening_trials: what a task's first round may be cut to where there are several tasks or a short budget, to one
            where not even those go round; 0 for never.
    """

    name: str
    round_trials: int = 10
    opening_trials: int = 0
    ahead: bool = False
    keeps_times: bool = False

    def __init__(self, context: Context) -> None:
        self.context = context
        self.round_trials = context.settings.round_trials or self.round_trials

    @classmethod
    def check(cls, settings: SearchSettings) -> None:
        """Refuse, before a run costs time, settings that it cannot work with: here a checkpoint that cannot be read.

        Raises:
            UserError: it cannot.
        """
        if settings.checkpoint:
            read_checkpoint_file(Path(settings.checkpoint))

    def widen_rounds(self, builders: int) -> None:
        """Measure as many candidates a round as are built at a time: fewer would leave builders idle.

        First rounds that are cut short are half as wide, since two are under way at a time, and not wide for all that:
        runs come one after the other.
        """
        if self.context.settings.round_trials is None:
            self.round_trials = max(self.round_trials, builders)
        if self.opening_trials:
            self.opening_trials = max(self.opening_trials, min(-(-builders // 2), _WIDE_OPENING))

    @abstractmethod
    def propose(self, state: TaskState, count: int) -> Proposal:
        """Up to `count` candidates of the task that were not measured before; fewer when the space is spent."""

    @abstractmethod
    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        """Learn from the trials of a round; returns figures for the round's record (JSON values by name)."""

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        """Prepare for a resumed run: here by learning from its trials, a round's number of them at a time.

        All at once they would have their schedules applied together, and each takes megabytes.

        Args:
            states: the run's tasks with the trials of earlier sessions.
            checkpoints: data that `checkpoints` gave last, by role.
        """
        for state in states:
            for start in range(0, len(state.trials), self.round_trials):
                self.context.on_phase("restore", state.task.name)
                self.learn(state, state.trials[start : start + self.round_trials])

    def checkpoints(self) -> dict[str, tuple[str, bytes, dict[str, Any]]]:
        """What the project file is to keep for a resume: (kind of model, data, recipe as JSON values) by role."""
        return {}

    def calibration(self) -> dict[str, float] | None:
        """Factors of the draft's time components, to keep for later runs on the device; None: nothing new."""
        return None


_REGISTRY: dict[str, Callable[[Context], Strategy]] = {}
_CHECKS: dict[str, Callable[[SearchSettings], None]] = {}


def register_strategy(
    name: str, make: Callable[[Context], Strategy], check: Callable[[SearchSettings], None] | None = None
) -> None:
    """Register a strategy, as a plugin does, under a name that `--strategy` then takes.

    Args:
        check: as `Strategy.check`; without one that of `make`, where it is a class.

    Raises:
        TypeError: `make` does not take a context.
    """
    refuse_uncallable(make, None)
    own = make.check if isinstance(make, type) and issubclass(make, Strategy) else Strategy.check
    _REGISTRY[name], _CHECKS[name] = make, check or own


def strategy_names() -> list[str]:
    """Names of all registered strategies, those of plugins among them."""
    return sorted(_REGISTRY)


def make_strategy(name: str, context: Context) -> Strategy:
    """A new strategy of that name.

    Raises:
        KeyError: no such strategy is registered.
        UserError: what a plugin makes is no strategy.
    """
    strategy = _REGISTRY[name](context)
    if not isinstance(strategy, Strategy):
        raise UserError(
            f'What is registered as the strategy "{name}" makes a {type(strategy).__name__}.', hint_to_mend()
        )
    if not hasattr(strategy, "context"):
        raise UserError(f'The strategy "{name}" does not call `super().__init__(context)`.', hint_to_mend())
    return strategy


def check_settings(name: str, settings: SearchSettings) -> None:
    """Refuse settings that the strategy of that name cannot work with.

    Raises:
        UserError: it cannot.
    """
    _CHECKS[name](settings)
