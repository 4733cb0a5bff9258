"""Checkpoints: safetensors with the recipe as metadata, so that nothing in them can run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from pruner_engine.errors import UserError

_FORMAT = "pruner-studio-model-1"
_HINT = "Use a checkpoint that `pruner train` wrote for this kind of model."


def write_checkpoint(kind: str, network: nn.Module, recipe: Mapping[str, Any]) -> bytes:
    """The network's state with what it is and how it came to be."""
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    return save(tensors, {"format": _FORMAT, "kind": kind, "recipe": json.dumps(recipe, sort_keys=True)})


def read_metadata(data: bytes, what: str, hint: str) -> dict[str, str]:
    """The metadata in the header of a safetensors file; empty for a file of another kind.

    Raises:
        UserError: there is no such header; `what` names the file's role.
    """
    if data[8:9] not in (b"{", b""):  # every header begins so
        return {}
    size = int.from_bytes(data[:8], "little")
    try:
        if not 2 <= size <= len(data) - 8:
            raise ValueError("length")
        metadata = json.loads(data[8 : 8 + size]).get("__metadata__", {})
        return {str(key): str(value) for key, value in metadata.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise UserError(f"The {what} is damaged: its header cannot be read.", hint) from error


def read_header(data: bytes) -> tuple[str, dict[str, Any]]:
    """Kind of model and recipe of a checkpoint.

    Raises:
        UserError: the data is damaged or is no checkpoint of ours.
    """
    metadata = read_metadata(data, "checkpoint", _HINT)
    if metadata.get("format") != _FORMAT:
        raise UserError("This file is not a Pruner Studio checkpoint.", _HINT)
    try:
        return metadata["kind"], dict(json.loads(metadata["recipe"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError("The checkpoint is damaged: its recipe cannot be read.", _HINT) from error


def read_checkpoint(kind: str, network: nn.Module, data: bytes) -> dict[str, Any]:
    """Put a checkpoint's state into `network`, which stays as it was if the data is refused.

    Returns:
        The recipe.

    Raises:
        UserError: damaged, foreign, of another kind or shape, or with weights that are not finite.
    """
    found, recipe = read_header(data)
    if found != kind:
        raise UserError(f"This checkpoint holds a model of kind {found!r}, not {kind!r}.", _HINT)
    try:
        tensors = load(data)
    except (SafetensorError, ValueError, KeyError) as error:  # KeyError: of a type of numbers that torch has not
        raise UserError("The checkpoint is damaged: its weights cannot be read.", _HINT) from error
    expected = network.state_dict()
    if {name: (t.shape, t.dtype) for name, t in tensors.items()} != {
        n: (t.shape, t.dtype) for n, t in expected.items()
    }:
        raise UserError("The checkpoint's layers are not those of this model.", _HINT)
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise UserError("The checkpoint holds weights that are not numbers.", _HINT)
    network.load_state_dict(tensors)
    return recipe
