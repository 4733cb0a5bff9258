"""The rounds of a run that are under way: candidates are built and measured, each committed as soon as it is known.

Builders are kept busy: a round is begun before the one ahead of it is waited for and learned from. Where builds and
kernels share cores, it is another task's, and its candidates are built while the run learns from those ahead and plans
the round behind it. A GPU leaves the cores to the builders: a task may be ahead of itself, and no round waits for its
slowest builds. These go on, and what comes of them is learned with the task's next round.
"""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureResult, inputs_of
from pruner_engine.search.budget import WorkClock
from pruner_engine.search.control import Control
from pruner_engine.search.plugin_values import figures_of, round_figures_of
from pruner_engine.search.round_plan import RoundPlan
from pruner_engine.search.run_log import RunLog
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.strategy import Strategy
from pruner_engine.search.task_state import Pending, TaskState, Trial
from pruner_engine.search.yardstick import keep_yardstick, restore_yardstick, tell_anew
from pruner_engine.space.sketch import trace_json
from pruner_engine.store.project import Project

_SLOW = 4  # one in so many builds of a round is not waited for


@dataclass(frozen=True, eq=False)
class Round:
    """A round that was begun.

    Attributes:
        id: its row in the project file.
        trials: that it makes.
        stats: figures for its record (JSON values).
    """

    state: TaskState
    id: int
    trials: int
    stats: dict[str, Any]


class UnderWay:
    """The rounds of one run, in the order in which they were begun.

    Args:
        project: open for writing.
        run: the run.
        control, clock: break rounds off.
        log: told what happens.
        measurer: of the run's target.
        strategy: says whether a round may be begun before the one ahead of it has ended, and whether times may be told
            anew.
    """

    def __init__(
        self,
        project: Project,
        run: RunPlan,
        control: Control,
        clock: WorkClock,
        log: RunLog,
        measurer: Measurer,
        strategy: Strategy,
    ) -> None:
        self._project, self._run = project, run
        self._control, self._clock, self._log, self._measurer = control, clock, log, measurer
        self._ahead = strategy.ahead
        self._aside = strategy.ahead and measurer.builds_aside
        self._keeps_times = strategy.keeps_times
        self._rounds: deque[Round] = deque()
        self._met: set[int] = set()  # tasks that a round was begun of

    def __len__(self) -> int:
        return len(self._rounds)

    @property
    def is_full(self) -> bool:
        """Whether a round has to end before another is begun."""
        return len(self._rounds) > self._ahead

    def takes(self, state: TaskState) -> bool:
        """Whether a round of the task may begin now, or is better planned with what is under way of it."""
        return self._aside or not state.begun

    def begin(self, state: TaskState, plan: RoundPlan) -> None:
        """Have the round's candidates built."""
        proposal = plan.proposal
        stats = figures_of(self._run.strategy, proposal.stats)
        figures = round_figures_of(self._run.strategy, proposal)
        round_id = self._project.runs.add_round(
            self._run.run_id, state.task_id, drafted=len(proposal.drafted), **figures
        )
        ids = self._project.trials.add_candidates(
            self._run.run_id, state.task_id, round_id, state.sketch_ids, [*proposal.drafted, *plan.candidates]
        )
        self._log.phase("measure", state.task.name)
        if state.task_id not in self._met:
            self._met.add(state.task_id)
            restore_yardstick(self._project, state.task, state.task_id, self._measurer, self._log.notice)
            self._tell_unchecked(state)
        pinned = {candidate.hash for candidate in plan.pinned}
        state.begin_round(
            Pending(candidate, ids[candidate.hash], round_id, candidate.hash in pinned) for candidate in plan.candidates
        )
        self._measurer.begin(state.task, inputs_of(plan.candidates))
        self._rounds.append(Round(state, round_id, len(plan.candidates), stats))

    def end(self, *, last: bool) -> Round:
        """Wait for the first round; its trials, and others that came meanwhile, are then its task's `unlearned` ones.

        Args:
            last: nothing else is begun now: the round waits for all of its builds.
        """
        ended = self._rounds.popleft()
        self._log.round_id = ended.id
        if self._ahead:  # other phases have come in between
            self._log.phase("measure", ended.state.task.name)
        later = sum(other.trials for other in self._rounds if other.state is ended.state)
        slow = 0 if last or not self._aside else min(-(-ended.trials // _SLOW), ended.trials - 1)
        ended.stats.update(self._noise())
        self._gather(ended.state, later + slow)
        busy = {ended.state, *(other.state for other in self._rounds)}
        for state in self._run.states:
            if state.under_way and state not in busy:  # slow builds of a task that has no round now
                self._gather(state, 0 if last and not self._rounds else sys.maxsize)
        return ended

    def _gather(self, state: TaskState, left: int) -> None:
        """Commit what comes of the task's builds until no more than `left` of them go on, or the run is held."""

        def commit(result: MeasureResult) -> None:
            pending = state.under_way[result.key]
            candidate = pending.candidate
            assert candidate.schedule is not None
            trace = trace_json(candidate.schedule.trace)
            with self._project.transaction():
                self._project.trials.add_measurement(
                    self._run.run_id, state.task_id, pending.row_id, trace, result, self._clock.elapsed_s
                )
                self._project.runs.sum_up_round(pending.round_id)
                keep_yardstick(self._project, state.task, state.task_id, self._measurer, pending.row_id, result.key)
            state.add(Trial(candidate, replace(result, log="")))  # which is in the file
            self._log.count(result.ok)
            if len(state.under_way) > left:
                self._log.progress(state)

        going_on = self._measurer.gather(
            state.task,
            best_s=state.best_s,
            on_result=commit,
            left=left,
            should_stop=lambda: self._control.should_yield() or self._clock.out_of_time,
        )
        state.break_off_all_but(going_on)
        if not self._keeps_times:
            tell_anew(self._project, state, self._measurer)

    def _noise(self) -> dict[str, Any]:
        """Time a fixed kernel: its drift over the rounds tells how far latencies can be compared."""
        if self._run.target.kind.name != "llvm":
            return {}
        try:
            repeats = self._measurer.noise(self._control.should_yield)
        except UserError as error:  # the candidates will tell the same, each with its stage
            self._log.notice("warning", error.message, error.hint)
            return {}
        if not repeats:
            return {}
        return {"probe_s": min(repeats), "probe_spread": max(repeats) / min(repeats) - 1.0}

    def _tell_unchecked(self, state: TaskState) -> None:
        """Warn of a task whose outputs cannot be checked, because its untuned kernel gave none to compare with."""
        if self._run.settings.check != "none" and not (untuned := self._measurer.untuned(state.task)).ok:
            self._log.notice(
                "warning",
                f"{state.task.name}: its candidates' outputs are not checked, since the untuned kernel gave none to"
                f" compare them with ({untuned.message.rstrip('.')}).",
                "An export compares the outputs of the whole model.",
            )
