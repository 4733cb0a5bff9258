"""The versions of libraries that this project works with, as pyproject.toml asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata

TVM = "0.27.0.post1"  # no other: its passes, which ours are put between, change from one to the next
OLDEST = {"torch": "2.11", "onnx": "1.19", "numpy": "1.26"}


def installed(distribution: str) -> str:
    """Its version, "" if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def installed_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Of those that are installed."""
    return {name: version for name in distributions if (version := installed(name))}


def is_old(distribution: str, version: str) -> bool:
    """Whether this version of one of `OLDEST` is older than that."""
    return _numbers(version) < _numbers(OLDEST[distribution])


def _numbers(version: str) -> list[int]:
    """Of the release: [2, 11, 0] of "2.11.0+cpu"."""
    found = re.match(r"\d+(\.\d+)*", version)
    return [int(n) for n in found[0].split(".")] if found else []
