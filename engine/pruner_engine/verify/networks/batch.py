"""Features of many candidates as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pruner_engine.verify.model import Features


@dataclass(frozen=True, eq=False)
class Batch:
    """Candidates side by side; ragged parts are flat (statement) or padded with a mask (dataflow, primitives).

    Attributes:
        statement: float32[stores of all, 164].
        owner: candidate of each store, int64[stores of all].
        dataflow: float32[n, steps, 23]; dataflow_mask: bool[n, steps], True where there is a step.
        primitives: float32[n, length, 40]; primitives_mask: bool[n, length].
        workload: float32[n, 16].
        draft: float32[n, 32].
    """

    statement: Tensor
    owner: Tensor
    dataflow: Tensor
    dataflow_mask: Tensor
    primitives: Tensor
    primitives_mask: Tensor
    workload: Tensor
    draft: Tensor

    def __len__(self) -> int:
        return len(self.workload)

    def select(self, index: Tensor) -> Batch:
        """The candidates at `index`, int64[m], in that order, none twice."""
        position = torch.full((len(self),), -1)
        position[index] = torch.arange(len(index))
        owner = position[self.owner]
        kept = owner >= 0
        return Batch(
            self.statement[kept],
            owner[kept],
            self.dataflow[index],
            self.dataflow_mask[index],
            self.primitives[index],
            self.primitives_mask[index],
            self.workload[index],
            self.draft[index],
        )


def pack(features: Sequence[Features]) -> Batch:
    """Features as tensors, order kept."""
    counts = [len(f.statement) for f in features]
    dataflow, dataflow_mask = _pad([f.dataflow for f in features])
    primitives, primitives_mask = _pad([f.primitives for f in features])
    return Batch(
        torch.from_numpy(np.concatenate([f.statement for f in features]) if features else np.zeros((0, 0), np.float32)),
        torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts, dtype=torch.int64)),
        dataflow,
        dataflow_mask,
        primitives,
        primitives_mask,
        torch.from_numpy(np.stack([f.workload for f in features])),
        torch.from_numpy(np.stack([f.draft for f in features])),
    )


def _pad(parts: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
    length = max(map(len, parts), default=0)
    width = max((part.shape[1] for part in parts), default=0)
    padded = np.zeros((len(parts), length, width), np.float32)
    mask = np.zeros((len(parts), length), bool)
    for i, part in enumerate(parts):
        if len(part):
            padded[i, : len(part)] = part
            mask[i, : len(part)] = True
    return torch.from_numpy(padded), torch.from_numpy(mask)
