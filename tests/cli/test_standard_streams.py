"""Standard streams that are closed, on a full disk, or in an encoding that has few letters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.processes.child import environment
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, carried_out


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    path = tmp_path_factory.mktemp("streams") / "m.pruner"
    make_project(path, {"a": (1, 1e-6)})
    add_run(path, "pruner", [("begin", 0.0), ("trial", 1, 5e-7, 1.0), ("end", 1.0)])
    return path


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        (">/dev/full", 1, "No space left on device. Free some space"),
        ("<&- >&- 2>&-", 0, ""),
        ("| true", 0, ""),
    ],
)
def test_a_stream_that_takes_nothing(redirected, code, said, project):
    line = f'"{sys.executable}" -m pruner_engine.cli status "{project}" {redirected}'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == bool(said)


@pytest.mark.usefixtures("warm")
def test_a_run_goes_on_when_nobody_reads_of_it_any_more(tmp_path):
    project, (read, write) = tmp_path / "m.pruner", os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        done = carried_out("tune", "matmul:32,32,32", "--trials", "8", "--project", project, *SMALL, said=gone)
    with ProjectReader(project) as reader:
        assert (done.returncode, reader.run()["state"]) == (0, "finished")


def test_what_a_project_says_gives_a_terminal_no_orders(project, tmp_path):
    """A project may come from anybody: such orders fill the clipboard, name the window, or are answered by typing."""
    orders = ["\x1b]52;c;cm0gLXJm\x07", "\x1b]0;title\x1b\\", "\x1b[6n", "\x1b[2J", "\x1bP+q544e\x1b\\", "\x9b5n"]
    hostile = shutil.copy(project, tmp_path / "hostile.pruner")
    with Project(hostile) as opened:
        opened.runs.update(1, reason=f"ended {''.join(orders)} early", strategy=f"x{''.join(orders)}y")
    line = [sys.executable, "-m", "pruner_engine.cli", "status", str(hostile)]
    told = subprocess.run(line, env=environment(FORCE_COLOR="1"), capture_output=True, check=True).stdout.decode()
    assert "ended" in told and "early" in told
    assert "\x1b[1m" in told, "colours and such are the product's own"
    assert not [order for order in orders if order in told]
    assert not {"\x07", "\x9b"} & {*told} and "\x1b]" not in told and "\x1bP" not in told


def test_an_encoding_without_the_letters(project, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    line = [sys.executable, "-m", "pruner_engine.cli", "status", str(project)]
    told = subprocess.run(line, capture_output=True, check=True).stdout
    assert b"finished" in told and b"?" in told
