"""TenSet's model (Zheng et al., NeurIPS 2021 data sets): an MLP on statements, summed over a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import statement, workload
from pruner_engine.verify.model import Features
from pruner_engine.verify.networks.batch import Batch
from pruner_engine.verify.networks.layers import corrected, perceptron, residual_layers
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.network_model import NetworkCostModel
from pruner_engine.verify.networks.scaling import Scaling

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

_HIDDEN = 256


class TenSetMLPNetwork(RankingNetwork):
    """Statements: Linear 256, ReLU, Linear 256, ReLU; segment sum; normalised, two residual layers, one score."""

    def __init__(self) -> None:
        super().__init__()
        self.statement_scaling = Scaling(statement.WIDTH)
        self.workload_scaling = Scaling(workload.WIDTH)
        self.statements = perceptron(statement.WIDTH + workload.WIDTH, _HIDDEN, _HIDDEN)
        self.norm = nn.LayerNorm(_HIDDEN)
        self.residuals = residual_layers(_HIDDEN)
        self.score = nn.Linear(_HIDDEN, 1)

    def fit_scaling(self, batch: Batch) -> None:
        self.statement_scaling.fit(batch.statement)
        self.workload_scaling.fit(batch.workload)

    def forward(self, batch: Batch) -> Tensor:
        task = self.workload_scaling(batch.workload)
        stores = torch.cat([self.statement_scaling(batch.statement), task[batch.owner]], dim=1)
        pooled = torch.zeros(len(batch), _HIDDEN).index_add(0, batch.owner, self.statements(stores))
        return self.score(corrected(self.residuals, self.norm(pooled))).squeeze(-1)


class TenSetMLP(NetworkCostModel):
    """Statement features only."""

    kind: ClassVar[str] = "tenset-mlp"

    def build(self) -> RankingNetwork:
        return TenSetMLPNetwork()

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        return statement.statements_and_workload(space, candidates)
