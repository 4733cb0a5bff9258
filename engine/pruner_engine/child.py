"""Run one of our modules as a process of its own, in a checkout, an installation or a frozen program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FROZEN_FLAG = "--run-module"  # a frozen program runs the module named after this, if it is its first argument


def module_command(module: str, *args: str) -> list[str]:
    """Command line that runs `module` as a script."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_FLAG, module, *args]
    return [sys.executable, "-m", module, *args]


def environment(**changes: str) -> dict[str, str]:
    """This process's environment with our package on the path and `changes` made."""
    paths = [str(Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | changes
