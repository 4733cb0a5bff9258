"""What a run's results depend on besides the model: versions of libraries, and the machine."""

from __future__ import annotations

import os
import platform
from typing import Any

from pruner_engine import __version__
from pruner_engine.processes.memory import memory_bytes
from pruner_engine.requirements import installed_versions


def versions() -> dict[str, str]:
    """Versions of what decides a result."""
    names = ("apache-tvm", "apache-tvm-ffi", "torch", "numpy", "xgboost-cpu")
    found = {"python": platform.python_version(), "engine": __version__}
    return found | installed_versions(names)


def host() -> dict[str, Any]:
    """The machine and how busy it was when the run began."""
    return {
        "system": platform.platform(),
        "load": list(os.getloadavg()),
        "memory_bytes": memory_bytes(),
    }
