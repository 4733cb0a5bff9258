"""The pattern-aware cost model: statements and dataflow, fused."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import dataflow, statement, workload
from pruner_engine.verify.model import Features, schedules_of
from pruner_engine.verify.networks.batch import Batch
from pruner_engine.verify.networks.layers import attended, corrected, perceptron, residual_layers
from pruner_engine.verify.networks.network import RankingNetwork
from pruner_engine.verify.networks.network_model import NetworkCostModel
from pruner_engine.verify.networks.scaling import Scaling

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

HIDDEN = 256
STEP = 128


class PaCMNetwork(RankingNetwork):
    """Scores candidates from their statement features (plus workload embedding) and dataflow sequences.

    Layers: statements Linear 256, ReLU, Linear 256, ReLU, summed over a candidate; steps Linear 64, ReLU, Linear 128,
    ReLU, self-attention with 4 heads and a residual, summed; both fused to 256, normalised, two residual layers, one
    score.
    """

    def __init__(self) -> None:
        super().__init__()
        self.statement_scaling = Scaling(statement.WIDTH)
        self.workload_scaling = Scaling(workload.WIDTH)
        self.dataflow_scaling = Scaling(dataflow.WIDTH)
        self.statements = perceptron(statement.WIDTH + workload.WIDTH, HIDDEN, HIDDEN)
        self.steps = perceptron(dataflow.WIDTH, 64, STEP)
        self.position = nn.Parameter(torch.zeros(dataflow.STEPS, STEP))
        self.attention = nn.MultiheadAttention(STEP, 4, batch_first=True)
        self.fuse = nn.Sequential(nn.Linear(HIDDEN + STEP, HIDDEN), nn.LayerNorm(HIDDEN))
        self.residuals = residual_layers(HIDDEN)
        self.score = nn.Linear(HIDDEN, 1)

    def fit_scaling(self, batch: Batch) -> None:
        self.statement_scaling.fit(batch.statement)
        self.workload_scaling.fit(batch.workload)
        self.dataflow_scaling.fit(batch.dataflow[batch.dataflow_mask])

    def forward(self, batch: Batch) -> Tensor:
        scores: Tensor = self.score(self.fused([self.stores(batch), self.flow(batch)]))
        return scores.squeeze(-1)

    def fused(self, parts: Sequence[Tensor]) -> Tensor:
        """What is known of each candidate, float[n, 256], from its parts side by side."""
        return corrected(self.residuals, self.fuse(torch.cat(list(parts), dim=1)))

    def stores(self, batch: Batch) -> Tensor:
        """The statements of each candidate, summed, float[n, 256]."""
        task = self.workload_scaling(batch.workload)
        rows = torch.cat([self.statement_scaling(batch.statement), task[batch.owner]], dim=1)
        return torch.zeros(len(batch), HIDDEN).index_add(0, batch.owner, self.statements(rows))

    def flow(self, batch: Batch) -> Tensor:
        """The data movements of each candidate, summed, float[n, 128]."""
        mask = batch.dataflow_mask
        if mask.shape[1] == 0:
            return torch.zeros(len(batch), STEP)
        steps = self.steps(self.dataflow_scaling(batch.dataflow)) + self.position[: mask.shape[1]]
        return (attended(self.attention, steps, mask) * mask.unsqueeze(-1)).sum(dim=1)


class PaCM(NetworkCostModel):
    """The paper's verifier."""

    kind: ClassVar[str] = "pacm"

    def build(self) -> RankingNetwork:
        return PaCMNetwork()

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        schedules = schedules_of(candidates)
        embedding = workload.workload_embedding(space.task)
        gpu = "gpu" in space.target.keys
        with ThreadPoolExecutor(1) as aside:  # native, while the interpreter reads the dataflow
            statements = aside.submit(statement.statement_features, space.target, schedules)
            flows = [dataflow.dataflow_features(schedule.mod, gpu) for schedule in schedules]
        return [
            Features(statement=stores, dataflow=flow, workload=embedding)
            for stores, flow in zip(statements.result(), flows, strict=True)
        ]
