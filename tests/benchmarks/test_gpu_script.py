"""bench/gpu.sh: what it runs, what it keeps when it is killed, what it says of each step."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from pruner_engine.cli.main import cli

SCRIPT = Path(__file__).parents[2] / "bench" / "gpu.sh"
ENVIRONMENT = {**os.environ, "PYTHON": sys.executable}


def call(*arguments, code=0):
    command = ["bash", SCRIPT, *map(str, arguments)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def steps(out):
    return json.loads((out / "result.json").read_text())["steps"]


def understood(words):
    command = cli
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    for project in (word for word in words if word.endswith(".pruner")):  # of an earlier step
        Path(project).parent.mkdir(parents=True, exist_ok=True)
        Path(project).touch()
    return command.make_context(command.name, words).params


@pytest.mark.parametrize(("target", "minutes"), [("auto", 3), ("cuda", 60)])
def test_every_step_is_a_command_line_that_is_understood(target, minutes, tmp_path):
    plan = call("--plan", "--target", target, "--minutes", minutes, "--out", tmp_path / "out").stdout.splitlines()
    commands = {name: shlex.split(rest) for name, _, rest in (line.partition(": ") for line in plan)}
    assert {"doctor", "draft", "collect", "train", "kernels", "networks-float32"} <= set(commands)
    assert not (tmp_path / "out").exists()
    for python, *words in commands.values():
        assert python == sys.executable
        assert understood(words[2:]) if words[0] == "-m" else Path(words[0]).is_file()


def test_what_there_is_no_time_for_is_skipped_and_told(tmp_path):
    call("--target", "auto", "--minutes", 0, "--out", tmp_path)
    found = steps(tmp_path)
    assert {step["state"] for step in found.values()} == {"skipped"}
    assert found["kernels"]["why"] == "no time was left"
    assert found["train"]["why"] == "collect is not done"
    assert found["e2e-float32-small-cnn"]["why"].startswith("networks-float32 has not begun")


def test_a_killed_call_goes_on_and_what_is_done_is_kept(tmp_path):
    only = ["--target", "auto", "--minutes", 3, "--out", tmp_path, "--only", "doctor"]
    killed = subprocess.Popen(["bash", SCRIPT, *map(str, only)], env=ENVIRONMENT, start_new_session=True)
    while not (tmp_path / "doctor.log").exists():
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert "doctor\tstopped" in (tmp_path / "steps.tsv").read_text()
    call(*only)
    assert steps(tmp_path)["doctor"]["state"] == "done" and steps(tmp_path)["doctor"]["result"]["checks"]
    before = (tmp_path / "doctor.json").stat().st_mtime_ns
    assert "doctor: kept" in call(*only).stderr
    assert (tmp_path / "doctor.json").stat().st_mtime_ns == before


def test_a_step_that_fails_says_why(tmp_path):
    call("--target", "nonesuch", "--minutes", 3, "--out", tmp_path, "--only", "correct-matmul_64_64_64")
    (step,) = steps(tmp_path).values()
    assert step["state"] == "failed" and '"nonesuch" is not a target' in step["why"]


def test_two_calls_do_not_share_a_folder(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "still at work" in call("--minutes", 0, "--out", tmp_path, code=1).stderr
