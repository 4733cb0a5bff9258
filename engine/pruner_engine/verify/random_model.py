"""Random scores as a cost model: the floor of every comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace


class RandomModel(CostModel):
    """Scores are random numbers; nothing is learned."""

    kind: ClassVar[str] = "random"

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        return [Features()] * len(candidates)

    def predict(self, features: Sequence[Features]) -> np.ndarray:
        return self._rng.random(len(features))

    def update(self, groups: Mapping[str, Group]) -> LearnReport:
        return LearnReport(float("nan"), float("nan"), 0, 0, 0.0)

    def to_bytes(self) -> bytes:
        return b""

    def from_bytes(self, data: bytes) -> None:
        if data:
            raise UserError("Chance learns nothing and takes no checkpoint.", "Choose another cost model.")
