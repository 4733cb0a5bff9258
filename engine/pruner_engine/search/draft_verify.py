"""Pruner's step (Qiao et al., ASPLOS 2025): draft with the analyzer, verify with a learned model, measure the few."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruner_engine.draft import analyzer_for
from pruner_engine.search.explorer import DraftSet, Explorer
from pruner_engine.search.strategy import Context, Proposal, Strategy, register_strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import create_model
from pruner_engine.verify.model import Features

_TRUSTED_AFTER = 8  # valid trials of a task before an untrained model may overrule the draft's order


@dataclass
class _TaskSearch:
    """A task's explorer, its present draft set, and the features of what was measured."""

    explorer: Explorer
    draft: DraftSet | None = None
    drafted_at: int = -1
    pool: list[Candidate] = field(default_factory=list)
    features: dict[str, Features] = field(default_factory=dict)
    seen: list[Trial] = field(default_factory=list)


class DraftVerify(Strategy):
    """Strategy `pruner`."""

    name = "pruner"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.rng = np.random.default_rng(context.seed)
        self.model = create_model(context.settings.model, context.seed)
        self.pretrained = False
        self._searches: dict[str, _TaskSearch] = {}

    # ------------------------------------------------------------ propose

    def propose(self, state: TaskState, count: int) -> Proposal:
        settings = self.context.settings
        search = self._search(state)
        start = time.perf_counter()
        fresh = search.draft is None or state.rounds - search.drafted_at >= settings.refresh
        if fresh:
            self.context.on_phase("draft", state.task.name)
            self._draft(state, search)
        assert search.draft is not None
        drafted = time.perf_counter()
        self.context.on_phase("verify", state.task.name)
        pool = self._materialise(state, search)
        self._score(state, search, pool)
        picked = self._pick(state, pool, count)
        return Proposal(
            candidates=picked,
            drafted=[*search.draft.candidates, *pool] if fresh else pool,
            explored=search.draft.explored if fresh else 0,
            verified=len(pool),
            draft_s=drafted - start,
            verify_s=time.perf_counter() - drafted,
            stats={"draft_histogram": search.draft.histogram} if fresh else {},
        )

    def _search(self, state: TaskState) -> _TaskSearch:
        found = self._searches.get(state.task.hash)
        if found is None:
            assert state.space is not None
            analyzer = analyzer_for(state.space, self.context.profile)
            found = _TaskSearch(Explorer(state.space, analyzer, self.context.settings))
            self._searches[state.task.hash] = found
        return found

    def _draft(self, state: TaskState, search: _TaskSearch) -> None:
        settings = self.context.settings
        elites = state.elites(max(1, int(settings.population * settings.elite_share)))
        rows = [(c.sketch, c.row) for c in elites if c.sketch is not None]
        search.draft = search.explorer.draft(self.rng, rows, state.measured)
        search.drafted_at = state.rounds
        search.pool = []

    def _materialise(self, state: TaskState, search: _TaskSearch) -> list[Candidate]:
        """The draft set plus fresh random samples, applied and valid, less what was measured."""
        assert state.space is not None and search.draft is not None
        if not search.pool:
            search.pool = state.space.materialise(search.draft.candidates, self.context.threads)
        randoms = self._random(state, search, self.context.settings.fresh_samples)
        search.pool += state.space.materialise(randoms, self.context.threads)
        search.pool = [c for c in search.pool if c.hash not in state.measured]
        return search.pool

    def _random(self, state: TaskState, search: _TaskSearch, count: int) -> list[Candidate]:
        assert state.space is not None
        known = {c.hash for c in search.pool} | state.measured
        found: list[Candidate] = []
        for index in self.rng.integers(len(state.space.sketches), size=count):
            row = state.space.sketches[index].sample(self.rng, 1)[0]
            score = float(search.explorer.analyzer.score(int(index), row[None])[0])
            candidate = state.space.candidate(int(index), row, "random", score)
            if candidate.hash not in known and np.isfinite(score):
                known.add(candidate.hash)
                found.append(candidate)
        return found

    # ------------------------------------------------------------ verify

    def _score(self, state: TaskState, search: _TaskSearch, pool: Sequence[Candidate]) -> None:
        missing = [c for c in pool if c.hash not in search.features]
        if missing:
            extracted = self.model.featurize(state.task, self.context.target, missing)
            search.features.update(zip((c.hash for c in missing), extracted, strict=True))
        if not pool:
            return
        scores = self.model.predict([search.features[c.hash] for c in pool])
        for candidate, score in zip(pool, scores, strict=True):
            candidate.verified_score = float(score)

    def _trusted(self, search: _TaskSearch) -> bool:
        return self.pretrained or sum(t.result.ok for t in search.seen) >= _TRUSTED_AFTER

    def _pick(self, state: TaskState, pool: Sequence[Candidate], count: int) -> list[Candidate]:
        """The best by the model (by the draft as long as the model knows nothing), a few at random."""
        trusted = self._trusted(self._search(state))
        ranked = sorted(pool, key=lambda c: (c.verified_score if trusted else c.draft_score) or 0.0, reverse=True)
        explore = round(count * self.context.settings.eps_greedy) if len(ranked) > count else 0
        best, rest = ranked[: count - explore], ranked[count - explore :]
        picked = self.rng.choice(len(rest), size=min(explore, len(rest)), replace=False) if explore else []
        return [*best, *(rest[int(i)] for i in picked)]

    # ------------------------------------------------------------ learn

    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        self._take(state, trials)
        report = self.model.update(self._groups())
        return {"loss": report.loss, "pair_accuracy": report.pair_accuracy, "samples": report.samples}

    def _take(self, state: TaskState, trials: Sequence[Trial]) -> None:
        """Keep features of the trials, so that the model can be trained on them, and calibrate the analyzer."""
        search = self._search(state)
        unknown = [t.candidate for t in trials if t.candidate.hash not in search.features]
        if unknown:
            assert state.space is not None
            applied = state.space.materialise(unknown, self.context.threads)
            extracted = self.model.featurize(state.task, self.context.target, applied) if applied else []
            search.features.update(zip((c.hash for c in applied), extracted, strict=True))
        search.seen += [t for t in trials if t.candidate.hash in search.features]
        kept = {t.candidate.hash for t in search.seen} | {c.hash for c in search.pool}
        search.features = {key: value for key, value in search.features.items() if key in kept}
        for trial in trials:
            trial.candidate.schedule = None  # a schedule holds megabytes; features and trace say it all
        timed = [(t.candidate.sketch, t.candidate.row, t.seconds) for t in search.seen if t.seconds is not None]
        search.explorer.analyzer.calibrate([(s, row, sec) for s, row, sec in timed if s is not None])

    def _groups(self) -> dict[str, tuple[list[Features], np.ndarray, np.ndarray]]:
        groups = {}
        for task_hash, search in self._searches.items():
            valid = [t for t in search.seen if t.seconds is not None]
            if valid:
                groups[task_hash] = (
                    [search.features[t.candidate.hash] for t in valid],
                    np.array([t.seconds for t in valid], dtype=np.float64),
                    np.array([t.result.censored for t in valid], dtype=bool),
                )
        return groups

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        for state in states:
            if state.trials:
                self._take(state, state.trials)
        if "model" in checkpoints:
            self.model.from_bytes(checkpoints["model"])
        elif groups := self._groups():
            self.model.update(groups)

    def checkpoints(self) -> dict[str, tuple[str, bytes, dict[str, Any]]]:
        return {"model": (self.model.kind, self.model.to_bytes(), {"seed": self.context.seed})}


register_strategy(DraftVerify.name, DraftVerify)
