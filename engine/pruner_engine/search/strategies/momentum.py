"""MoA-Pruner: draft and verify with a model that was trained on another platform and adapts to this one by momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies.draft_verify import DraftVerify, places
from pruner_engine.search.strategy import Context, register_strategy
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import create_model
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport
from pruner_engine.verify.pretrained import check_model, shipped_checkpoint

if TYPE_CHECKING:
    from pruner_engine.verify.networks.network_model import NetworkCostModel


def _shipped(kind: str, vector_bits: int) -> str:
    path = shipped_checkpoint(kind, vector_bits)
    if path is None:
        raise UserError(
            f"MoA-Pruner adapts a pre-trained model, and no {kind} model is installed.",
            "Make one with `pruner collect` and `pruner train`, then name it with --checkpoint.",
        )
    return str(path)


def _adaptable(model: CostModel) -> NetworkCostModel:
    # torch takes seconds, which strategies that learn without need not wait for
    from pruner_engine.verify.networks.network_model import NetworkCostModel

    if not isinstance(model, NetworkCostModel):
        raise UserError(f"A model of kind {model.kind} cannot be adapted.", "Use pacm-draft, pacm, tenset-mlp or tlp.")
    return model


class MomentumDraftVerify(DraftVerify):
    """Strategy `moa-pruner`."""

    name = "moa-pruner"

    def __init__(self, context: Context) -> None:
        from pruner_engine.adapt.moa import MomentumAdapter

        settings = context.settings
        checkpoint = settings.checkpoint or _shipped(settings.model, context.profile.vector_bits)
        super().__init__(replace(context, settings=msgspec.structs.replace(settings, checkpoint=checkpoint)))
        self.adapter = MomentumAdapter(_adaptable(self.model), momentum=settings.momentum, every=settings.adapt_every)
        self._learned: dict[str, set[str]] = {}  # hashes of candidates by those of their tasks

    @classmethod
    def check(cls, settings: SearchSettings) -> None:
        _adaptable(create_model(settings.model))
        check_model(settings.model, settings.checkpoint or _shipped(settings.model, 0))

    @property
    def learner(self) -> CostModel:
        return self.adapter.scratch

    @property
    def taught_before(self) -> bool:
        return False

    def known(self, candidates: Sequence[Candidate], features: Sequence[Features]) -> np.ndarray:
        return (super().known(candidates, features) + places(self.scores(self.model, features))) / 2

    def update(self, groups: dict[str, Group]) -> LearnReport:
        # a memory that was cut since the last update has lost others only
        report, adaptation = self.adapter.update(groups, self.groups(self._learned))
        self._remember_learned()
        if adaptation is None:
            return report
        for model, ranking in adaptation.rankings.items():
            told = ranking.as_json()
            self.context.on_adaptation(
                {
                    "model": model,
                    "distance": adaptation.distance if model == "adapted" else None,
                    "seconds": report.seconds if model == "adapted" else 0.0,
                    **{name: told[name] for name in ("samples", "loss", "pair_accuracy", "top1", "top5")},
                }
            )
        return report

    def _remember_learned(self) -> None:
        self._learned = {key: memory.hashes() for key, memory in self._memories.items()}

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        self.restore_model(self.adapter.siamese, checkpoints, "siamese", True)
        super().restore(states, checkpoints)
        self.adapter.tune_target(self.groups())  # which is not kept
        self.adapter.updates = sum(state.rounds for state in states if len(self.memory(state).seen) > 1)
        self._remember_learned()

    def checkpoints(self) -> dict[str, tuple[str, bytes, dict[str, Any]]]:
        siamese = self.adapter.siamese
        kept = {"siamese": (siamese.kind, siamese.to_bytes(), siamese.recipe)} if siamese.is_finite else {}
        return {**super().checkpoints(), **kept}


register_strategy(MomentumDraftVerify.name, MomentumDraftVerify)
