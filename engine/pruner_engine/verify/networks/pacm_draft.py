"""PaCM with the draft's figures as further inputs: ours, beyond the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import drafted
from pruner_engine.verify.model import Features
from pruner_engine.verify.networks.batch import Batch
from pruner_engine.verify.networks.layers import perceptron
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.pacm import HIDDEN, STEP, PaCM, PaCMNetwork
from pruner_engine.verify.networks.scaling import Scaling

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

_DRAFT = 64


class DraftedPaCMNetwork(PaCMNetwork):
    """PaCM with the draft's figures as a third part, on top of the draft's own score.

    It learns what the draft gets wrong: before it has learned anything it ranks as the draft does.
    """

    def __init__(self) -> None:
        super().__init__()
        self.draft_scaling = Scaling(drafted.WIDTH)
        self.draft = perceptron(drafted.WIDTH, _DRAFT, _DRAFT)
        self.fuse = nn.Sequential(nn.Linear(HIDDEN + STEP + _DRAFT, HIDDEN), nn.LayerNorm(HIDDEN))
        self.trust = nn.Parameter(torch.ones(()))
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.score.bias)

    def fit_scaling(self, batch: Batch) -> None:
        super().fit_scaling(batch)
        self.draft_scaling.fit(batch.draft)

    def forward(self, batch: Batch) -> Tensor:
        draft = self.draft(self.draft_scaling(batch.draft))
        correction: Tensor = self.score(self.fused([self.stores(batch), self.flow(batch), draft]))
        return correction.squeeze(-1) - self.trust * batch.draft[:, drafted.LATENCY]


class DraftedPaCM(PaCM):
    """The default verifier."""

    kind: ClassVar[str] = "pacm-draft"
    from_draft: ClassVar[bool] = True

    def build(self) -> RankingNetwork:
        return DraftedPaCMNetwork()

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        parts = zip(super().featurize(space, candidates), drafted.draft_features(space, candidates), strict=True)
        return [replace(features, draft=draft) for features, draft in parts]
