"""What `make run` does after the set-up: the window on the sample model, or the same job in the terminal.

Usage: run_sample.py ROOT. Run by the environment's Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_TRIALS = 64


def main(root: Path) -> int:
    """Open the window where there is a display, else tune and export in the terminal; returns the exit code."""
    sample = root / "resources" / "models" / "small-cnn.onnx"
    commands = Path(sys.executable).parent
    if _display_answers():
        return subprocess.run([commands / "pruner-studio", sample], check=False).returncode
    print("There is no display, so the sample is tuned here in the terminal.", flush=True)
    results = root / "build" / "sample"
    results.mkdir(parents=True, exist_ok=True)
    project, bundle = results / "small-cnn.pruner", results / "small-cnn"
    pruner = commands / "pruner"
    for command in (
        [pruner, "tune", sample, "--trials", str(_TRIALS), "--project", project],
        [pruner, "export", project, "--out", bundle],
    ):
        code = subprocess.run(command, check=False).returncode
        if code:
            return code
    print(f"Project: {project}\nTuned model: {bundle}\nRun it: {sys.executable} {bundle / 'run.py'}")
    return 0


def _display_answers() -> bool:
    """Whether a window can be opened: Qt ends the process where a display is named and does not answer."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    probe = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
    return subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
