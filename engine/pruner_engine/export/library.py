"""The two files that make a runnable folder: the library and its metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm
from tvm import relax

from pruner_engine.lowering.words.tile_registers import SYMBOL
from pruner_engine.measure.building.linker import Linker
from pruner_engine.targets.cpu import ARM_FEATURES, X86_FEATURES
from pruner_engine.targets.target import architecture_of, cpu_features, target_json

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts

LIBRARY = "model.so"
METADATA = "metadata.json"
FORMAT = "pruner-bundle"
FORMAT_VERSION = 1
# of memory from TVM's runtime, which it may free while a graph goes on to use it (between.py)
_ALLOCATION = "TVMBackendAllocWorkspace"


def write_library(
    executable: relax.VMExecutable,
    model: ModelFacts,
    target: tvm.target.Target,
    threads: int,
    folder: Path,
    weights: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the library and the least metadata that run.py needs.

    Args:
        weights: what `write_weights` tells of those that are not inside the library.

    Returns:
        The metadata.

    Raises:
        UserError: there is no linker.
    """
    gpu = target.kind.name == "cuda"
    executable.export_library(str(folder.resolve() / LIBRARY), fcompile=Linker(target))
    # LLVM never uses matrix units unasked
    unused = () if _names(folder / LIBRARY, SYMBOL) else ("amx",)
    known = (*X86_FEATURES, *ARM_FEATURES)
    features = [] if gpu else [f for f in known if f in cpu_features(target) and not f.startswith(unused)]
    metadata = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "model": {"name": model.name, "kind": model.kind, "sha256": model.file.sha256},
        "inputs": [spec.as_json() for spec in model.inputs],
        "outputs": [spec.as_json() for spec in model.outputs],
        "target": json.loads(target_json(target)),
        "device": {"kind": "cuda" if gpu else "cpu", "arch": architecture_of(target), "features": features},
        "threads": threads,
        **({"weights": dict(weights)} if weights else {}),
        **({"graphs": False} if gpu and _names(folder / LIBRARY, _ALLOCATION) else {}),
    }
    write_metadata(metadata, folder)
    return metadata


def _names(library: Path, symbol: str) -> bool:
    """Whether a symbol that begins so is defined or asked for in a library."""
    with library.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(symbol.encode()) >= 0


def give_up_graphs(folder: Path) -> bool:
    """Have a GPU's library run its kernels one by one, where recording them as a graph may be what fails.

    Returns:
        Whether it did not so far.
    """
    metadata = read_metadata(folder)
    if metadata["device"]["kind"] != "cuda" or not metadata.get("graphs", True):
        return False
    write_metadata({**metadata, "graphs": False}, folder)
    return True


def read_metadata(folder: Path) -> dict[str, Any]:
    """Read metadata.json."""
    metadata: dict[str, Any] = json.loads((folder / METADATA).read_text("utf-8"))
    return metadata


def write_metadata(metadata: dict[str, Any], folder: Path) -> None:
    """Write metadata.json."""
    (folder / METADATA).write_text(json.dumps(metadata, indent=1, allow_nan=False) + "\n", "utf-8")
