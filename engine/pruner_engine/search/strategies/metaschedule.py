"""The baseline: TVM's own evolutionary search with its XGBoost model, and its constants unless settings change them.

Builder, runner and store are ours, so that a comparison isolates the search. Its model knows times only: an abandoned
candidate is told with its bound."""

from __future__ import annotations

import importlib
import time
from collections.abc import Collection, Sequence
from typing import Any

from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.cost_model.xgb_model import XGBConfig, XGBModel
from tvm.s_tir.meta_schedule.database import MemoryDatabase, TuningRecord, Workload
from tvm.s_tir.meta_schedule.runner import RunnerResult
from tvm.s_tir.meta_schedule.search_strategy import EvolutionarySearch, MeasureCandidate

from pruner_engine.processes.openmp import sleeping_threads
from pruner_engine.search.strategy import Context, Proposal, Strategy, register_strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import space_generator

_NEVER = 1 << 30
_SEEDS = (1 << 31) - 2  # that TVM takes
_ASKED = 6  # times: it finds nothing new five times before it says that there is nothing


class MetaScheduleSearch(Strategy):
    """Strategy `metaschedule`."""

    name = "metaschedule"
    round_trials = 64
    keeps_times = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        if context.settings.checkpoint:
            context.on_notice(
                "warning", "metaschedule learns with TVM's own model: the checkpoint is not used.", "Leave it out."
            )
        self._database = MemoryDatabase()
        with sleeping_threads():
            importlib.import_module("xgboost")  # by TVM as soon as it learns
        self._model = XGBModel(config=XGBConfig(seed=context.seed, nthread=context.threads))
        self._contexts: dict[str, ms.TuneContext] = {}
        self._workloads: dict[str, Workload] = {}
        # By task: the search finds nothing twice, so what a round that is cut has no room for waits for the next
        self._found: dict[str, list[Candidate]] = {}

    def _tune_context(self, state: TaskState) -> ms.TuneContext:
        found = self._contexts.get(state.task.hash)
        if found is not None:
            return found
        assert state.space is not None
        given = self.context.settings
        asked = {"population_size": given.population, "genetic_num_iters": given.generations}
        found = ms.TuneContext(
            mod=state.task.mod,
            target=self.context.target,
            space_generator=space_generator(self.context.target, self.context.settings.without_rules),
            search_strategy=EvolutionarySearch(**{name: value for name, value in asked.items() if value is not None}),
            rand_state=self.context.seed % _SEEDS + 1,
            num_threads=self.context.threads,
            task_name=state.task.name,
        )
        self._workload(state)
        found.pre_tuning(
            max_trials=_NEVER,
            num_trials_per_iter=self.round_trials,
            design_spaces=found.generate_design_space(),
            database=self._database,
            cost_model=self._model,
        )
        self._contexts[state.task.hash] = found
        return found

    def _workload(self, state: TaskState) -> Workload:
        if state.task.hash not in self._workloads:
            self._workloads[state.task.hash] = self._database.commit_workload(state.task.mod)
        return self._workloads[state.task.hash]

    def propose(self, state: TaskState, count: int) -> Proposal:
        self.context.on_phase("verify", state.task.name)
        start = time.perf_counter()
        assert state.space is not None
        waiting = [c for c in self._found.get(state.task.hash, ()) if c.hash not in state.measured]
        candidates = state.space.materialise(waiting[:count], self.context.threads)
        if len(candidates) < count:
            candidates += self._new(state, {c.hash for c in waiting})
        self._score(state, candidates)
        for candidate in candidates[count:]:
            candidate.schedule = None  # it waits, and each takes megabytes
        self._found[state.task.hash] = [*candidates, *waiting[count:]]
        return Proposal(
            candidates=candidates[:count],
            drafted=candidates,
            verified=len(candidates),
            verify_s=time.perf_counter() - start,
        )

    def _new(self, state: TaskState, waiting: Collection[str]) -> list[Candidate]:
        """What the search finds next, as many as a round of its own has, less what is measured or waits."""
        for _ in range(_ASKED):
            found = self._tune_context(state).generate_measure_candidates()
            candidates = self._unknown(state, found or [], waiting)
            if candidates or found is None:
                return candidates
        return []

    def _unknown(
        self, state: TaskState, found: Sequence[MeasureCandidate], waiting: Collection[str]
    ) -> list[Candidate]:
        assert state.space is not None
        new: dict[str, Candidate] = {}
        for proposed in found:
            candidate = state.space.from_trace(proposed.sch.trace, "evolved")
            candidate.schedule = proposed.sch
            if candidate.hash not in state.measured and candidate.hash not in waiting:
                new.setdefault(candidate.hash, candidate)
        return [*new.values()]

    def _score(self, state: TaskState, candidates: Sequence[Candidate]) -> None:
        if not candidates:
            return
        scores = self._model.predict(self._tune_context(state), [_measure_candidate(c.schedule) for c in candidates])
        for candidate, score in zip(candidates, scores, strict=True):
            candidate.verified_score = float(score)

    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        context, workload = self._tune_context(state), self._workload(state)
        measured, results = [], []
        for trial in trials:
            if trial.candidate.schedule is None:  # of an earlier session
                assert state.space is not None
                if not state.space.materialise([trial.candidate]):
                    continue
            candidate = _measure_candidate(trial.candidate.schedule)
            seconds = list(trial.result.repeats) if trial.result.ok else None
            measured.append(candidate)
            results.append(
                RunnerResult(run_secs=seconds, error_msg=None if seconds else trial.result.message or "failed")
            )
            self._database.commit_tuning_record(
                TuningRecord(candidate.sch.trace, workload, seconds or [1e10], self.context.target, candidate.args_info)
            )
            trial.candidate.schedule = None
        if measured:
            self._model.update(context, measured, results)
            context.notify_runner_results(measured, results)
        return {"samples": int(self._model.data_size)}


def _measure_candidate(schedule: Any) -> MeasureCandidate:
    return MeasureCandidate(schedule, ArgInfo.from_entry_func(schedule.mod, remove_preproc=True))


register_strategy(MetaScheduleSearch.name, MetaScheduleSearch)
