"""How the window starts: nothing is written that is there already, and engines get what the user has set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pruner_engine import __version__

_START = """
import os
from pruner_studio import app
application = app.make_application(["pruner-studio"])
import numpy
from PySide6.QtCore import QSettings
from pruner_studio.surroundings import of_engines
name = "OPENBLAS_NUM_THREADS"
print(os.path.exists(QSettings().fileName()), os.environ[name], of_engines().get(name), flush=True)
os._exit(0)
"""


@pytest.fixture
def told(tmp_path: Path):
    """What a Python of its own writes, in a home of its own."""

    def run(code: str, **environment: str) -> str:
        home = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
        known = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS")
        }
        everything = known | home | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=everything | environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().splitlines()[-1]

    return run


def called(tmp_path: Path, *words: str) -> tuple[int, str, str]:
    """How `pruner-studio` ends where there is no display, and what it writes."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in displays}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "pruner_studio", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_help_and_version_need_no_display(tmp_path: Path) -> None:
    for option in ("--help", "-h"):
        code, told, wrong = called(tmp_path, option)
        assert (code, wrong) == (0, "") and told.startswith("Usage: pruner-studio [PROJECT or MODEL]\n")
    assert called(tmp_path, "--version") == (0, f"pruner-studio, version {__version__}\n", "")
    assert called(tmp_path, "model.onnx")[0] == 2, "a window needs one"


def test_an_option_that_is_none_is_told_in_a_sentence(tmp_path: Path) -> None:
    told = "There is no option --project: `pruner-studio --help` tells which there are.\n"
    assert called(tmp_path, "--project", "p.pruner") == (2, "", told)


def test_a_start_writes_no_settings_and_engines_get_the_users_environment(told) -> None:
    assert told(_START) == "False 1 None"
    assert told(_START, OPENBLAS_NUM_THREADS="3") == "False 3 3"
