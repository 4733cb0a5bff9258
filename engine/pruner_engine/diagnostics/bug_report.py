"""Reports of the product's own errors, ready to be pasted into an issue."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import traceback

from pruner_engine import __version__

WHAT_TO_DO = "Copy the report and send it to the makers of Pruner Studio; what was measured is kept."
_PACKAGES = (
    *("apache-tvm", "apache-tvm-ffi", "torch", "numpy", "onnx", "onnxruntime", "tflite", "ai-edge-litert"),
    *("PySide6-Essentials", "pyqtgraph"),
)


def environment() -> str:
    """Versions and machine, one a line."""
    lines = [f"pruner-studio {__version__}", f"python {platform.python_version()}", platform.platform()]
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            lines.append(f"{name} {importlib.metadata.version(name)}")
    return "\n".join(lines)


def bug_report(error: BaseException) -> str:
    """Traceback and surroundings of an error; holds no data of the user's model."""
    trace = "".join(traceback.format_exception(error))
    return f"{environment()}\n\n{trace}"
