"""A run that one terminal tunes is steered from another."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.errors import UserError
from pruner_engine.jobs.client import tell_engine
from pruner_engine.protocol import Pause
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from terminal import carried_out

_SMALL = ("--set", "round_trials=4", "--set", "population=128", "--set", "draft_set=16", "--set", "fresh_samples=4")


def terminal(*words, code=0):
    """What a `pruner` line prints and says."""
    done = carried_out(*words)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def wait_for(project, said):
    """Until a question about the project's run is answered with yes."""
    limit = time.monotonic() + 120
    while time.monotonic() < limit:
        with contextlib.suppress(UserError), ProjectReader(project) as reader:  # it may just be made
            runs = reader.runs()
            if runs and said(reader, runs[-1]):
                return
        time.sleep(0.2)
    raise AssertionError("it never came to that")


def test_a_run_is_steered_from_another_terminal(tmp_path):
    project = tmp_path / "p.pruner"
    words = ("tune", "matmul:64,64,64", "--project", str(project), "--trials", "100000", *_SMALL)
    with subprocess.Popen([sys.executable, "-m", "pruner_engine.cli", *words], stderr=subprocess.DEVNULL) as tuning:
        try:
            wait_for(project, lambda reader, run: run["trials"] > 0)
            with ProjectReader(project) as reader:
                (task,) = reader.tasks(1)
            assert "run 1 was told: boost" in terminal("steer", project, "boost", "--task", task["name"])
            wait_for(project, lambda reader, run: reader.tasks(1)[0]["steer"] == "boost")
            terminal("steer", project, "pause")
            wait_for(project, lambda reader, run: run["state"] == "paused")
            terminal("steer", project, "go-on")
            wait_for(project, lambda reader, run: run["state"] == "tuning")
            told = json.loads(terminal("try", project, "--task", task["id"], "--pin", "--json"))
            assert (told["run"], told["candidate_id"], told["before"]) == (1, None, None)
            wait_for(project, lambda reader, run: any("pinned" in event["text"] for event in reader.events(1)))
            terminal("steer", project, "stop")
            assert tuning.wait(60) == 3  # stopped
        finally:
            tuning.kill()
    assert "No engine works on" in terminal("steer", project, "stop", code=1)


def test_an_engine_that_nobody_can_reach_is_not_said_to_be_gone(tmp_path):
    make_project(project := tmp_path / "p.pruner", {"a": (1, 1.0)})
    add_run(project, "random", [("begin", 1.0)], state="tuning")
    with Project(project) as at_work:
        at_work.runs.update(1, pid=1)
        told = terminal("steer", project, "stop", code=1)
    assert "has no control socket" in told and "resume" not in told
    assert "No engine works on" in terminal("steer", project, "stop", code=1)


def test_a_task_is_named_where_one_is_meant(tmp_path):
    project = tmp_path / "p.pruner"
    assert "pin needs --task" in terminal("steer", project, "pin", code=2)
    assert "stop is for the run" in terminal("steer", project, "stop", "--task", "1", code=2)


def test_an_engine_that_is_gone_is_told_as_such(tmp_path):
    with pytest.raises(UserError, match="The engine does not answer"):
        tell_engine(str(tmp_path / "nobody.sock"), Pause())


def test_a_tracker_on_a_port_in_use_says_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = terminal("tracker", "--port", taken.getsockname()[1], code=1)
    assert "the address is in use" in told and "Traceback" not in told


def test_a_board_that_cannot_listen_says_so_instead_of_starting_again_and_again():
    """A network of examples has no machine, nor is there such a port or name."""
    words = ("serve", "--tracker", "127.0.0.1:1", "--key", "k")
    for host in ("192.0.2.1", "a..b"):
        assert f"{host} is no address of this machine" in terminal(*words, "--host", host, code=1)
    assert "70000 is not in the range" in terminal(*words, "--port", 70000, code=2)
    assert "A tracker cannot listen at a..b" in terminal("tracker", "--host", "a..b", code=1)
