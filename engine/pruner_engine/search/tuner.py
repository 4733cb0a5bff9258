"""The tuning loop of one run: pick a task, propose candidates, measure, learn, commit, report."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator

from pruner_engine.errors import PhaseSilentError, UserError
from pruner_engine.faults import in_one_line
from pruner_engine.measure.measurer import Measurer
from pruner_engine.processes.memory import give_back_memory
from pruner_engine.protocol import Event
from pruner_engine.search.allotment import Allotment
from pruner_engine.search.budget import WorkClock
from pruner_engine.search.control import Control
from pruner_engine.search.pinning import pin, pinned_before
from pruner_engine.search.plugin_values import checkpoints_of, figures_of
from pruner_engine.search.restore import restore_trials
from pruner_engine.search.round_plan import RoundPlanner
from pruner_engine.search.run_log import RunLog
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.scheduler import next_task
from pruner_engine.search.strategy import Context, Strategy, make_strategy
from pruner_engine.search.task_state import TaskState
from pruner_engine.search.under_way import UnderWay
from pruner_engine.store.project import Project
from pruner_engine.targets.target import threads_of

_WAITED_FOR = (
    "The run waits some minutes longer: start the board's server again, or `pruner serve`, which does so itself."
)
_BASELINES = 16  # untuned kernels that are built before the first of them is run
_BASELINES_SHARE = 0.25  # of a budget of time: of a model with very many kernels they would take all of a short one
_HOPELESS_AFTER = 24  # failed trials in a row that quarantine a task, or end a run whose untuned kernels failed, too


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
        self.plan = plan
        self.run_id = plan.run_id
        self.states = list(plan.states)
        self.target = plan.target
        self.settings = plan.settings
        self.control = control
        self.clock = WorkClock(plan.budget, float(project.runs.get(plan.run_id)["elapsed_s"]))
        self.log = RunLog(project, plan.run_id, self.states, self.clock, plan.budget.trials, emit)
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
                goes_on=project.runs.has_learned(plan.run_id),
            ),
        )
        self.allotment = Allotment(plan.budget, plan.settings, self.states, self.strategy, self.clock, self.log)
        self.planner = RoundPlanner(project, plan, self.strategy, self.allotment, self.log)

    # ------------------------------------------------------------ the loop

    def run(self, measurer: Measurer) -> None:
        """Tune until the budget is spent or the control says stop; everything measured is committed."""
        self.clock.begin()  # now: what a strategy loads to learn with, seconds of it, is not of the run's time
        self.strategy.widen_rounds(measurer.build_workers)
        measurer.tell_boardless(lambda reason: self.log.notice("warning", reason, _WAITED_FOR))
        if self.log.trials:
            self._restore()
        for row in pinned_before(self.project, self.run_id):
            self.control.pinned.put(row)
        before_s = self.clock.elapsed_s
        self._baselines(measurer)
        self.clock.count_at_most(_BASELINES_SHARE, before_s)
        self.log.point(None)
        under_way = UnderWay(self.project, self.plan, self.control, self.clock, self.log, measurer, self.strategy)
        while True:
            self._steer()
            self.take_pinned()
            state = self._next()
            begun = state is not None and self._begin(state, under_way)
            if under_way and (not begun or under_way.is_full):
                self._end(under_way, last=not begun)
            elif state is None and (self.allotment.is_spent or not self._hold_while_paused()):
                break
        self.take_pinned()  # what came during the last round waits in the file for a resume

    def take_pinned(self) -> None:
        """Queue rows that the user has pinned meanwhile at their tasks, and keep them in the project."""
        while not self.control.pinned.empty():
            row = self.control.pinned.get()
            try:
                for state in (s for s in self.states if s.task_id == row.task_id):
                    with self._working_on(state):
                        self.planner.generate_space(state)
                if all(state.space is not None for state in self.states if state.task_id == row.task_id):
                    self.log.notice("info", pin(self.project, self.run_id, self.states, row), "")
            except UserError as error:
                self.log.notice("warning", error.message, error.hint)

    def _next(self) -> TaskState | None:
        """The task of the next round; None where none is to begin now."""
        if self.allotment.is_spent or self._is_hopeless or self.control.should_yield():
            return None
        pinned = (state for state in self.states if state.pinned)
        return next(pinned, None) or next_task(self.states, self.allotment.patience, self.allotment.of_round)

    @property
    def _is_hopeless(self) -> bool:
        """Whether it is the machine that runs nothing: another task's trials would fail, too."""
        known = self.log.valid or any(state.untuned_s is not None for state in self.states)
        return not known and self.log.trials >= _HOPELESS_AFTER

    def _begin(self, state: TaskState, under_way: UnderWay) -> bool:
        """Begin a round of a task; False where it has nothing to measure, or is to wait for what is under way."""
        if not under_way.takes(state):
            return False
        plan = None
        with self._working_on(state):
            plan = self.planner.plan(state)
        if plan is not None:
            under_way.begin(state, plan)
        return plan is not None

    def _end(self, under_way: UnderWay, *, last: bool) -> None:
        """Wait for the first round under way, and learn from it."""
        ended = under_way.end(last=last)
        state = ended.state
        self.log.phase("learn", state.task.name)
        start = time.perf_counter()
        trials = state.end_round()
        stats = ended.stats
        if trials:
            with self._working_on(state):
                stats |= figures_of(self.plan.strategy, self.strategy.learn(state, trials))
        self.project.runs.update_round(ended.id, learn_s=time.perf_counter() - start, stats=json.dumps(stats))
        self._save_checkpoints(state.rounds)
        newest = state.trials[-_HOPELESS_AFTER:]
        hopeless = len(newest) == _HOPELESS_AFTER and not any(trial.result.ok for trial in newest)
        if hopeless and not state.quarantined:
            self.log.quarantine(state, f"the last {_HOPELESS_AFTER} trials failed: {state.trials[-1].result.message}")
        self.log.point(state)
        give_back_memory()

    @contextlib.contextmanager
    def _working_on(self, state: TaskState) -> Iterator[None]:
        """Quarantine the task if its space, search or learning fails or hangs: the others go on."""
        self.control.on_hang = lambda why: self.log.quarantine(state, why)
        try:
            yield
        except PhaseSilentError as error:
            self.log.quarantine(state, error.message)
        except UserError:  # the environment's (a disk, a lock) is no fault of the task
            raise
        except (Exception, SystemExit) as error:  # a plugin's code may raise either
            self.log.quarantine(state, in_one_line(error))
        finally:
            self.control.on_hang = None

    def _save_checkpoints(self, step: int) -> None:
        kept = checkpoints_of(self.plan.strategy, self.strategy.checkpoints())
        for role, (kind, data, recipe) in kept.items():
            self.project.runs.save_checkpoint(self.run_id, role, kind, step, data, recipe)

    # ------------------------------------------------------------ before the first round

    def _restore(self) -> None:
        """Go on from what earlier sessions of the run measured and learned."""
        restore_trials(self.project, self.run_id, self.states, self.planner.generate_space, self.log.phase)
        self.strategy.restore(self.states, self.project.runs.checkpoints(self.run_id))

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
                self.project.work.set_untuned(state.task_id, result.seconds, caches=self.settings.caches)

    # ------------------------------------------------------------ steering

    def _hold_while_paused(self) -> bool:
        """Wait until a paused run goes on; False where it is not paused, or stopped."""
        if self.control.running.is_set() or self.control.stop.is_set():
            return False
        self.project.runs.update(self.run_id, state="paused")
        self.clock.hold(self.control.wait_while_paused())
        self.project.runs.update(self.run_id, state="tuning")
        return True

    def _steer(self) -> None:
        while not self.control.steering.empty():
            task_id, action = self.control.steering.get()
            for state in self.states:
                if state.task_id == task_id:
                    state.steer = action
                    self.project.runs.update_task(self.run_id, task_id, steer=action)
