"""Run a Python module as a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The current folder is not searched: files that lie there are nobody's modules. Python's own switch for it, -P, came
# with 3.11.
_NOT_HERE = "import sys; sys.path[:] = filter(None, sys.path); "
# as `python -m` does
_RUN = f"{_NOT_HERE}del sys.argv[0]; import runpy; runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"

# Threads of OpenBLAS sleep while they wait for each other, see `openmp.py`: it has a variable of its own, for how long
# they go round in circles, as a power of two, and 4 is the least.
_SLEEPING = {"OPENBLAS_THREAD_TIMEOUT": "4"}


def module_command(module: str, *args: str) -> list[str]:
    """Command line that runs `module` as a script."""
    return [sys.executable, "-c", _RUN, module, *args]


def import_command(module: str) -> list[str]:
    """Command line that imports `module` and does no more."""
    return [sys.executable, "-c", f"{_NOT_HERE}import {module}"]


def environment(**changes: str) -> dict[str, str]:
    """This process's environment with our package on the path, threads that sleep, and `changes` made.

    An empty entry of PYTHONPATH, as `PYTHONPATH=folder:$PYTHONPATH` leaves behind, would be the current folder.
    """
    paths = [
        str(Path(__file__).resolve().parents[2]),
        *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    ]
    return _SLEEPING | os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | changes
