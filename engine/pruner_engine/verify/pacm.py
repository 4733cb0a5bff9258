"""The pattern-aware cost model: statements and dataflow, fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from pruner_engine.space.candidate import Candidate
from pruner_engine.tasks.task import TuningTask
from pruner_engine.verify import dataflow, statement, workload
from pruner_engine.verify.batch import Batch
from pruner_engine.verify.model import Features, schedules_of
from pruner_engine.verify.network import RankingNetwork
from pruner_engine.verify.network_model import NetworkCostModel
from pruner_engine.verify.scaling import Scaling

if TYPE_CHECKING:
    import tvm

_HIDDEN = 256
_STEP = 128


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
        self.statements = nn.Sequential(
            nn.Linear(statement.WIDTH + workload.WIDTH, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, _HIDDEN), nn.ReLU()
        )
        self.steps = nn.Sequential(nn.Linear(dataflow.WIDTH, 64), nn.ReLU(), nn.Linear(64, _STEP), nn.ReLU())
        self.position = nn.Parameter(torch.zeros(dataflow.STEPS, _STEP))
        self.attention = nn.MultiheadAttention(_STEP, 4, batch_first=True)
        self.fuse = nn.Sequential(nn.Linear(_HIDDEN + _STEP, _HIDDEN), nn.LayerNorm(_HIDDEN))
        self.residuals = nn.ModuleList(nn.Sequential(nn.Linear(_HIDDEN, _HIDDEN), nn.ReLU()) for _ in range(2))
        self.score = nn.Linear(_HIDDEN, 1)

    def fit_scaling(self, batches: Sequence[Batch]) -> None:
        self.statement_scaling.fit(torch.cat([batch.statement for batch in batches]))
        self.workload_scaling.fit(torch.cat([batch.workload for batch in batches]))
        self.dataflow_scaling.fit(torch.cat([batch.dataflow[batch.dataflow_mask] for batch in batches]))

    def forward(self, batch: Batch) -> Tensor:
        task = self.workload_scaling(batch.workload)
        stores = torch.cat([self.statement_scaling(batch.statement), task[batch.owner]], dim=1)
        pooled = torch.zeros(len(batch), _HIDDEN).index_add(0, batch.owner, self.statements(stores))
        fused = self.fuse(torch.cat([pooled, self._flow(batch)], dim=1))
        for layer in self.residuals:
            fused = fused + layer(fused)
        return self.score(fused).squeeze(-1)

    def _flow(self, batch: Batch) -> Tensor:
        mask = batch.dataflow_mask
        if mask.shape[1] == 0:
            return torch.zeros(len(batch), _STEP)
        steps = self.steps(self.dataflow_scaling(batch.dataflow)) + self.position[: mask.shape[1]]
        # a candidate without a step attends to its padding, which the sum leaves out
        hidden = ~mask & mask.any(dim=1, keepdim=True)
        attended, _ = self.attention(steps, steps, steps, key_padding_mask=hidden, need_weights=False)
        return ((steps + attended) * mask.unsqueeze(-1)).sum(dim=1)


class PaCM(NetworkCostModel):
    """The paper's verifier."""

    kind: ClassVar[str] = "pacm"

    def build(self) -> RankingNetwork:
        return PaCMNetwork()

    def featurize(self, task: TuningTask, target: tvm.target.Target, candidates: Sequence[Candidate]) -> list[Features]:
        schedules = schedules_of(candidates)
        embedding = workload.workload_embedding(task)
        gpu = "gpu" in target.keys
        return [
            Features(statement=stores, dataflow=dataflow.dataflow_features(schedule.mod, gpu), workload=embedding)
            for stores, schedule in zip(statement.statement_features(target, schedules), schedules, strict=True)
        ]
