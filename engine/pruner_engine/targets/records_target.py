"""What kernels of tuning records were compiled for, as far as it decides whether their times compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.device import architecture

_WIDEST = 100  # letters of a sentence: what a record says of itself may be of any length


@dataclass(frozen=True)
class CompiledFor:
    """Two that are equal were compiled alike.

    Attributes:
        machine: what decides whether kernels run at all: architecture of a CPU, generation of a GPU.
        words: all that decides how fast they are, as a reader sees it.
    """

    machine: str
    words: str


def compiled_for(target: Mapping[str, Any]) -> CompiledFor:
    """What a target as plain data says, which anybody may have written."""
    kind = str(target.get("kind", ""))
    if kind != "llvm":
        words = f"{kind} {target.get('arch', '')}".strip()[:_WIDEST]
        return CompiledFor(words.rstrip("a"), words)
    machine = architecture(str(target.get("mtriple", ""))) or detect_host().arch
    attributes = target.get("mattr")
    features = sorted(map(str, attributes)) if isinstance(attributes, list | tuple) else []
    cores = target.get("num-cores")
    parts = [machine, str(target.get("mcpu", "")), ",".join(features), "" if cores is None else f"cores: {cores}"]
    return CompiledFor(machine, " ".join(filter(None, parts))[:_WIDEST])
