"""How many trials a run, and the next round of a task, may still make."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pruner_engine.search.budget import Budget, WorkClock
from pruner_engine.search.run_log import RunLog
from pruner_engine.search.scheduler import open_tasks
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategy import Strategy
from pruner_engine.search.task_state import TaskState

_PATIENCE = 64  # trials of a task without a gain, where nothing else ends the run
_OF_ONE, _OF_SEVERAL = 1 / 2, 1 / 6  # of a task's part of the budget, for its first round


class Allotment:
    """Divides the budget of one run among its rounds.

    Args:
        budget, settings, states, strategy: of the run.
        clock, log: its working time and its trials so far.
    """

    def __init__(
        self,
        budget: Budget,
        settings: SearchSettings,
        states: Sequence[TaskState],
        strategy: Strategy,
        clock: WorkClock,
        log: RunLog,
    ) -> None:
        self._budget, self._settings, self._states = budget, settings, states
        self._strategy, self._clock, self._log = strategy, clock, log

    @property
    def is_spent(self) -> bool:
        """Whether what is measured and under way is all that the budget allows."""
        trials = self._budget.trials
        return self._clock.out_of_time or (trials is not None and self._begun >= trials)

    @property
    def _begun(self) -> int:
        """Trials made or under way."""
        return self._log.trials + sum(len(state.under_way) for state in self._states)

    @property
    def patience(self) -> int:
        """Trials without a gain after which a task is tuned no more; 0: it always goes on."""
        return self._settings.patience or (_PATIENCE if self._budget.open_ended else 0)

    def of_round(self, state: TaskState) -> int:
        """Trials of the task's next round."""
        return min(self._wanted(state), self._room(state))

    def _room(self, state: TaskState) -> int:
        """Trials that the budget, and the task's own limit, still allow."""
        left = sys.maxsize if self._budget.trials is None else self._budget.trials - self._begun
        limit = self._settings.trials_per_task
        return min(left, limit - len(state.measured)) if limit else left

    def _wanted(self, state: TaskState) -> int:
        """What the strategy measures in a round; in a task's first a small share of the budget, the same for all tasks.

        A few of each, as the strategy says, or where not even those go round, one: most of what a kernel can gain over
        its untuned loops its first drafted schedule gains, and second rounds go where they are worth more. A single
        task has half of a short budget left to learn from the other half.
        """
        full = self._strategy.round_trials
        opening = self._strategy.opening_trials
        if state.measured or not opening:
            return full
        tasks = open_tasks(self._states)  # this one among them
        several = len(tasks) > 1
        left = self._clock.trials_left(self._begun)
        if left is None:
            return min(opening, full) if several else full
        goes_round = left >= opening * sum(not task.measured for task in tasks)
        part = left / len(tasks) * (_OF_SEVERAL if several else _OF_ONE)
        return min(max(int(part), opening if goes_round else 1), full)
