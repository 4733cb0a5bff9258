"""What strategies and cost models return, in the form that was asked for: one of a plugin may return anything."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.plugins import hint_to_mend
from pruner_engine.search.strategy import Proposal
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.verify.model import PARTS, Array, CostModel, Features, Group, LearnReport

_OF_ROUND = ("explored", "verified", "draft_s", "verify_s")  # figures of a proposal that are columns of a round


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
    """A proposal whose candidates are lists of candidates, whose scores are numbers.

    Raises:
        UserError: the strategy of that name gives something else.
    """
    try:
        proposal = replace(found, candidates=[*found.candidates], drafted=[*found.drafted])
    except (AttributeError, TypeError):
        proposal = None
    if proposal is None or not all(isinstance(c, Candidate) for c in (*proposal.candidates, *proposal.drafted)):
        raise UserError(f'The strategy "{strategy}" proposes what are no candidates.', hint_to_mend())
    scores = [score for c in (*proposal.candidates, *proposal.drafted) for score in (c.draft_score, c.verified_score)]
    if not all(isinstance(score, Real | None) for score in scores):
        raise UserError(f'The strategy "{strategy}" gives candidates scores that are no numbers.', hint_to_mend())
    return proposal


def round_figures_of(strategy: str, proposal: Proposal) -> dict[str, float]:
    """What a proposal tells for the columns of its round; what is not finite is left out.

    Raises:
        UserError: the strategy of that name tells something else.
    """
    figures = figures_of(strategy, {name: getattr(proposal, name) for name in _OF_ROUND})
    for name, figure in figures.items():
        if not isinstance(figure, int | float | None):
            raise UserError(f'The strategy "{strategy}" tells what is no figure: {name}.', hint_to_mend())
    return {name: figure for name, figure in figures.items() if figure is not None}


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


def calibration_of(strategy: str, told: Any) -> dict[str, float] | None:
    """Factors of time components by name, finite numbers above zero; None where there is nothing new.

    Raises:
        UserError: the strategy of that name tells something else.
    """
    if told is None:
        return None
    try:
        factors = {str(name): float(factor) for name, factor in told.items()}
    except (AttributeError, TypeError, ValueError):
        factors = {"": math.nan}
    if not all(0.0 < factor < math.inf for factor in factors.values()):
        raise UserError(f'The strategy "{strategy}" tells what is no calibration.', hint_to_mend())
    return factors


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
    if len(features) != len(candidates) or not all(map(_are_features, features)):
        raise UserError(
            f'The cost model "{model.kind}" of {_file_of(model)} does not give features of each of {len(candidates)}'
            " candidates.",
            hint_to_mend(),
        )
    return features


def _are_features(found: Any) -> bool:
    return isinstance(found, Features) and all(isinstance(getattr(found, part), np.ndarray) for part in PARTS)


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
