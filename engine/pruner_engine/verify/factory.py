"""Cost models by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from pruner_engine.errors import UserError
from pruner_engine.plugins import hint_to_mend, refuse_uncallable
from pruner_engine.processes.loading import loading
from pruner_engine.verify.model import CostModel

# imported when asked for: torch takes seconds
_MODELS: dict[str, str | Callable[[int], CostModel]] = {
    "pacm": "pruner_engine.verify.networks.pacm:PaCM",
    "pacm-draft": "pruner_engine.verify.networks.pacm_draft:DraftedPaCM",
    "tenset-mlp": "pruner_engine.verify.networks.tenset_mlp:TenSetMLP",
    "tlp": "pruner_engine.verify.networks.tlp:TLP",
    "xgb": "pruner_engine.verify.gradient_boosting:GradientBoosting",
    "random": "pruner_engine.verify.random_model:RandomModel",
}


def register_model(kind: str, make: Callable[[int], CostModel]) -> None:
    """Add a cost model of one's own.

    Args:
        kind: its name, in settings and checkpoints.
        make: takes a seed, returns the model.

    Raises:
        TypeError: it does not take a seed.
    """
    refuse_uncallable(make, 0)
    _MODELS[kind] = make


def check_kind(kind: str) -> None:
    """Raises UserError where there is no such kind of model."""
    if kind not in _MODELS:
        raise UserError(
            f"There is no cost model named {kind!r}.",
            f"Use one of {', '.join(_MODELS)}, or name its plugin's file (--plugin).",
        )


def create_model(kind: str, seed: int = 0) -> CostModel:
    """A new cost model; the same kind and seed learn the same from the same measurements.

    Raises:
        UserError: there is no such kind, or what a plugin makes is no model.
    """
    check_kind(kind)
    make = _MODELS[kind]
    if isinstance(make, str):
        module, name = make.split(":")
        with loading():
            make = getattr(import_module(module), name)
    model = make(seed)
    if not isinstance(model, CostModel):
        raise UserError(
            f'What is registered as the cost model "{kind}" makes a {type(model).__name__}.', hint_to_mend()
        )
    return model
