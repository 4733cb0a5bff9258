"""A cost model that is a torch network trained by LambdaRank."""

from __future__ import annotations

import copy
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from pruner_engine.verify.checkpoint import read_checkpoint, write_checkpoint
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport
from pruner_engine.verify.networks.batch import pack
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.training import Fit, Measured, fit, pack_groups, predict

_LEARNING_RATE = 7e-4
_EPOCHS, _WARM_EPOCHS = 50, 8  # at most
# An update visits so many samples for each new measurement, and no more than the second figure, so that learning stays
# a small part of a round. Replayed on 22 tasks in four passes of ten trials, with two seeds: 100 visits a trial find
# as good candidates as 3000 an update (0.999 against 0.981 and 0.984 of the best) in half the time.
_VISITS_A_TRIAL = 100
_VISITS = 3000
# Weights that come from elsewhere at each adaptation get no more than these: replayed on networks, 25 visits a trial
# put as many pairs in order as 100 at every update, for a quarter of the time. In whole draft sets they put fewer (0.60
# for 0.66), but there a model that starts from nothing, which has the last word, puts more than either (0.73).
_TUNED_A_TRIAL = 25
_PASSES = 2  # at least
# starting over happens only when the measurements have doubled, and may cost more: so many passes at least
_FRESH_EPOCHS = 4
# with more measurements, none held out, starting over was tried 22 times in eight networks, and never kept
_FEW = 64
# what a pre-trained model knows outweighs fewer measurements than these: it is tuned the more gently, the fewer there
# are (tuning at the full rate on 10 measurements took its rank correlation on an unseen task from 0.77 to 0.47)
_CONVINCING = 400


class NetworkCostModel(CostModel):
    """A network trained by LambdaRank: each update goes on from its weights, or starts over where that ranks better.

    Whether starting over is better is tried each time the measurements have doubled since the last try: one network
    goes on, one starts from nothing, and the one that ranks better stays: held-out measurements where a task has
    some, else, while there are few, what both have learned.
    """

    def __init__(self, seed: int = 0) -> None:
        torch.set_num_threads(1)  # at these sizes threads wait for each other longer than they work
        self.seed = seed
        self.updates = 0
        self._tried_at = self._seen = 0
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

    def update(self, groups: Mapping[str, Group]) -> LearnReport:
        return self._learned(groups, self._updated)

    def fine_tune(self, groups: Mapping[str, Group]) -> LearnReport:
        """Teach weights that have not learned from the earlier measurements: all are visited, if only a few times.

        Args:
            groups: everything measured so far.
        """
        return self._learned(groups, self._fine_tuned)

    def train_offline(
        self,
        data: Measured,
        *,
        epochs: int,
        recipe: Mapping[str, Any],
        on_epoch: Callable[[int, float, float], None] | None = None,
    ) -> Fit:
        """Train from nothing on a data set and remember how."""
        self.network = self._fresh()
        self.network.fit_scaling(data.batch)
        outcome = fit(
            self.network,
            data,
            seed=self.seed,
            epochs=epochs,
            learning_rate=_LEARNING_RATE,
            averaged=True,
            on_epoch=on_epoch,
        )
        self._recipe, self._pretrained = dict(recipe), True
        return outcome

    def _learned(self, groups: Mapping[str, Group], train: Callable[[Measured], tuple[Fit, str]]) -> LearnReport:
        """How training went; nothing is trained where there are no measurements."""
        started = time.perf_counter()
        data = pack_groups(groups)
        if data is None:
            return LearnReport(math.nan, math.nan, 0, 0, time.perf_counter() - started)
        former = copy.deepcopy(self.network)
        outcome, start = train(data)
        if not self.is_finite:  # no training leaves again what is no number
            self.network = former
        seconds = time.perf_counter() - started
        return LearnReport(outcome.loss, outcome.accuracy, outcome.epochs, len(data), seconds, start)

    def _updated(self, data: Measured) -> tuple[Fit, str]:
        """Train on, and from nothing where that is worth trying; what it was that the model is now of."""
        if self._untrained:
            return self._start_over(data), "scratch"
        outcome = self._go_on(data)
        judged = any(map(len, data.held))
        if len(data) < 2 * self._tried_at or not (judged or (len(data) <= _FEW and not self._pretrained)):
            return outcome, "warm"
        kept = self.network
        other = self._start_over(data)
        if other.accuracy > outcome.accuracy:
            return other, "scratch"
        self.network = kept
        return outcome, "warm"

    def _fine_tuned(self, data: Measured) -> tuple[Fit, str]:
        visits = min(_TUNED_A_TRIAL * (len(data) - self._seen), _VISITS)
        return self._warm(data, max(visits, _PASSES * len(data))), "warm"

    def _go_on(self, data: Measured) -> Fit:
        new = len(data) - self._seen
        # an update on nothing new (a model taken to other measurements) is a whole one
        return self._warm(data, min(_VISITS_A_TRIAL * new, _VISITS) if new > 0 else _VISITS)

    def _warm(self, data: Measured, visits: int) -> Fit:
        gentle = min(1.0, len(data) / _CONVINCING) if self._pretrained else 1.0
        return self._train(data, _WARM_EPOCHS, _LEARNING_RATE * gentle, visits)

    def _start_over(self, data: Measured) -> Fit:
        self.network = self._fresh()
        self.network.fit_scaling(data.batch)
        samples = self._tried_at = len(data)
        return self._train(data, _EPOCHS, _LEARNING_RATE, max(_VISITS, _FRESH_EPOCHS * samples))

    def _train(self, data: Measured, epochs: int, learning_rate: float, visits: int) -> Fit:
        self.updates += 1
        self._seen = len(data)
        affordable = max(2, min(epochs, visits // self._seen))
        return fit(
            self.network,
            data,
            seed=self.seed + self.updates,
            epochs=affordable,
            learning_rate=learning_rate,
            visits=visits // affordable,
        )

    @property
    def _untrained(self) -> bool:
        return self._tried_at == 0 and not self._pretrained

    def clone(self) -> NetworkCostModel:
        """An independent model in the same state."""
        return copy.deepcopy(self)

    @property
    def recipe(self) -> dict[str, Any]:
        return self._recipe

    @property
    def is_finite(self) -> bool:
        return all(bool(weights.isfinite().all()) for weights in self.network.state_dict().values())

    def to_bytes(self) -> bytes:
        return write_checkpoint(self.kind, self.network, self._recipe)

    def from_bytes(self, data: bytes) -> None:
        self._recipe = read_checkpoint(self.kind, self.network, data)
        self._pretrained = True

    def go_on_from(self, data: bytes, learned: int) -> None:
        pretrained = self._pretrained
        self.from_bytes(data)
        self._pretrained = pretrained  # what this run taught it is no knowledge from elsewhere
        self._tried_at = self._seen = learned
