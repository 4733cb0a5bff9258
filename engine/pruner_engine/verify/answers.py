"""What cost models answer, in the shape that was asked for: one of a plugin may answer anything."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.verify.model import Array, CostModel, Features

_MEND = "Mend its plugin; docs/extending.md says what is expected."


def features_of(model: CostModel, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
    """Features of candidates whose `schedule` is set.

    Raises:
        UserError: the model gives something else.
    """
    found = model.featurize(space, candidates)
    try:
        features = list(found)
    except TypeError:
        features = []
    if len(features) != len(candidates):
        raise UserError(
            f'The cost model "{model.kind}" of {_file_of(model)} does not give features of each of {len(candidates)}'
            " candidates.",
            _MEND,
        )
    return features


def scores_of(model: CostModel, features: Sequence[Features]) -> Array:
    """Scores, float64[n].

    Raises:
        UserError: the model gives something else.
    """
    found = model.predict(features)
    try:
        scores = np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        scores = np.zeros(0)
    if scores.shape != (len(features),):
        raise UserError(
            f'The cost model "{model.kind}" of {_file_of(model)} does not give one score for each of'
            f" {len(features)} candidates.",
            _MEND,
        )
    return scores


def _file_of(model: CostModel) -> str:
    return str(getattr(sys.modules.get(type(model).__module__), "__file__", type(model).__module__))
