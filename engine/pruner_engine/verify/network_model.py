"""A cost model that is a torch network trained by LambdaRank."""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from pruner_engine.verify.batch import pack
from pruner_engine.verify.checkpoint import read_checkpoint, write_checkpoint
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport
from pruner_engine.verify.network import RankingNetwork
from pruner_engine.verify.training import Fit, TaskData, accuracy, fit, held_out, pack_groups, predict

_LEARNING_RATE = 7e-4
_MAX_THREADS = 8  # these networks are too small for more
_WARM_EPOCHS = 8
# an update visits about so many samples, so that learning stays a small part of a round
_VISITS = 6000


class NetworkCostModel(CostModel):
    """Keeps a network, goes on from its weights at every update, and starts over where that ranks better.

    Whether starting over is better is tried each time the measurements have doubled since the last try: one network
    goes on, one starts from nothing, and the one that ranks held-out measurements better stays.
    """

    def __init__(self, seed: int = 0) -> None:
        torch.set_num_threads(min(torch.get_num_threads(), _MAX_THREADS))
        self.seed = seed
        self.updates = 0
        self._tried_at = 0
        self._recipe: dict[str, Any] = {}
        self._pretrained = False
        self.network = self._fresh()

    @abstractmethod
    def build(self) -> RankingNetwork:
        """A new network."""

    def _fresh(self) -> RankingNetwork:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return self.build()

    def predict(self, features: Sequence[Features]) -> np.ndarray:
        if not features:
            return np.zeros(0)
        return predict(self.network, pack(features)).double().numpy()

    def update(self, groups: Mapping[str, Group], *, epochs: int = 50) -> LearnReport:
        started = time.perf_counter()
        data = pack_groups(groups)
        samples = sum(map(len, data))
        if not data:
            return LearnReport(float("nan"), float("nan"), 0, 0, time.perf_counter() - started)
        self.updates += 1
        first = self._tried_at == 0 and not self._pretrained
        start = "scratch" if first else "warm"
        outcome = Fit(float("nan"), -1.0, 0)
        if not first:
            outcome = self._train(self.network, data, min(epochs, _WARM_EPOCHS), _LEARNING_RATE / 2)
        judged = any(bool(held_out(len(task)).any()) for task in data)
        if first or (samples >= 2 * self._tried_at and (judged or not self._pretrained)):
            other = self._fresh()
            other.fit_scaling([task.batch for task in data])
            fresh = self._train(other, data, epochs, _LEARNING_RATE)
            if fresh.accuracy > outcome.accuracy or first:
                self.network, outcome, start = other, fresh, "scratch"
            self._tried_at = samples
        elapsed = time.perf_counter() - started
        return LearnReport(outcome.loss, outcome.accuracy, outcome.epochs, samples, elapsed, start)

    def train_offline(self, data: list[TaskData], *, epochs: int, recipe: Mapping[str, Any]) -> Fit:
        """Train from nothing on a data set and remember how."""
        self.network = self._fresh()
        self.network.fit_scaling([task.batch for task in data])
        outcome = fit(self.network, data, seed=self.seed, epochs=epochs, learning_rate=_LEARNING_RATE)
        self._recipe, self._pretrained = dict(recipe), True
        return outcome

    def _train(self, network: RankingNetwork, data: list[TaskData], epochs: int, learning_rate: float) -> Fit:
        samples = sum(map(len, data))
        affordable = max(2, min(epochs, _VISITS // samples))
        return fit(network, data, seed=self.seed + self.updates, epochs=affordable, learning_rate=learning_rate)

    def accuracy(self, groups: Mapping[str, Group]) -> float:
        """Pair accuracy on all of `groups`, averaged over tasks."""
        return accuracy(self.network, pack_groups(groups), only_held=False)

    def clone(self) -> NetworkCostModel:
        """An independent model in the same state."""
        return copy.deepcopy(self)

    @property
    def recipe(self) -> dict[str, Any]:
        return self._recipe

    def to_bytes(self) -> bytes:
        return write_checkpoint(self.kind, self.network, self._recipe)

    def from_bytes(self, data: bytes) -> None:
        self._recipe = read_checkpoint(self.kind, self.network, data)
        self._pretrained = True
