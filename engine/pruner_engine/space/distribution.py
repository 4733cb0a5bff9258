"""How often each value of a decision occurs: in the prior, among the drafted, among the fastest measured.

Works on what the project file holds of a sketch; needs no TVM. The prior is exact, not sampled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.space.decision import (
    CategoricalDecision,
    Decision,
    LocationDecision,
    Rows,
    TileDecision,
    prime_factors,
)

_MOST_FACTORS, _MOST_VALUES = 8, 1 << 20  # of a tiling that a project file may ask for
_ELITE = 0.1  # share of the measured that counts as elite


@dataclass(frozen=True)
class Distribution:
    """One decision, or one factor of a tiling.

    Attributes:
        decision: its place among the sketch's decisions.
        factor: which factor of a tiling, 0 the outermost; None where the decision is one value.
        name: for people.
        values: what it can be, ascending; a categorical choice tells the candidates' values, not their indices.
        prior, drafted, elite: share of each value, summing to 1; all 0 where there are no rows.
    """

    decision: int
    factor: int | None
    name: str
    values: list[int]
    prior: list[float]
    drafted: list[float]
    elite: list[float]


@dataclass(frozen=True)
class Decided:
    """What the candidates of a sketch decided; `drafted` and `elite` are numbers of candidates."""

    shares: list[Distribution]
    drafted: int
    elite: int


def decision_from(spec: dict[str, Any]) -> Decision:
    """A decision as the project file tells it (`Decision.as_json`); its place in the trace is not known.

    Raises:
        UserError: it makes no sense, or has more values than a sketch's would.
    """
    try:
        made = _read(spec)
        if not made.size:
            raise ValueError("no value")
    except (LookupError, TypeError, ValueError) as error:
        raise UserError("The project file tells of a decision that makes no sense.", "Restore a copy of it.") from error
    return made


def _read(spec: dict[str, Any]) -> Decision:
    """Raises LookupError, TypeError or ValueError: it makes no sense."""
    domain, name = spec["domain"], spec["name"]
    if spec["kind"] == TileDecision.kind:
        extent, n = domain["extent"], domain["n"]
        if not (1 <= extent < 1 << 31 and 1 <= n <= _MOST_FACTORS and _tilings(extent, n) <= _MOST_VALUES):
            raise ValueError(f"{extent} in {n} factors")
        partition = (domain["partition"][0], domain["partition"][1])
        return TileDecision(-1, name, extent, n, domain["max_innermost"], partition)
    if spec["kind"] == CategoricalDecision.kind:
        return CategoricalDecision(-1, name, tuple(domain["candidates"]), tuple(domain["probs"]))
    return LocationDecision(-1, name, tuple(domain["indices"]))


def _tilings(extent: int, n: int) -> int:
    """Ways to write the extent as a product of n factors."""
    return math.prod(math.comb(power + n - 1, n - 1) for _, power in prime_factors(extent))


def elite_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fastest tenth of the measured candidates, at least one where any was measured."""
    timed = [row for row in rows if row["stage"] == "ok" and not row["censored"] and row["seconds"]]
    return sorted(timed, key=lambda row: row["seconds"])[: math.ceil(len(timed) * _ELITE)]


def decided(specs: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> Decided:
    """How often each value occurs among a sketch's candidates.

    Args:
        specs: the sketch's decisions as the project file tells them.
        rows: the candidates, as `ProjectReader.decided` gives them.
    """
    drafted = [row["decisions"] for row in rows if row["origin"] != "random"]
    elite = [row["decisions"] for row in elite_of(rows)]
    return Decided(distributions(specs, drafted, elite), len(drafted), len(elite))


def taken_of(found: Sequence[Distribution], specs: Sequence[dict[str, Any]], decisions: Sequence[Any]) -> list[int]:
    """What a candidate took, for each distribution."""
    taken = []
    for one in found:
        value = decisions[one.decision]
        if one.factor is not None:
            value = value[one.factor]
        elif "candidates" in specs[one.decision]["domain"]:
            value = specs[one.decision]["domain"]["candidates"][value]
        taken.append(value)
    return taken


def distributions(
    specs: Sequence[dict[str, Any]], drafted: Sequence[Sequence[Any]], elite: Sequence[Sequence[Any]]
) -> list[Distribution]:
    """All free decisions of a sketch, factor by factor; those that can take one value only are left out.

    Args:
        specs: the sketch's decisions as the project file tells them.
        drafted, elite: decisions of candidates of this sketch, one value per decision.
    """
    found = []
    for at, spec in enumerate(specs):
        decision = decision_from(spec)
        rows = decision.values()
        weights = _prior(decision, len(rows))
        some = [_columns(decision, [row[at] for row in many]) for many in (drafted, elite)]
        for column in range(decision.width):
            values = np.unique(rows[:, column])
            if len(values) < 2:
                continue
            shares = [_shares(values, one[:, column]) for one in some]
            prior = [float(weights[rows[:, column] == value].sum()) for value in values]
            factor = column if decision.width > 1 else None
            found.append(Distribution(at, factor, spec["name"], _told(decision, values), prior, *shares))
    return found


def _prior(decision: Decision, count: int) -> np.ndarray:
    """Probability of each of `decision.values()`: a tiling and a location are drawn evenly."""
    if isinstance(decision, CategoricalDecision):
        weights = np.array(decision.probabilities)
        return weights / weights.sum()
    return np.full(count, 1.0 / count)


def _columns(decision: Decision, taken: Sequence[Any]) -> Rows:
    """Decisions as the project file holds them, one a row; all at once: a sketch may have tens of thousands."""
    return np.array(taken, np.int64).reshape(len(taken), decision.width)


def _told(decision: Decision, values: Rows) -> list[int]:
    if isinstance(decision, CategoricalDecision):
        return [int(decision.candidates[value]) for value in values]
    return [int(value) for value in values]


def _shares(values: np.ndarray, taken: np.ndarray) -> list[float]:
    return [float((taken == value).mean()) if len(taken) else 0.0 for value in values]
