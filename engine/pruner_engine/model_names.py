"""What a model is called: the file of a known kind, or a built-in workload such as matmul:512,512,512."""

from __future__ import annotations

import re
from pathlib import Path

from pruner_engine.errors import UserError

KINDS = {".onnx": "onnx", ".pt2": "pt2", ".tflite": "tflite", ".py": "tvmscript", ".tvmscript": "tvmscript"}

_LONGEST = 240  # bytes of a stem: file systems allow 255, and a project's endings come behind it


def kind_of_file(model: str) -> str | None:
    """onnx | pt2 | tflite | tvmscript; None for what is no name of a model's file."""
    return KINDS.get(Path(model).suffix.lower())


def stem_of(model: str) -> str:
    """What files about the model are called: as its own file, or as the workload with nothing that no name may hold."""
    of_file = kind_of_file(model) is not None or Path(model).name != model
    stem = re.sub(r"[^\w.-]+", "_", Path(model).stem if of_file else model)
    return stem.encode()[:_LONGEST].decode(errors="ignore")


def whole(model: str) -> str:
    """The name as it means the same in every folder.

    Raises:
        UserError: it names a file that is not there, or a folder.
    """
    if Path(model).is_file():
        return str(Path(model).resolve())
    if not model:
        raise UserError("The name of the model is empty.", "Name the file of a model.")
    if Path(model).is_dir():
        raise UserError(f"{model} is a folder.", "Name the file of a model.")
    if kind_of_file(model):
        raise UserError(f"There is no file {model}.", "Look for a mistake in its name or folder.")
    return model
