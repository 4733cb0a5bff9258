"""What strategies and cost models return, in the form that was asked for: one of a plugin may return anything."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.plugins import hint_to_mend
from pruner_engine.search.strategy import Proposal
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.verify.model import Array, CostModel, Features, Group, LearnReport


def plain(told: Any) -> Any:
    """A JSON value: numbers and arrays of numpy as Python's; None for what is not finite, of which JSON has no word.

    Raises:
        TypeError: it is none.
    """
    if isinstance(told, Mapping):
        return {str(name): plain(value) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return [plain(value) for value in told]
    if told is None or isinstance(told, str | int):
        return told
    if isinstance(told, float):
        return float(told) if math.isfinite(told) else None
    if hasattr(told, "tolist"):
        return plain(told.tolist())
    raise TypeError(f"{type(told).__name__} is no figure")


def proposal_of(strategy: str, found: Any) -> Proposal:
    """A proposal whose candidates are lists of candidates.

    Raises:
        UserError: the strategy of that name gives something else.
    """
    try:
        proposal = replace(found, candidates=[*found.candidates], drafted=[*found.drafted])
    except (AttributeError, TypeError):
        proposal = None
    if proposal is None or not all(isinstance(c, Candidate) for c in (*proposal.candidates, *proposal.drafted)):
        raise UserError(f'The strategy "{strategy}" proposes what are no candidates.', hint_to_mend())
    return proposal


def figures_of(strategy: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Figures of a round as JSON values by name.

    Raises:
        UserError: the strategy of that name tells something else.
    """
    try:
        return {**plain(told)}
    except TypeError as error:
        raise UserError(f'The strategy "{strategy}" tells what is no figure: {error}.', hint_to_mend()) from error


def checkpoints_of(strategy: str, told: Mapping[str, Any]) -> dict[str, tuple[str, bytes, dict[str, Any]]]:
    """Kind, data and recipe of what a strategy wants to be kept, by role.

    Raises:
        UserError: the strategy of that name tells something else.
    """
    try:
        return {
            str(role): (str(kind), bytes(memoryview(data)), {**plain(recipe)})
            for role, (kind, data, recipe) in told.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise UserError(
            f'The strategy "{strategy}" has kept what is no checkpoint: {error}.', hint_to_mend()
        ) from error


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
            hint_to_mend(),
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
            hint_to_mend(),
        )
    return scores


def learned_of(model: CostModel, groups: Mapping[str, Group]) -> LearnReport:
    """What an update of a model tells.

    Raises:
        UserError: the model tells something else.
    """
    report = model.update(groups)
    if not isinstance(report, LearnReport):
        raise UserError(f'The cost model "{model.kind}" of {_file_of(model)} tells no LearnReport.', hint_to_mend())
    return report


def _file_of(model: CostModel) -> str:
    return str(getattr(sys.modules.get(type(model).__module__), "__file__", type(model).__module__))
