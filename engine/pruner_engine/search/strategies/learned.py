"""The baselines that score each explored candidate with a learned model: Ansor, TenSet-MLP, TLP.

Each explored candidate is applied and featurised before it is scored: that is the cost which drafting avoids.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pruner_engine.search.strategies.model_strategy import ModelStrategy
from pruner_engine.search.strategy import Context, Proposal, register_strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify.pretrained import check_model


class LearnedSearch(ModelStrategy):
    """A genetic search guided by the model alone.

    Args:
        name: of the strategy.
        kind: of its model.
        population, generations: of the search where the settings give none; Ansor's are 2048 and 4.
        online: learn from this run's measurements too; otherwise the model stays as its checkpoint was.
    """

    round_trials = 64

    def __init__(
        self,
        context: Context,
        *,
        name: str,
        kind: str,
        population: int,
        generations: int,
        online: bool,
    ) -> None:
        super().__init__(context, kind)
        self.name = name
        given = context.settings
        self.population = population if given.population is None else given.population
        self.generations = generations if given.generations is None else given.generations
        self.online = online
        if not online and not self.pretrained:
            context.on_notice(
                "warning",
                f"{name} is an offline strategy and was given no checkpoint: its model learns from this run instead.",
                "Give one with --checkpoint.",
            )
            self.online = True

    def propose(self, state: TaskState, count: int) -> Proposal:
        self.context.on_phase("verify", state.task.name)
        start = time.perf_counter()
        known = set(state.measured)
        population = self._scored(state, self._children(state.elites(count), state, known))
        population += self._scored(state, self.random_candidates(state, self.population, known))
        explored = len(population)
        for _ in range(self.generations):
            parents = sorted(population, key=_score, reverse=True)[: self.population]
            children = self._scored(state, self._children(parents, state, known))
            explored += len(children)
            population = sorted([*parents, *children], key=_score, reverse=True)[: self.population]
        ranked = sorted(population, key=_score, reverse=True)
        chosen = self.pick(ranked, count)
        self.forget(state, chosen)
        self.keep_applied(state, chosen, [])
        return Proposal(
            candidates=chosen,
            drafted=ranked[: self.context.settings.draft_set],
            explored=explored,
            verified=explored,
            verify_s=time.perf_counter() - start,
        )

    def _children(self, parents: Sequence[Candidate], state: TaskState, known: set[str]) -> list[Candidate]:
        """One mutation of each parent."""
        assert state.space is not None
        children = []
        for parent in parents:
            if parent.sketch is None:
                continue
            row = state.space.sketches[parent.sketch].mutate(self.rng, parent.row[None])[0]
            child = state.space.candidate(parent.sketch, row, "evolved")
            if child.hash not in known:
                known.add(child.hash)
                children.append(child)
        return children

    def _scored(self, state: TaskState, candidates: list[Candidate]) -> list[Candidate]:
        assert state.space is not None
        valid: list[Candidate] = []
        for applied in state.space.materialise_in_batches(candidates, self.context.threads):
            self.score(state, applied)
            valid += applied
        return valid

    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        if self.online:
            return super().learn(state, trials)
        self.take(state, trials)
        return {}

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        if not self.online:  # cut off before its first checkpoint it goes on from its file, and learns nothing
            checkpoints = {"model": self.model.to_bytes(), **checkpoints}
        super().restore(states, checkpoints)


def _score(candidate: Candidate) -> float:
    return candidate.verified_score or 0.0


def _register(name: str, kind: str, **options: Any) -> None:
    """Register a search with a model of this kind."""
    register_strategy(
        name,
        lambda context: LearnedSearch(context, name=name, kind=kind, **options),
        lambda settings: check_model(kind, settings.checkpoint),
    )


_register("ansor", "xgb", population=2048, generations=4, online=True)
_register("tenset-mlp", "tenset-mlp", population=512, generations=4, online=False)
_register("tlp", "tlp", population=512, generations=4, online=False)
