"""The tuning loop of one run: pick a task, propose candidates, measure, learn, commit, report."""

from __future__ import annotations

import contextlib
import json
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pruner_engine.allocator import give_back_memory
from pruner_engine.errors import PhaseSilentError, UserError, first_words
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.protocol import Event
from pruner_engine.search.allotment import Allotment
from pruner_engine.search.budget import WorkClock
from pruner_engine.search.control import Control
from pruner_engine.search.pinning import pin, pinned_before
from pruner_engine.search.ranking import ranking_stats
from pruner_engine.search.restore import restore_trials
from pruner_engine.search.round_plan import RoundPlanner
from pruner_engine.search.run_log import RunLog
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.scheduler import next_task
from pruner_engine.search.strategy import Context, Proposal, Strategy, make_strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.search.yardstick import keep_yardstick, restore_yardstick
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.sketch import trace_json
from pruner_engine.store.project import Project
from pruner_engine.targets.target import threads_of

_BASELINES = 16  # untuned kernels that are built before the first of them is run
_HOPELESS_AFTER = 24  # failed trials in a row that quarantine a task


class Tuner:
    """Works on one run of an open project.

    Args:
        project: open for writing.
        plan: the run.
        control: pauses, stops and steers it.
        emit: takes each event; called from the tuner's thread.
    """

    def __init__(self, project: Project, plan: RunPlan, control: Control, emit: Callable[[Event], None]) -> None:
        self.project = project
        self.run_id = plan.run_id
        self.states = list(plan.states)
        self.target = plan.target
        self.settings = plan.settings
        self.control = control
        self.clock = WorkClock(plan.budget, float(project.runs.get(plan.run_id)["elapsed_s"]))
        self.log = RunLog(project, plan.run_id, self.states, self.clock, plan.budget.trials, emit)
        self._unchecked: set[int] = set()  # tasks that the user was warned about
        self.strategy: Strategy = make_strategy(
            plan.strategy,
            Context(
                target=plan.target,
                profile=plan.profile,
                seed=plan.seed,
                settings=plan.settings,
                threads=threads_of(plan.target),
                on_phase=self.log.phase,
                on_adaptation=self.log.adaptation,
                on_notice=self.log.notice,
                goes_on=self.log.trials > 0 and project.runs.checkpoint(plan.run_id, "model") is not None,
            ),
        )
        self.allotment = Allotment(plan.budget, plan.settings, self.states, self.strategy, self.clock, self.log)
        self.planner = RoundPlanner(project, plan, self.strategy, self.allotment, self.log)

    # ------------------------------------------------------------ the loop

    def run(self, measurer: Measurer) -> None:
        """Tune until the budget is spent or the control says stop; everything measured is committed."""
        self.clock.begin()  # now: what a strategy loads to learn with, seconds of it, is not of the run's time
        self.strategy.widen_rounds(measurer.build_workers)
        if self.log.trials:
            self._restore()
        for row in pinned_before(self.project, self.run_id):
            self.control.pinned.put(row)
        self._baselines(measurer)
        self.log.point(None)
        while not self.allotment.is_spent and not self.control.stop.is_set():
            self._hold_while_paused()
            self._steer()
            self._take_pinned()
            state = next((s for s in self.states if s.pinned), None) or next_task(
                self.states, self.allotment.patience, self.allotment.of_round
            )
            if state is None or self.control.stop.is_set():
                break
            self._round(state, measurer)
        self._take_pinned()  # what came during the last round waits in the file for a resume

    def _round(self, state: TaskState, measurer: Measurer) -> None:
        self.control.on_hang = lambda why: self.log.quarantine(state, why)
        plan = None
        with self._leaving_out(state):
            plan = self.planner.plan(state)
        if plan is None:
            return
        self.log.round_id = self._open_round(state, plan.proposal)
        ids = self.project.trials.add_candidates(
            self.run_id,
            state.task_id,
            self.log.round_id,
            state.sketch_ids,
            [*plan.proposal.drafted, *plan.candidates],
        )
        noise = self._noise(measurer)
        trials = self._measure(state, plan.candidates, ids, measurer)
        # a round that is broken off, by a pause or a stop, goes on with what was pinned
        state.pinned = [*(c for c in plan.pinned if c.hash not in state.measured), *state.pinned]
        self.log.phase("learn", state.task.name)
        start = time.perf_counter()
        stats = {**plan.proposal.stats, **noise, **ranking_stats(trials)}
        if trials:
            with self._leaving_out(state):
                stats |= self.strategy.learn(state, trials)
            state.end_round()
        self._close_round(trials, time.perf_counter() - start, stats)
        self._save_checkpoints(state.rounds)
        last = state.trials[-_HOPELESS_AFTER:]
        if len(last) == _HOPELESS_AFTER and not any(trial.result.ok for trial in last):
            self.log.quarantine(state, f"the last {_HOPELESS_AFTER} trials failed: {state.trials[-1].result.message}")
        self.log.point(state)
        give_back_memory()

    @contextlib.contextmanager
    def _leaving_out(self, state: TaskState) -> Iterator[None]:
        """Quarantine the task if its space, search or learning fails or hangs: the others go on."""
        try:
            yield
        except PhaseSilentError as error:
            self.log.quarantine(state, error.message)
        except UserError:  # the environment's (a disk, a lock) is no fault of the task
            raise
        except Exception as error:
            self.log.quarantine(state, _place_and_words(error))

    def _measure(
        self, state: TaskState, chosen: Sequence[Candidate], ids: dict[str, int], measurer: Measurer
    ) -> list[Trial]:
        by_hash = {c.hash: c for c in chosen}
        trials: list[Trial] = []

        def commit(result: MeasureResult) -> None:
            candidate = by_hash[result.key]
            trial = Trial(candidate, replace(result, log=""))  # which is in the file
            assert candidate.schedule is not None
            trace = trace_json(candidate.schedule.trace)
            self.project.trials.add_measurement(
                self.run_id, state.task_id, ids[candidate.hash], trace, result, self.clock.elapsed_s
            )
            state.add(trial)
            trials.append(trial)
            self.log.count(result.ok)
            if len(trials) < len(chosen):
                self.log.progress(state)

        self.log.phase("measure", state.task.name)
        restore_yardstick(self.project, state.task, state.task_id, measurer)
        self._tell_unchecked(state, measurer)
        inputs = [MeasureInput(c.hash, c.schedule.mod) for c in chosen if c.schedule is not None]
        measurer.measure(
            state.task,
            inputs,
            best_s=state.best_s,
            on_result=commit,
            should_stop=lambda: self.control.should_yield() or self.clock.out_of_time,
        )
        keep_yardstick(self.project, state.task, state.task_id, measurer, ids)
        return trials

    def _noise(self, measurer: Measurer) -> dict[str, Any]:
        """Time a fixed kernel: its drift over the rounds tells how far latencies can be compared."""
        if self.target.kind.name != "llvm":
            return {}
        try:
            repeats = measurer.noise()
        except UserError as error:  # the candidates will tell the same, each with its stage
            self.log.notice("warning", error.message, error.hint)
            return {}
        return {"probe_s": min(repeats), "probe_spread": max(repeats) / min(repeats) - 1.0}

    # ------------------------------------------------------------ parts of a round

    def _open_round(self, state: TaskState, proposal: Proposal) -> int:
        return self.project.runs.add_round(
            self.run_id,
            state.task_id,
            explored=proposal.explored,
            drafted=len(proposal.drafted),
            verified=proposal.verified,
            draft_s=proposal.draft_s,
            verify_s=proposal.verify_s,
        )

    def _close_round(self, trials: Sequence[Trial], learn_s: float, stats: dict[str, object]) -> None:
        assert self.log.round_id is not None
        self.project.runs.update_round(
            self.log.round_id,
            measured=len(trials),
            valid=sum(t.result.ok for t in trials),
            build_s=sum(t.result.build_s for t in trials),
            run_s=sum(t.result.run_s for t in trials),
            learn_s=learn_s,
            stats=json.dumps(stats),
        )

    def _save_checkpoints(self, step: int) -> None:
        for role, (kind, data, recipe) in self.strategy.checkpoints().items():
            self.project.runs.save_checkpoint(self.run_id, role, kind, step, data, recipe)

    # ------------------------------------------------------------ before the first round

    def _restore(self) -> None:
        """Go on from what earlier sessions of the run measured and learned."""
        restore_trials(self.project, self.run_id, self.states, self.planner.generate_space, self.log.phase)
        found = {role: self.project.runs.checkpoint(self.run_id, role) for role in ("model", "siamese")}
        self.strategy.restore(self.states, {role: row["data"] for role, row in found.items() if row})

    def _baselines(self, measurer: Measurer) -> None:
        """Time the untuned kernel of every task: what a gain is measured against."""
        waiting = {state.task.hash: state for state in self.states if state.untuned_s is None}
        every = len(waiting)
        while waiting and not self.control.stop.is_set():
            self._hold_while_paused()
            batch = [state.task for state in list(waiting.values())[:_BASELINES]]
            self.log.phase("baseline", batch[0].name, f"{every - len(waiting)}/{every}")
            for task, result in measurer.all_untuned(batch, self.control.should_yield):
                state = waiting.pop(task.hash)
                self.log.phase("baseline", task.name, f"{every - len(waiting)}/{every}")
                if result.seconds is None:
                    self.log.notice("warning", f"{task.name}: the untuned kernel failed ({result.message}).", "")
                    continue
                state.untuned_s = result.seconds
                self.project.work.set_untuned(state.task_id, result.seconds, cold=self.settings.cold_cache)

    def _tell_unchecked(self, state: TaskState, measurer: Measurer) -> None:
        """Warn once of a task whose outputs cannot be checked, because its untuned kernel gave none to compare with."""
        if self.settings.check == "none" or state.task_id in self._unchecked:
            return
        if not (untuned := measurer.untuned(state.task)).ok:
            self._unchecked.add(state.task_id)
            self.log.notice(
                "warning",
                f"{state.task.name}: its candidates' outputs are not checked, since the untuned kernel gave none to"
                f" compare them with ({untuned.message.rstrip('.')}).",
                "An export compares the outputs of the whole model.",
            )

    # ------------------------------------------------------------ steering

    def _hold_while_paused(self) -> None:
        if not self.control.running.is_set():
            self.project.runs.update(self.run_id, state="paused")
            self.clock.hold(self.control.wait_while_paused())
            self.project.runs.update(self.run_id, state="tuning")

    def _steer(self) -> None:
        while not self.control.steering.empty():
            task_id, action = self.control.steering.get()
            for state in self.states:
                if state.task_id == task_id:
                    state.steer = action
                    self.project.runs.update_task(self.run_id, task_id, steer=action)

    def _take_pinned(self) -> None:
        """Queue rows that the user has pinned since the last round at their tasks."""
        while not self.control.pinned.empty():
            row = self.control.pinned.get()
            try:
                for state in (s for s in self.states if s.task_id == row.task_id):
                    self.planner.generate_space(state)
                self.log.notice("info", pin(self.project, self.run_id, self.states, row), "")
            except UserError as error:
                self.log.notice("warning", error.message, error.hint)


def _place_and_words(error: Exception) -> str:
    """Kind, place and first words of an unexpected error, in one line."""
    places = [f for f in traceback.extract_tb(error.__traceback__) if "pruner_engine" in f.filename]
    place = f" in {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return f"{type(error).__name__}{place}: {first_words(error)}"
