"""Draft, then verify (Pruner, Qiao et al., ASPLOS 2025): the analyzer drafts, a learned model picks what to measure."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruner_engine.draft import Analyzer, analyzer_for
from pruner_engine.draft.calibration import fit_device
from pruner_engine.search.explorer import DraftSet, Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies.memory import Memory
from pruner_engine.search.strategies.model_strategy import ModelStrategy
from pruner_engine.search.strategies.spread import spread
from pruner_engine.search.strategy import Context, Proposal, register_strategy
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rows
from pruner_engine.verify.model import Features
from pruner_engine.verify.pretrained import check_model

# Trials of a task, and of all tasks, at which half is the learner's: of one that starts from the draft's score, and of
# another. Replayed on measured draft sets and random candidates; see docs/experiments.md
_CONVINCED, _CONVINCED_WITHOUT_DRAFT = (1, 20), (48, 20)
_FIRST = 4  # times the trials of a task's first round that it verifies: of a new task the model knows least
_PRETRAINED = 64  # trials that a pre-trained model is credited with
_ONE_IN = 4  # candidates of a round one may be there as the best of its sketch
_SLOWER = 1.3  # in log2: how much slower than the best the draft may expect that one to be, 2.5 times


@dataclass
class _Draft:
    """The draft of one task.

    Attributes:
        found: the present draft set; None before the first.
        made_at: round in which it was drafted, those that were under way counted.
        waiting: candidates of it that were not applied yet.
        pool: valid candidates that are not measured yet; the model ranks them.
    """

    explorer: Explorer
    found: DraftSet | None = None
    made_at: int = -1
    waiting: list[Candidate] = field(default_factory=list)
    pool: list[Candidate] = field(default_factory=list)


class DraftVerify(ModelStrategy):
    """Strategy `pruner`: each round measures the best of a draft set that serves for `refresh` rounds."""

    name = "pruner"
    opening_trials = 3

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.settings.model)
        self._drafts: dict[str, _Draft] = {}

    @classmethod
    def check(cls, settings: SearchSettings) -> None:
        check_model(settings.model, settings.checkpoint)

    def propose(self, state: TaskState, count: int) -> Proposal:
        draft = self._draft_of(state)
        start = time.perf_counter()
        left = len(draft.waiting) + sum(c.hash not in state.measured for c in draft.pool)
        old = state.rounds + state.begun - draft.made_at >= self.context.settings.refresh
        if fresh := draft.found is None or old or left < count or _overtaken(state, draft.found):
            self.context.on_phase("draft", state.task.name)
            self._explore(state, draft)
        assert draft.found is not None
        drafted = time.perf_counter()
        self.context.on_phase("verify", state.task.name)
        if fresh:
            draft.pool, draft.waiting = [], draft.found.candidates
        first = None if state.rounds else _FIRST * count
        self._materialise(state, draft, first)
        while len(draft.pool) < count and draft.waiting:  # some of the first could not be applied
            self._materialise(state, draft, first)
        untried = self._untried(state, draft) if count >= _ONE_IN else []
        pool = draft.pool
        self.forget(state, pool)
        self.score(state, pool)
        ranked = sorted(pool, key=lambda c: -(c.verified_score or 0.0))
        chosen = _with_some(self.pick(ranked, count), untried)
        self.keep_applied(state, chosen, pool)
        return Proposal(
            candidates=chosen,
            drafted=pool,
            explored=draft.found.explored if fresh else 0,
            verified=len(pool),
            draft_s=drafted - start,
            verify_s=time.perf_counter() - drafted,
            stats=self._stats(state, draft) if fresh else {},
        )

    def judged(self, state: TaskState, candidates: Sequence[Candidate], features: Sequence[Features]) -> np.ndarray:
        """What was known before and what this run has taught, by places, the latter as far as it has seen enough."""
        trust = self._trust(len(self.memory(state).seen), sum(len(memory.seen) for memory in self._memories.values()))
        return (1 - trust) * self.known(candidates, features) + trust * places(self.scores(self.learner, features))

    def known(self, candidates: Sequence[Candidate], features: Sequence[Features]) -> np.ndarray:
        """How the candidates would be placed without this run's measurements, from 0 to 1, the best last."""
        return places([c.draft_score for c in candidates])

    def _trust(self, of_task: int, of_all: int) -> float:
        """How much of the decision is the learner's, which has seen so many trials of the task, and of all tasks."""
        if self.taught_before:
            of_task, of_all = of_task + _PRETRAINED, of_all + _PRETRAINED
        half, half_of_all = _CONVINCED if self.learner.from_draft else _CONVINCED_WITHOUT_DRAFT
        return of_task / (of_task + half) * of_all / (of_all + half_of_all)

    def _untried(self, state: TaskState, draft: _Draft) -> list[Candidate]:
        """The best drafted candidate of each sketch that nothing was measured of, best first, applied and in the pool.

        A sketch that the analyzer overrates fills the draft set, and no learned model would ever see the others.
        """
        assert state.space is not None and draft.found is not None
        begun = (*(t.candidate for t in state.trials), *(p.candidate for p in state.under_way.values()))
        tried = {candidate.sketch for candidate in begun}
        scored = [(c.draft_score or 0.0, c) for c in draft.found.leaders]
        near = {c.hash: c for score, c in scored if score >= scored[0][0] - _SLOWER and c.sketch not in tried}
        there = {candidate.hash for candidate in draft.pool}
        self._add_valid(state, draft, [c for key, c in near.items() if key not in there])
        draft.waiting = [candidate for candidate in draft.waiting if candidate.hash not in near]
        found = {candidate.hash: candidate for candidate in draft.pool}
        return [found[key] for key in near if key in found]

    def _draft_of(self, state: TaskState) -> _Draft:
        found = self._drafts.get(state.task.hash)
        if found is None:
            assert state.space is not None
            analyzer = analyzer_for(state.space, self.context.profile)
            found = self._drafts[state.task.hash] = _Draft(Explorer(state.space, analyzer, self.context.settings))
            self._tell_unread(state, analyzer)
        return found

    def _stats(self, state: TaskState, draft: _Draft) -> dict[str, Any]:
        assert draft.found is not None
        return {
            "draft_histogram": draft.found.histogram,
            "lowered": draft.found.lowered,
            "lowered_sketches": _unread(state, draft.explorer.analyzer),
        }

    def _tell_unread(self, state: TaskState, analyzer: Analyzer) -> None:
        assert state.space is not None
        if unread := _unread(state, analyzer):
            self.context.on_notice(
                "info",
                f"{state.task.name}: sketches without a closed form: {unread} of {len(state.space.sketches)}.",
                "Of those the draft reads some hundred candidates a round, from their applied schedules.",
            )

    def canonical(self, state: TaskState, sketch: int, rows: Rows) -> Rows:
        return self._draft_of(state).explorer.analyzer.canonical(sketch, rows)

    def _explore(self, state: TaskState, draft: _Draft) -> None:
        settings = self.context.settings
        # not while a draft set serves: the scores of what is verified together have to be of the same factors
        draft.explorer.analyzer.calibrate(self._timed(state.task.hash))
        # the best one is told whatever the share: its sketch is favoured
        elites = state.elites(max(1, math.ceil(draft.explorer.population * settings.elite_share)))
        rows = [(c.sketch, c.row) for c in elites if c.sketch is not None]
        draft.found = draft.explorer.draft(self.rng, rows, state.measured)
        draft.made_at = state.rounds + state.begun

    def _materialise(self, state: TaskState, draft: _Draft, drafted: int | None) -> None:
        """Add `drafted` of the draft set that differ (None: all that wait), and random samples, to the pool."""
        assert state.space is not None
        fresh = self.context.settings.fresh_samples
        now = draft.waiting
        if drafted is not None:
            fresh = min(fresh, drafted // 2)
            now = spread(state.space, draft.waiting, drafted)
        taken = {candidate.hash for candidate in now}
        draft.waiting = [candidate for candidate in draft.waiting if candidate.hash not in taken]
        self._add_valid(state, draft, now)
        known = {c.hash for c in (*draft.pool, *draft.waiting)} | state.measured
        randoms = self.random_candidates(state, fresh, known)
        for candidate in randoms:
            assert candidate.sketch is not None
            score = draft.explorer.analyzer.score(candidate.sketch, candidate.row[None])[0]
            candidate.draft_score = float(score)
        self._add_valid(state, draft, [c for c in randoms if np.isfinite(c.draft_score or 0.0)])
        draft.pool = [c for c in draft.pool if c.hash not in state.measured]

    def _add_valid(self, state: TaskState, draft: _Draft, candidates: Sequence[Candidate]) -> None:
        """Add what can be applied to the pool; what is known from an earlier draft is applied when it is chosen."""
        assert state.space is not None
        known = self.memory(state).features
        state.space.materialise([c for c in candidates if c.hash not in known], self.context.threads)
        draft.pool += [c for c in candidates if c.hash in known or c.schedule is not None]

    def _timed(self, task: str) -> list[tuple[int, Rows, float]]:
        """Sketch, row and seconds of finished measurements: an abandoned one has no time that could be fitted."""
        seen = [t for t in self._memories.get(task, Memory()).seen if not t.result.censored]
        timed = ((t.candidate.sketch, t.candidate.row, t.seconds) for t in seen)
        return [(sketch, row, seconds) for sketch, row, seconds in timed if sketch is not None and seconds is not None]

    def calibration(self) -> dict[str, float] | None:
        every = [d.explorer.analyzer.components_of(self._timed(task)) for task, d in self._drafts.items()]
        found = [(names, (times, seconds)) for names, times, seconds in every if names]
        known = self.context.profile.calibration
        return fit_device([task for _, task in found], found[0][0], known) if found else None


def _with_some(chosen: Sequence[Candidate], untried: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, for some of the last of them the best of sketches that the others do not belong to."""
    most = len(chosen) // _ONE_IN
    kept, last = chosen[: len(chosen) - most], chosen[len(chosen) - most :]
    new = [c for c in untried if all(c.sketch != other.sketch for other in kept)][:most]
    others = [c for c in last if all(c is not other for other in new)]
    return [*kept, *others[: most - len(new)], *new]


def _overtaken(state: TaskState, found: DraftSet) -> bool:
    """Whether a sketch measured best of which the draft set has little."""
    return any(best.sketch is not None and found.slights(best.sketch) for best in state.elites(1))


def _unread(state: TaskState, analyzer: Analyzer) -> int:
    """Sketches of the task that have no closed form."""
    assert state.space is not None
    return sum(not analyzer.compiled(sketch.index) for sketch in state.space.sketches)


def places(scores: Sequence[float | None] | np.ndarray) -> np.ndarray:
    """Place of each score, from 0 to 1, the best last; equal ones share theirs, and what is no number comes first."""
    known = np.array([-np.inf if score is None or np.isnan(score) else score for score in scores])
    place = np.unique(known, return_inverse=True)[1].astype(float)
    return place / max(1.0, float(place.max(initial=0.0)))


register_strategy(DraftVerify.name, DraftVerify)
