"""TLP (Zhai et al., ASPLOS 2023): a transformer on the schedule primitives themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import primitives, workload
from pruner_engine.verify.model import Features, schedules_of
from pruner_engine.verify.networks.batch import Batch
from pruner_engine.verify.networks.layers import attended, corrected, perceptron, residual_layers
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.network_model import NetworkCostModel
from pruner_engine.verify.networks.scaling import Scaling

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

_HIDDEN = 128


class TLPNetwork(RankingNetwork):
    """Two Linear layers, self-attention with 8 heads, two residual layers, one score a primitive; scores are summed."""

    def __init__(self) -> None:
        super().__init__()
        self.primitive_scaling = Scaling(primitives.WIDTH)
        self.workload_scaling = Scaling(workload.WIDTH)
        self.steps = perceptron(primitives.WIDTH + workload.WIDTH, _HIDDEN, _HIDDEN)
        self.position = nn.Parameter(torch.zeros(primitives.LENGTH, _HIDDEN))
        self.attention = nn.MultiheadAttention(_HIDDEN, 8, batch_first=True)
        self.residuals = residual_layers(_HIDDEN)
        self.score = nn.Linear(_HIDDEN, 1)

    def fit_scaling(self, batch: Batch) -> None:
        self.primitive_scaling.fit(batch.primitives[batch.primitives_mask])
        self.workload_scaling.fit(batch.workload)

    def forward(self, batch: Batch) -> Tensor:
        mask = batch.primitives_mask
        length = mask.shape[1]
        task = self.workload_scaling(batch.workload).unsqueeze(1).expand(-1, length, -1)
        steps = self.steps(torch.cat([self.primitive_scaling(batch.primitives), task], dim=2)) + self.position[:length]
        if length:
            steps = attended(self.attention, steps, mask)
        return (self.score(corrected(self.residuals, steps)).squeeze(-1) * mask).sum(dim=1)


class TLP(NetworkCostModel):
    """Primitive sequence only."""

    kind: ClassVar[str] = "tlp"

    def build(self) -> RankingNetwork:
        return TLPNetwork()

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        embedding = workload.workload_embedding(space.task)
        return [
            Features(primitives=primitives.primitive_features(schedule.trace), workload=embedding)
            for schedule in schedules_of(candidates)
        ]
