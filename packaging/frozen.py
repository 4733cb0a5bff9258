"""The program of the bundle: `pruner`, `pruner-studio` or `python`, whichever name it is started by.

Whatever starts `sys.executable` starts it as `python`, which runs modules, code and scripts as Python does.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from pathlib import Path

_WHAT_RUNS = "This Python, which came with Pruner Studio, runs `-m MODULE`, `-c CODE` or a file, with arguments.\n"


def main() -> int:
    """Be what the name says; returns the exit code."""
    multiprocessing.freeze_support()
    _give_back_library_path()
    sys.executable = str(Path(sys.executable).with_name("python"))
    name = Path(sys.argv[0]).name
    if name == "python":
        return run_as_python(sys.argv[1:])
    if name == "pruner-studio":
        from pruner_studio.app import main as open_window

        return open_window()
    from pruner_engine.cli.main import main as run_command

    run_command()
    return 0


def run_as_python(words: list[str]) -> int:
    """Run what the words behind `python` name; returns the exit code."""
    match words:
        case ["-m", module, *_]:
            sys.argv = words[1:]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), vars(sys.modules["__main__"]))
        case [script, *_] if not script.startswith("-"):
            sys.argv = words
            sys.path.insert(0, str(Path(script).resolve().parent))
            runpy.run_path(script, run_name="__main__")
        case _:
            sys.stderr.write(_WHAT_RUNS)
            return 2
    return 0


def _give_back_library_path() -> None:
    """As the user has it: the linker and other programs that are started have libraries of their own."""
    users = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if getattr(sys, "frozen", False):
        os.environ.pop("LD_LIBRARY_PATH", None)
    if users is not None:
        os.environ["LD_LIBRARY_PATH"] = users


if __name__ == "__main__":
    sys.exit(main())
