"""Cost models by name."""

from __future__ import annotations

from collections.abc import Callable

from pruner_engine.errors import UserError
from pruner_engine.verify.model import CostModel


def _pacm(seed: int) -> CostModel:
    from pruner_engine.verify.pacm import PaCM

    return PaCM(seed)


# imported when asked for: torch takes seconds
_MODELS: dict[str, Callable[[int], CostModel]] = {"pacm": _pacm}


def create_model(kind: str, seed: int = 0) -> CostModel:
    """A new cost model; the same kind and seed learn the same from the same measurements.

    Raises:
        UserError: there is no such kind.
    """
    try:
        return _MODELS[kind](seed)
    except KeyError:
        raise UserError(f"There is no cost model named {kind!r}.", f"Choose one of: {', '.join(_MODELS)}.") from None
