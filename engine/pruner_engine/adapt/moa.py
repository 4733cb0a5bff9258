"""Momentum online adaptation (MoA-Pruner; Qiao et al., ASPLOS 2025).

A model pre-trained on one device, the siamese, is never trained. At every adaptation the target model starts from its
weights, is fine-tuned on all that was measured here, and verifies from then on; the siamese follows slowly:
siamese ← m · siamese + (1 − m) · target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from pruner_engine.verify.metrics import Ranking, assess
from pruner_engine.verify.model import Group, LearnReport
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.network_model import NetworkCostModel


@dataclass(frozen=True)
class Adaptation:
    """One adaptation: how well each model ranked, before it learned, the measurements that were new to all of them.

    Attributes:
        rankings: of "adapted" (the target so far), "siamese", and "scratch" (that started from nothing and learned
            from the same measurements; absent at the first adaptation).
        distance: between siamese and target weights afterwards, Euclidean, relative to the siamese's length.
        report: how the fine-tuning went.
    """

    rankings: dict[str, Ranking]
    distance: float
    report: LearnReport


class MomentumAdapter:
    """Keeps the siamese and the target model, and teaches one that started from nothing, to compare them with.

    That one learns everything just before it is ranked, which costs a fraction of learning at every update.

    Args:
        model: pre-trained; becomes the target and is what verifies.
        momentum: m in [0, 1]; 1 keeps the siamese as it was, 0 makes it follow at once.
        every: updates between adaptations; the updates in between go on from the target's weights.
    """

    def __init__(self, model: NetworkCostModel, *, momentum: float = 0.99, every: int = 4) -> None:
        if not 0.0 <= momentum <= 1.0:
            raise ValueError("momentum lies between 0 and 1")
        self.model = model
        self.siamese = model.clone()
        self.momentum = momentum
        self.every = every
        self.updates = 0
        self._scratch = type(model)(model.seed)
        self._learned: dict[str, int] = {}

    def update(self, groups: Mapping[str, Group]) -> tuple[LearnReport, Adaptation | None]:
        """Learn from everything measured so far (see `CostModel.update`); adapt when it is time to.

        Returns:
            The target's report, and what an adaptation found, or None between adaptations.
        """
        due = self.updates % self.every == 0
        rankings = self._rank(self._unseen(groups)) if due else {}
        if due:
            copy_weights(self.siamese.network, self.model.network)
        report = self.model.fine_tune(groups, anew=due)
        if due:
            follow(self.siamese.network, self.model.network, self.momentum)
        self.updates += 1
        self.resume(groups)
        if not due:
            return report, None
        return report, Adaptation(rankings, distance(self.siamese.network, self.model.network), report)

    def resume(self, groups: Mapping[str, Group]) -> None:
        """Take `groups` as what the models have learned from, after their weights were restored."""
        if self.updates % self.every == 0:
            self._scratch.update(groups)
        self._learned = {key: len(group[0]) for key, group in groups.items()}

    def _unseen(self, groups: Mapping[str, Group]) -> dict[str, Group]:
        unseen = {}
        for key, (features, seconds, censored) in groups.items():
            start = self._learned.get(key, 0)
            if start < len(features):
                unseen[key] = (features[start:], seconds[start:], censored[start:])
        return unseen

    def _rank(self, groups: Mapping[str, Group]) -> dict[str, Ranking]:
        models = {"adapted": self.model, "siamese": self.siamese}
        if self._learned:
            models["scratch"] = self._scratch
        return {name: assess(model, groups) for name, model in models.items()}


def copy_weights(source: RankingNetwork, to: RankingNetwork) -> None:
    """Everything that `source` has learned, ranges of inputs included."""
    to.load_state_dict(source.state_dict())


def follow(siamese: RankingNetwork, target: RankingNetwork, momentum: float) -> None:
    """siamese ← m · siamese + (1 − m) · target, in place."""
    with torch.no_grad():
        for own, other in zip(siamese.parameters(), target.parameters(), strict=True):
            own.mul_(momentum).add_(other, alpha=1.0 - momentum)


def distance(siamese: RankingNetwork, target: RankingNetwork) -> float:
    """Euclidean distance of all weights, relative to the length of the siamese's."""
    pairs = list(zip(siamese.parameters(), target.parameters(), strict=True))
    apart = sum(float((own.detach() - other.detach()).square().sum()) for own, other in pairs)
    length = sum(float(own.detach().square().sum()) for own, _ in pairs)
    return math.sqrt(apart / length) if length else 0.0
