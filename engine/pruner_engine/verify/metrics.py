"""How well a model ranks measurements that it has not learned from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import torch

from pruner_engine.verify.model import CostModel, Group
from pruner_engine.verify.networks.lambdarank import lambdarank_loss
from pruner_engine.verify.pairs import comparable, pair_accuracy, relevance


@dataclass(frozen=True)
class Ranking:
    """Averages over tasks; NaN where no task says anything.

    Attributes:
        loss: LambdaRank's.
        pair_accuracy: share of the comparable pairs in the right order.
        top1, top5: the best latency over the best latency among the model's first 1 or 5, at most 1 (TenSet's top-k).
        tasks, samples: what it was assessed on.
    """

    loss: float
    pair_accuracy: float
    top1: float
    top5: float
    tasks: int
    samples: int

    def as_json(self) -> dict[str, float | int | None]:
        """Plain values; NaN becomes None."""
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(self).items()}


def assess(model: CostModel, groups: Mapping[str, Group]) -> Ranking:
    """Rank every task's measurements with `model` and compare with what was measured."""
    groups = {key: group for key, group in groups.items() if len(group[0])}
    scores = {key: model.predict(features) for key, (features, _, _) in groups.items()}
    return assess_scores(scores, {key: (seconds, censored) for key, (_, seconds, censored) in groups.items()})


def assess_scores(scores: Mapping[str, np.ndarray], measured: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Ranking:
    """The same for scores of any origin, such as the draft's.

    Args:
        scores: per task float[n], higher is better.
        measured: per task seconds, float[n], and censored flags, bool[n].
    """
    losses, pairs, top1, top5 = [], [], [], []
    for key, score in scores.items():
        seconds = torch.from_numpy(np.asarray(measured[key][0], np.float64))
        censored = torch.from_numpy(np.asarray(measured[key][1], bool))
        predicted = torch.from_numpy(np.asarray(score, np.float64))
        known = comparable(seconds, censored)
        if bool(known.any()):
            losses.append(float(lambdarank_loss(predicted[None], relevance(seconds)[None], known[None])))
            pairs.append(pair_accuracy(predicted, seconds, censored))
        top1.append(top_k(predicted, seconds, 1))
        top5.append(top_k(predicted, seconds, 5))
    return Ranking(
        loss=_mean(losses),
        pair_accuracy=_mean(pairs),
        top1=_mean(top1),
        top5=_mean(top5),
        tasks=len(scores),
        samples=sum(map(len, scores.values())),
    )


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def top_k(scores: torch.Tensor, seconds: torch.Tensor, k: int) -> float:
    """The best of all latencies over the best of those that the model puts first; float[n] both."""
    first = scores.topk(min(k, len(scores))).indices
    return float(seconds.min() / seconds[first].min())
