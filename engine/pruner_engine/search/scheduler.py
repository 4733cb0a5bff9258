"""Which task to tune next.

The round goes where the weighted latency is expected to fall fastest for what the round costs: the gradient of Ansor's
scheduler (Zheng et al., OSDI 2020), alpha 0.2 over a window of 3 rounds as in MetaSchedule. Both give every task a
round first; here a task without one may gain all that its untuned kernel takes, which few further rounds do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from pruner_engine.search.task_state import TaskState

ALPHA = 0.2
WINDOW = 3
# After n trials the best of a task is expected to stand a share HOPE * n ** -FADE above what it comes to in the end: so
# second rounds of networks gained an eighth, third ones a fiftieth (docs/experiments.md). Ansor's hope is all of
# the latency, by the number of rounds, however short they were.
HOPE, FADE = 0.4, 0.73
_OVERHEAD = 2  # trials that would take as long as drafting, verifying and learning in a round
_BOOST = 4.0


def gradient(state: TaskState, trials: int) -> float:
    """Expected gain of a round of so many trials in seconds of end-to-end latency.

    What the last rounds gained, in part, and a hope that fades with the trials made, those under way counted; before
    the first result the whole latency, which is unknown (infinite) where the untuned kernel could not be timed.
    """
    history = state.best_history
    if not history:
        hope = state.task.weight * (math.inf if state.untuned_s is None else state.untuned_s)
        if state.begun:  # its first round will tell
            return 0.0
        # it fades with every round in which all failed, not with one that was broken off before its first result
        return hope / (1 + state.rounds) if state.trials else hope
    best, count = history[-1], len(history)
    recent = (history[-1 - WINDOW] - best) / WINDOW if count > WINDOW else 0.0
    made = len(state.trials) + len(state.under_way)
    return state.task.weight * (ALPHA * recent + best * (_excess(made) - _excess(made + trials)))


def _excess(trials: int) -> float:
    """Share by which the best of so many trials is expected to stand above what tuning comes to in the end."""
    return HOPE * trials**-FADE


def open_tasks(states: Iterable[TaskState]) -> list[TaskState]:
    """Those that may get another round."""
    return [s for s in states if not (s.quarantined or s.exhausted or s.steer == "freeze")]


def next_task(
    states: Sequence[TaskState], patience: int = 0, trials: Callable[[TaskState], int] = lambda _: 1
) -> TaskState | None:
    """The task for the next round; None when no task is left.

    Pinned tasks go before all others, frozen, quarantined and exhausted ones never.

    Args:
        patience: a task that gained nothing for that many trials rests; 0: none does.
        trials: of a task's next round.
    """
    open_ = open_tasks(states)
    if patience:
        open_ = [s for s in open_ if s.since_gain < patience]
    open_ = [s for s in open_ if s.steer == "pin"] or open_
    return max(open_, key=lambda state: _urgency(state, trials(state)), default=None)


def _urgency(state: TaskState, trials: int) -> tuple[float, float]:
    """Expected gain for each trial of the round; of equal ones, as of kernels that nobody could time, the most work."""
    boost = _BOOST if state.steer == "boost" else 1.0
    trials = max(trials, 1)
    return gradient(state, trials) * boost / (_OVERHEAD + trials), state.task.weight * state.task.flops
