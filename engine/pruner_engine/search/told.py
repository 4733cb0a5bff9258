"""What strategies tell of themselves for the project file: a plugin's figures may be numpy's, or none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pruner_engine.errors import UserError

_MEND = "Mend its plugin; docs/extending.md says what is expected."


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


def figures_of(strategy: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Figures of a round as JSON values by name.

    Raises:
        UserError: the strategy of that name tells something else.
    """
    try:
        return {**plain(told)}
    except TypeError as error:
        raise UserError(f'The strategy "{strategy}" tells what is no figure: {error}.', _MEND) from error


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
        raise UserError(f'The strategy "{strategy}" has kept what is no checkpoint: {error}.', _MEND) from error
