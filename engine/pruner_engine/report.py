"""The part of an error report that describes the environment."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform

from pruner_engine import __version__

_PACKAGES = ("apache-tvm", "apache-tvm-ffi", "torch", "numpy", "onnx", "onnxruntime", "PySide6-Essentials", "pyqtgraph")


def environment() -> str:
    """Versions and machine, one a line."""
    lines = [f"pruner-studio {__version__}", f"python {platform.python_version()}", platform.platform()]
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            lines.append(f"{name} {importlib.metadata.version(name)}")
    return "\n".join(lines)
