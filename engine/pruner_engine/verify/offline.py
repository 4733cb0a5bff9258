"""Training a cost model from data sets of measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pruner_engine.errors import UserError
from pruner_engine.targets.cpu import granted_cpus
from pruner_engine.verify import drafted
from pruner_engine.verify.dataset import DataSet, join, read_dataset
from pruner_engine.verify.factory import create_model
from pruner_engine.verify.metrics import Ranking, assess, assess_scores
from pruner_engine.verify.networks.network_model import NetworkCostModel
from pruner_engine.verify.networks.training import OFFLINE, pack_groups


@dataclass(frozen=True)
class Trained:
    """A checkpoint, its recipe, and how it ranks tasks that it never saw; the draft alone on the same tasks."""

    checkpoint: bytes
    recipe: dict[str, Any]
    ranking: Ranking
    draft: Ranking


def train(
    kind: str,
    files: Sequence[Path],
    *,
    seed: int = 0,
    epochs: int = 16,
    hold_tasks: float = 0.2,
    on_epoch: Callable[[int, float, float], None] | None = None,
) -> Trained:
    """Train from nothing on data sets.

    Args:
        kind: pacm-draft, pacm, tenset-mlp or tlp.
        files: data sets that `pruner collect` wrote.
        seed: of weights, split and order.
        epochs: at most so many passes.
        hold_tasks: share of the tasks kept out, to assess on.
        on_epoch: called with epoch, loss and pair accuracy on held-out candidates of the learned tasks.

    Raises:
        UserError: a file cannot be used, there is too little data, or the kind is not trained offline.
    """
    model = create_model(kind, seed)
    if not isinstance(model, NetworkCostModel):
        raise UserError(
            f"A model of kind {kind!r} is not trained offline.", "Choose pacm-draft, pacm, tenset-mlp or tlp."
        )
    data = join(read_dataset(path) for path in files)
    learned, held = data.split(hold_tasks, seed)
    packed = pack_groups(learned.groups(), OFFLINE)
    if packed is None:
        raise UserError("The data sets hold too few measurements to learn from.", "Collect more with `pruner collect`.")
    recipe = {
        "files": [path.name for path in files],
        "seed": seed,
        "epochs": epochs,
        "samples": len(learned),
        "tasks": sorted({record.name for record in learned.records.values()}),
        "targets": sorted({record.target for record in learned.records.values()}),
    }
    torch.set_num_threads(granted_cpus())
    try:
        model.train_offline(packed, epochs=epochs, recipe=recipe, on_epoch=on_epoch)
    finally:
        torch.set_num_threads(1)
    ranking = assess(model, held.groups())
    model.recipe["held_out"] = ranking.as_json()
    return Trained(model.to_bytes(), model.recipe, ranking, _draft_alone(held))


def _draft_alone(data: DataSet) -> Ranking:
    """How well the draft's own scores rank the same tasks, without any learning."""
    scores = {
        r.key: np.array([-features.draft[drafted.LATENCY] for features in r.group[0]]) for r in data.records.values()
    }
    return assess_scores(scores, {r.key: r.group[1:] for r in data.records.values()})
