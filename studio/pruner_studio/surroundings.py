"""Environment variables for the window's own libraries, which the engines that it starts must not inherit."""

from __future__ import annotations

import os

from pruner_engine.processes.child import environment

# The window multiplies no matrices: threads for that would take a third of the time in which numpy is imported
_OWN = {"OPENBLAS_NUM_THREADS": "1"}
_told: set[str] = set()


def tell_own_libraries() -> None:
    """Before they are imported; what the user has told them stays."""
    for name, value in _OWN.items():
        if name not in os.environ:
            os.environ[name] = value
            _told.add(name)


def of_engines() -> dict[str, str]:
    """The environment of an engine: as this process was started with."""
    return {name: value for name, value in environment().items() if name not in _told}
