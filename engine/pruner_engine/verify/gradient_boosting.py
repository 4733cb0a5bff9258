"""Gradient-boosted trees on pooled statement features: the classic cost model of tuners."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.processes.openmp import sleeping_threads
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify import statement, workload
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport
from pruner_engine.verify.pairs import mean_accuracy, pair_accuracy, relevance

with sleeping_threads():  # those of TVM's own search are of this library too
    import xgboost

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace

_PARAMETERS = {
    "objective": "reg:squarederror",
    "tree_method": "hist",
    "max_depth": 8,
    "eta": 0.15,
    "min_child_weight": 0,
    "gamma": 0.001,
    "nthread": 1,
}
_TREES = 50


class GradientBoosting(CostModel):
    """Predicts throughput relative to the task's best; trained from nothing at every update.

    A candidate's row is the sum and the maximum of its statements' features, and the workload embedding. The throughput
    of an abandoned candidate is known to be no higher than a bound: what predicts less is not taken for an error.
    """

    kind: ClassVar[str] = "xgb"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._booster: xgboost.Booster | None = None

    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        return statement.statements_and_workload(space, candidates)

    def predict(self, features: Sequence[Features]) -> np.ndarray:
        if self._booster is None or not features:
            return np.zeros(len(features))
        return self._booster.predict(xgboost.DMatrix(_rows(features), nthread=1)).astype(np.float64)

    def update(self, groups: Mapping[str, Group]) -> LearnReport:
        started = time.perf_counter()
        ordered = [group for _, group in sorted(groups.items()) if len(group[0]) > 1]
        samples = sum(len(features) for features, _, _ in ordered)
        if not samples:
            return LearnReport(float("nan"), float("nan"), 0, 0, time.perf_counter() - started)
        matrix = _rows([row for features, _, _ in ordered for row in features])
        labels = np.concatenate([relevance(seconds) for _, seconds, _ in ordered])
        censored = np.concatenate([flags for _, _, flags in ordered])
        data = xgboost.DMatrix(matrix, labels, nthread=1)
        start = {"seed": self.seed, "base_score": float(labels.mean())}
        self._booster = xgboost.train(
            _PARAMETERS | start, data, num_boost_round=_TREES, obj=lambda scores, _: _slopes(scores, labels, censored)
        )
        scores = self._booster.predict(data)
        errors, _ = _slopes(scores, labels, censored)
        loss = float(np.sqrt(np.mean(errors**2)))
        parts = np.split(scores, np.cumsum([len(features) for features, _, _ in ordered])[:-1])
        found = (pair_accuracy(part, seconds, flags) for part, (_, seconds, flags) in zip(parts, ordered, strict=True))
        return LearnReport(loss, mean_accuracy(found), _TREES, samples, time.perf_counter() - started, "scratch")

    def to_bytes(self) -> bytes:
        return b"" if self._booster is None else bytes(self._booster.save_raw("json"))

    def from_bytes(self, data: bytes) -> None:
        if not data:  # of a run that had learned nothing yet
            self._booster = None
            return
        booster = xgboost.Booster()
        try:
            booster.load_model(bytearray(data))
            width: Any = booster.num_features()
        except (xgboost.core.XGBoostError, ValueError) as error:
            raise UserError("It holds no trees that can be read.", "Use one that this tool wrote.") from error
        if width != 2 * statement.WIDTH + workload.WIDTH:
            raise UserError("The checkpoint's trees were grown on other features.", "Use one that this tool wrote.")
        self._booster = booster


def _slopes(scores: np.ndarray, labels: np.ndarray, censored: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative of half the squared error; 0 where a score is below a label that is only a bound."""
    known = ~censored | (scores > labels)
    return np.where(known, scores - labels, 0.0), np.where(known, 1.0, 0.0)


def _rows(features: Sequence[Features]) -> np.ndarray:
    """float32[n, 344]."""
    return np.stack([np.concatenate([f.statement.sum(axis=0), f.statement.max(axis=0), f.workload]) for f in features])
