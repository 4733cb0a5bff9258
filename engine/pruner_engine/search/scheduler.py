"""Which task to tune next.

Every task gets one round, heaviest first; after that the round goes where the weighted latency falls fastest: the
gradient of Ansor's scheduler (Zheng et al., OSDI 2020) as MetaSchedule uses it, alpha 0.2 over a window of 3 rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine.search.task_state import TaskState

ALPHA = 0.2
WINDOW = 3
_BOOST = 4.0


def gradient(state: TaskState) -> float:
    """Expected gain of one more round in seconds of end-to-end latency.

    A mix of what the last rounds gained and of the optimistic hope that n rounds' latency falls as 1/n.
    """
    history = state.best_history
    if not history:
        return 0.0
    best, count = history[-1], len(history)
    recent = (history[-1 - WINDOW] - best) / WINDOW if count > WINDOW else 0.0
    return state.task.weight * (ALPHA * recent + (1 - ALPHA) * best / count)


def next_task(states: Sequence[TaskState], patience: int = 0) -> TaskState | None:
    """The task for the next round; None when no task is left.

    Pinned tasks go before all others, frozen, quarantined and exhausted ones never. With `patience`, a task that gained
    nothing for that many trials rests.
    """
    open_ = [s for s in states if not (s.quarantined or s.exhausted or s.steer == "freeze")]
    if patience:
        open_ = [s for s in open_ if s.since_gain < patience]
    open_ = [s for s in open_ if s.steer == "pin"] or open_
    if not open_:
        return None
    untouched = [s for s in open_ if s.rounds == 0]
    if untouched:
        return max(untouched, key=lambda s: (s.task.weight * (s.untuned_s or 0.0), s.task.weight * s.task.flops))
    return max(open_, key=lambda s: gradient(s) * (_BOOST if s.steer == "boost" else 1.0))
