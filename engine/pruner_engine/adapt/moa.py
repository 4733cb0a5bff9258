"""Momentum online adaptation (MoA-Pruner; Qiao et al., ASPLOS 2025).

A model pre-trained on one device, the siamese, is never trained. At every adaptation the target model starts from its
weights, is fine-tuned on all that was measured here, and verifies from then on; the siamese follows slowly:
siamese ← m · siamese + (1 − m) · target. Beyond the paper a third model, which starts from nothing, learns from each
measurement: of a kernel that was measured a few times it soon knows more than what was learned elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch

from pruner_engine.verify.metrics import Ranking, assess
from pruner_engine.verify.model import Group, LearnReport
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.network_model import NetworkCostModel


@dataclass(frozen=True)
class Adaptation:
    """One adaptation: how well each model ranked, before it learned, the measurements that were new to all of them.

    Attributes:
        rankings: of "adapted" (the target so far), "siamese", and "scratch" (absent at the first adaptation).
        distance: between siamese and target weights afterwards, Euclidean, relative to the siamese's length.
        report: how the fine-tuning went.
    """

    rankings: dict[str, Ranking]
    distance: float
    report: LearnReport


class MomentumAdapter:
    """Keeps the siamese, the target and the model that starts from nothing.

    Args:
        model: pre-trained; becomes the target.
        momentum: m in [0, 1]; 1 keeps the siamese as it was, 0 makes it follow at once.
        every: updates between adaptations; in between the target stays as it is.

    Attributes:
        model: the target.
        siamese: what it starts from.
        scratch: learns at every update.
    """

    def __init__(self, model: NetworkCostModel, *, momentum: float = 0.99, every: int = 4) -> None:
        if not 0.0 <= momentum <= 1.0:
            raise ValueError("momentum lies between 0 and 1")
        self.model = model
        self.siamese = model.clone()
        self.scratch = type(model)(model.seed)
        self.momentum = momentum
        self.every = every
        self.updates = 0

    def update(self, groups: Mapping[str, Group], unseen: Mapping[str, Group]) -> tuple[LearnReport, Adaptation | None]:
        """Learn from everything measured so far (see `CostModel.update`); adapt when it is time to.

        Args:
            unseen: those of them that no earlier update has been given; an adaptation ranks them before it learns.

        Returns:
            How learning from nothing went on, in the time of all models, and what an adaptation found, or None between
            adaptations.
        """
        adaptation = self._adapt(groups, unseen) if self.updates % self.every == 0 else None
        report = self.scratch.update(groups)
        self.updates += 1
        spent = report.seconds + (adaptation.report.seconds if adaptation else 0.0)
        return replace(report, seconds=spent), adaptation

    def tune_target(self, groups: Mapping[str, Group]) -> LearnReport:
        """Let the target be the siamese, fine-tuned on everything measured so far; the siamese stays as it is."""
        copy_weights(self.siamese.network, self.model.network)
        return self.model.fine_tune(groups)

    def _adapt(self, groups: Mapping[str, Group], unseen: Mapping[str, Group]) -> Adaptation:
        rankings = self._rank(unseen)
        report = self.tune_target(groups)
        follow(self.siamese.network, self.model.network, self.momentum)
        return Adaptation(rankings, distance(self.siamese.network, self.model.network), report)

    def _rank(self, groups: Mapping[str, Group]) -> dict[str, Ranking]:
        models = {"adapted": self.model, "siamese": self.siamese}
        if self.updates:
            models["scratch"] = self.scratch
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
