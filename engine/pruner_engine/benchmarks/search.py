"""Comparison of search strategies: the same workloads, seeds, budget, space, builder, runner and store for each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.errors import UserError
from pruner_engine.search.settings import settings_from


@dataclass(frozen=True)
class Variant:
    """A strategy, and settings in which it differs from the others, written `pruner:draft_set=512:refresh=1`.

    Attributes:
        trials: a budget of its own, written `pruner:trials=128`; None: that of all.
    """

    strategy: str
    settings: dict[str, Any] = field(default_factory=dict)
    trials: int | None = None

    @classmethod
    def parse(cls, text: str) -> Variant:
        """Read a variant from its text.

        Raises:
            UserError: a setting has no value, or the budget is no number of trials.
        """
        strategy, *changes = text.strip().split(":")
        settings: dict[str, Any] = {}
        for change in changes:
            name, equals, value = change.partition("=")
            if not equals:
                raise UserError(f'"{text}" is not a strategy.', "Write name, or name:setting=value.")
            try:
                settings[name] = json.loads(value)
            except ValueError:
                settings[name] = value
        trials = settings.pop("trials", None)
        if trials is not None and not (isinstance(trials, int) and trials > 0):
            raise UserError(f'"{text}" is not a strategy.', "Write its budget as name:trials=128.")
        return cls(strategy, settings, trials)


def variants_of(text: str) -> list[Variant]:
    """Variants separated by commas; those within the brackets of a setting's list separate nothing.

    Raises:
        UserError: a variant is not understood.
    """
    return [Variant.parse(part) for part in re.split(r",(?![^\[\]]*\])", text)]


def comparison_runs(
    folder: Path,
    subjects: Sequence[Subject],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    *,
    target: str,
    trials: int,
    settings: dict[str, Any],
    plugins: Sequence[str] = (),
) -> list[WantedRun]:
    """The runs of a comparison in the order to carry them out: one project file per subject in `folder`.

    Strategies alternate, each seed beginning with another one, so that a machine that gets slower or busier over the
    hours favours none of them.

    Args:
        target: as canonical JSON text.
        trials: budget of each run whose variant has none of its own.
        settings: of all variants; a variant's own go before them.

    Raises:
        UserError: two variants differ in their budgets only, or a setting is not understood.
    """
    _refuse_parts(variants, trials, settings)
    runs = []
    for turn, seed in enumerate(seeds):
        first = turn % len(variants)
        for subject in subjects:
            for variant in [*variants[first:], *variants[:first]]:
                project = folder / f"{subject.name}.pruner"
                chosen = {**settings, **variant.settings}
                budget = variant.trials or trials
                runs.append(WantedRun(project, subject, target, variant.strategy, seed, budget, chosen, tuple(plugins)))
    return runs


def _refuse_parts(variants: Sequence[Variant], trials: int, settings: dict[str, Any]) -> None:
    """Refuse two variants of which one's run is the beginning of the other's: it would be gone on with, and be gone.

    Raises:
        UserError: two differ in their budgets only, or a setting is not understood.
    """
    budgets: dict[tuple[str, str], int] = {}
    for variant in variants:
        kind = variant.strategy, settings_from({**settings, **variant.settings}).as_json()
        budget = variant.trials or trials
        if budgets.setdefault(kind, budget) != budget:
            raise UserError(
                f"Two of {variant.strategy} differ in their trials only: one is the beginning of the other.",
                "Leave out the shorter one: the longer one is told at 16, 32, 64, … trials, too.",
            )
