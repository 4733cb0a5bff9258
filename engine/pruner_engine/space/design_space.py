"""The design space of a task: MetaSchedule's sketches for a target, and candidates made from them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.schedule import Trace
from tvm.target import Target

from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rows
from pruner_engine.space.decision_reading import read_decisions
from pruner_engine.space.keep_rolled import KeepRolled
from pruner_engine.space.rules import rules_for
from pruner_engine.space.sketch import Sketch, trace_hash, trace_json
from pruner_engine.tasks.foreign import read_trace
from pruner_engine.tasks.layout_free import unmark_vectors
from pruner_engine.tasks.task import TuningTask

_SEED = 1  # of what rules sample for the sketches, which hold no such decisions
_BATCH = 64  # candidates whose schedules are in memory together: each takes megabytes
INVALID = (RuntimeError, ValueError, TypeError, IndexError)  # what TVM raises for a schedule that cannot be built


class DesignSpace:
    """All sketches of a task on a target.

    Attributes:
        task, target: what it is for.
        sketches: distinct sketches, in MetaSchedule's order.
        derived: objects that other modules derive from the space and keep as long as it lives, by names of theirs.
    """

    def __init__(self, task: TuningTask, target: Target, context: ms.TuneContext, traces: Sequence[Trace]) -> None:
        self.task = task
        self.target = target
        self._postprocs = list(context.space_generator.postprocs)
        self._context = context  # the postprocs point into it
        self.sketches: list[Sketch] = []
        self._by_hash: dict[str, Sketch] = {}
        for trace in {trace_hash(trace): trace for trace in traces}.values():
            self._add(trace)
        self._foreign: dict[str, Trace] = {}
        self.derived: dict[str, Any] = {}
        self._unscheduled = Schedule(unmark_vectors(task.mod), error_render_level="none")

    @classmethod
    def generate(cls, task: TuningTask, target: Target, without: Collection[str] = ()) -> DesignSpace:
        """Apply MetaSchedule's rules, as shipped for the target's kind, and our own to the task.

        Args:
            without: names of own rules to leave out.
        """
        context = _context(task, target, space_generator(target, without))
        try:
            schedules = context.generate_design_space()
        except INVALID:  # TVM's own rules stumble over some kernels
            context = _context(task, target, space_generator(target, without, cautious=True))
            schedules = context.generate_design_space()
        return cls(task, target, context, [schedule.trace.simplified(remove_postproc=True) for schedule in schedules])

    def take_in(self, traces: Iterable[str]) -> None:
        """Add sketches that the present rules do not generate: of another version, or of a plugin that is not loaded.

        Args:
            traces: as `Sketch.trace_json` gives them. What cannot be applied to the task is left out.
        """
        for text in traces:
            try:
                trace = self._taken(text).simplified(remove_postproc=True)
                if trace_hash(trace) not in self._by_hash:
                    self._add(trace)
            except INVALID:
                continue

    def _add(self, trace: Trace) -> None:
        sketch = Sketch(len(self.sketches), trace, read_decisions(self.task.mod, trace))
        self.sketches.append(sketch)
        self._by_hash[sketch.hash] = sketch

    def candidate(self, sketch: int, row: Rows, origin: str = "draft", draft_score: float | None = None) -> Candidate:
        """The candidate of one row of a sketch."""
        of = self.sketches[sketch]
        row = np.array(row, dtype=np.int32)  # its own: a view would keep all the rows alive that it was chosen from
        key = int(of.keys(row[None])[0])
        return Candidate(sketch, row, key_hash(key), of.to_json(row), origin, draft_score)

    def from_json(self, text: str, origin: str) -> Candidate:
        """The candidate of a trace, as JSON.

        Raises:
            Exception: whatever TVM raises for a trace that does not fit the task.
        """
        return self.from_trace(self._taken(text), origin)

    def _taken(self, text: str) -> Trace:
        """A trace, given as JSON, as the task's kernel takes it; errors as of `from_json`."""
        schedule = Schedule(self.task.mod, error_render_level="none")
        Trace.apply_json_to_schedule(read_trace(text), schedule)
        return schedule.trace

    def known(self, text: str) -> Candidate | None:
        """The candidate of a trace, as JSON, that was measured elsewhere; None where it does not fit."""
        try:
            return self.from_json(text, "known")
        except INVALID:
            return None

    def from_trace(self, trace: Trace, origin: str) -> Candidate:
        """The candidate of a trace, postprocessed or not; its `sketch` is None if no sketch of the space fits."""
        simple = trace.simplified(remove_postproc=True)
        sketch = self._by_hash.get(trace_hash(simple))
        if sketch is not None:
            return self.candidate(sketch.index, sketch.from_trace(simple), origin)
        identity = hashlib.sha256(trace_json(simple).encode()).hexdigest()[:16]
        self._foreign[identity] = simple
        return Candidate(None, np.zeros(0, dtype=np.int32), identity, [], origin)

    def materialise(self, candidates: Sequence[Candidate], threads: int = 1) -> list[Candidate]:
        """Apply the candidates' traces and the target's postprocs, setting `schedule`.

        Args:
            threads: to work with; TVM releases the interpreter lock.

        Returns:
            The valid ones, in order. What a postproc refuses (GPU limits, say) is dropped.
        """
        if threads > 1 and len(candidates) > 1:
            with ThreadPoolExecutor(threads) as pool:
                schedules = list(pool.map(self.apply, candidates))
        else:
            schedules = [self.apply(candidate) for candidate in candidates]
        for candidate, schedule in zip(candidates, schedules, strict=True):
            candidate.schedule = schedule
        return [candidate for candidate in candidates if candidate.schedule is not None]

    def materialise_in_batches(self, candidates: Sequence[Candidate], threads: int) -> Iterator[list[Candidate]]:
        """As `materialise`, in batches whose schedules are dropped before the next batch: each takes megabytes."""
        for start in range(0, len(candidates), _BATCH):
            applied = self.materialise(candidates[start : start + _BATCH], threads)
            yield applied
            for candidate in applied:
                candidate.schedule = None

    def apply(self, candidate: Candidate) -> Schedule | None:
        """The candidate's schedule with postprocs run, or None where it is not valid; the same at every call."""
        schedule = self._unscheduled.copy()  # a tenth of the time that a new one takes
        schedule.seed(seed_of(candidate.hash))
        try:
            self.trace_of(candidate).apply_to_schedule(schedule, remove_postproc=True)
            schedule.enter_postproc()
            if all(postproc.apply(schedule) for postproc in self._postprocs):
                return schedule
        except INVALID:
            pass  # such a candidate is invalid, no more
        return None

    def trace_of(self, candidate: Candidate) -> Trace:
        """The candidate's trace without postprocessing."""
        if candidate.sketch is None:
            return self._foreign[candidate.hash]
        return self.sketches[candidate.sketch].to_trace(candidate.row)


def _context(task: TuningTask, target: Target, generator: ms.SpaceGenerator) -> ms.TuneContext:
    return ms.TuneContext(task.mod, target=target, space_generator=generator, rand_state=_SEED, num_threads=1)


def space_generator(target: Target, without: Collection[str] = (), *, cautious: bool = False) -> ms.SpaceGenerator:
    """MetaSchedule's generator of sketches for a target, with our rules among its own.

    Args:
        without: names of own rules to leave out.
        cautious: without rules that stumble over some kernels.
    """
    rules = rules_for(target, without, cautious=cautious)
    if target.kind.name != "llvm":
        return ms.space_generator.PostOrderApply(sch_rules=rules)
    postprocs = [*ms.Postproc.create("llvm"), KeepRolled()]
    return ms.space_generator.PostOrderApply(sch_rules=rules, postprocs=postprocs)


def seed_of(candidate: str) -> int:
    """The seed by which postprocs sample (thread extents of unbound blocks), so that a hash stands for one schedule."""
    return (int(candidate, 16) & 0x3FFFFFFF) + 1


def key_hash(key: int) -> str:
    """A candidate's hash from its 64-bit key."""
    return f"{key:016x}"
