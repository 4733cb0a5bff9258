"""Checks of what a user asks of a run, refused with a sentence where it makes no sense."""

from __future__ import annotations

from collections.abc import Iterable

from pruner_engine import rule_names
from pruner_engine.errors import UserError
from pruner_engine.protocol import Resume, Tune
from pruner_engine.search.budget import Budget
from pruner_engine.search.strategies import strategy_names
from pruner_engine.space.rules import GPU_RULES, OWN_RULES
from pruner_engine.units import duration

_FOREVER_S = 1e12  # what the largest numbers of minutes are taken for: sixty times as much is infinite


def asked_budget(command: Tune | Resume) -> Budget:
    """The budget that a command gives.

    Raises:
        UserError: it is not above zero.
    """
    for name, value in (("trials", command.trials), ("minutes", command.minutes)):
        if value is not None and value <= 0:
            raise UserError(f"A budget of {value} {name} is no budget.", "Give a number above zero.")
    return Budget(command.trials, None if command.minutes is None else min(command.minutes * 60, _FOREVER_S))


def refuse_overspent(run_id: int, spent: Budget, asked: Budget) -> None:
    """Refuse a budget that a run has overspent before it was given: a user means it for what is still to come.

    Raises:
        UserError: the run has made more trials, or worked longer.
    """
    hint = "Give a larger budget: what was spent is part of it."
    if asked.trials is not None and asked.trials < (spent.trials or 0):
        raise UserError(f"Run {run_id} has made {spent.trials} trials already, more than {asked.trials}.", hint)
    if asked.seconds is not None and asked.seconds < (spent.seconds or 0.0):
        worked, limit = duration(spent.seconds or 0.0), duration(asked.seconds)
        raise UserError(f"Run {run_id} has worked for {worked} already, more than {limit}.", hint)


def check_seed(seed: int) -> None:
    """Raises UserError for a negative seed."""
    if seed < 0:
        raise UserError(f"{seed} is no seed.", "Give 0 or a larger number.")


def check_strategy(name: str) -> None:
    """Raises UserError where no strategy of that name is registered."""
    if name not in strategy_names():
        raise UserError(
            f'There is no strategy "{name}".',
            f"Use one of {', '.join(strategy_names())}, or name its plugin's file (--plugin).",
        )


def check_without(names: Iterable[str]) -> None:
    """Raises UserError where one of the names is of no schedule rule or rewrite of the graph."""
    known = dict.fromkeys((*rule_names.NAMES, *OWN_RULES, *GPU_RULES))  # those of plugins among them
    for name in names:
        if name not in known:
            raise UserError(f'There is no rule or rewrite "{name}" to leave out.', f"There are {', '.join(known)}.")
