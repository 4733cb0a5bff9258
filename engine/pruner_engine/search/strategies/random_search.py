"""Random search: the floor of every comparison."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategy import Context, Proposal, Strategy, register_strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.sampling import random_candidates


class RandomSearch(Strategy):
    """Strategy `random`: measures valid candidates drawn by chance, and learns nothing."""

    name = "random"
    round_trials = 64
    ahead = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rng = np.random.default_rng(context.seed)

    @classmethod
    def check(cls, settings: SearchSettings) -> None:
        if settings.checkpoint:
            raise UserError("Chance learns nothing and takes no checkpoint.", "Choose another strategy.")

    def propose(self, state: TaskState, count: int) -> Proposal:
        assert state.space is not None
        self.context.on_phase("draft", state.task.name)
        start = time.perf_counter()
        drawn = random_candidates(state.space, count, self._rng, self.context.threads, state.measured)
        return Proposal(drawn, drafted=drawn, draft_s=time.perf_counter() - start)

    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        for trial in trials:
            trial.candidate.schedule = None  # an applied schedule holds megabytes
        return {}

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        # drawn again from the beginning, most candidates would be known
        self._rng = np.random.default_rng([self.context.seed, sum(len(state.trials) for state in states)])


register_strategy(RandomSearch.name, RandomSearch)
