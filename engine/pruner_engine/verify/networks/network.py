"""The interface of networks that rank candidates."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import nn

from pruner_engine.verify.networks.batch import Batch


class RankingNetwork(nn.Module):
    """Maps a batch of candidates to scores; knows the range of its inputs."""

    @abstractmethod
    def fit_scaling(self, batch: Batch) -> None:
        """Take mean and spread of the inputs from the candidates."""

    @abstractmethod
    def forward(self, batch: Batch) -> torch.Tensor:
        """Scores, float[n]; higher is better."""
