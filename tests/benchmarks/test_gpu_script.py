"""bench/gpu.sh: what it runs, what it keeps when it is killed, what it says of each step."""

import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from pruner_engine.cli.main import cli
from pruner_engine.processes.child import environment

SCRIPT = Path(__file__).parents[2] / "bench" / "gpu.sh"
ENVIRONMENT = {**os.environ, "PYTHON": sys.executable}


def call(*arguments, code=0):
    command = ["bash", SCRIPT, *map(str, arguments)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def steps(out):
    return json.loads((out / "result.json").read_text())["steps"]


def planned(*arguments):
    """Words of the command of each step, by its name, in order; seconds by which each phase is over."""
    told = call("--plan", *arguments)
    commands = {
        name: shlex.split(rest) for name, _, rest in (line.partition(": ") for line in told.stdout.splitlines())
    }
    return commands, [int(seconds) for seconds in re.findall(r"until second (\d+)", told.stderr)]


def option(words, name):
    return words[words.index(name) + 1]


def understood(words):
    command = cli
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    for project in (word for word in words if word.endswith(".pruner")):  # of an earlier step
        Path(project).parent.mkdir(parents=True, exist_ok=True)
        Path(project).touch()
    return command.make_context(command.name, words).params


@pytest.mark.parametrize(("target", "minutes"), [("auto", 3), ("cuda", 9), ("cuda", 60)])
def test_every_step_is_a_command_line_that_is_understood(target, minutes, tmp_path):
    commands, _ = planned("--target", target, "--minutes", minutes, "--train", "--out", tmp_path / "out")
    assert {"doctor", "profile", "collect", "train"} <= set(commands)
    assert {name.partition("-")[0] for name in commands} >= {"correct", "draft", "kernels", "networks", "e2e"}
    assert not (tmp_path / "out").exists()
    for python, *words in commands.values():
        assert python == sys.executable
        assert understood(words[2:]) if words[0] == "-m" else Path(words[0]).is_file()


@pytest.mark.parametrize("more", [(), ("--train",)])
@pytest.mark.parametrize("minutes", [9, 60])
def test_all_steps_together_have_no_more_than_the_minutes(minutes, more, tmp_path):
    commands, ends = planned("--minutes", minutes, *more, "--out", tmp_path)
    assert ends == sorted(ends) and 0.97 * minutes * 60 < ends[-1] <= minutes * 60
    assert ("collect" in commands) == bool(more)


@pytest.mark.parametrize(("minutes", "candidates", "trials"), [(9, 32, 64), (60, 90, 128)])
def test_how_much_is_measured_follows_from_the_minutes(minutes, candidates, trials, tmp_path):
    commands, _ = planned("--minutes", minutes, "--out", tmp_path)
    drafts = {name: words for name, words in commands.items() if name.startswith("draft-")}
    searches = {name: words for name, words in commands.items() if name.startswith("kernels-")}
    assert {option(words, "--candidates") for words in drafts.values()} == {str(candidates)}
    assert {option(words, "--trials") for words in searches.values()} == {str(trials)}
    for names in (list(drafts), list(searches)):
        assert [name.endswith("16") for name in names[:4]] == [False, True, False, True], "both types come early"
    assert [words.count("--operator") for words in drafts.values()] == [1] * 10, "each is kept on its own"
    strategies = option(next(iter(searches.values())), "--strategies")
    (checkpoint,) = re.findall(r"moa-pruner:checkpoint=([^,]+)", strategies)
    assert Path(checkpoint) == SCRIPT.parents[1] / "resources" / "checkpoints" / "pacm-draft-256.safetensors"
    assert Path(checkpoint).is_file()


def test_what_there_is_no_time_for_is_skipped_and_told(tmp_path):
    call("--target", "auto", "--minutes", 0, "--train", "--out", tmp_path)
    found = steps(tmp_path)
    assert {step["state"] for step in found.values()} == {"skipped"}
    assert found["kernels"]["why"] == "no time was left"
    assert found["train"]["why"] == "collect is not done"
    assert found["e2e-float32-small-cnn"]["why"].startswith("networks-float32-small-cnn has not begun")


WORKS = {"name": "One kernel on the GPU", "ok": True, "value": "12 GFLOP/s, outputs right", "hint": "", "needed": False}
# Stands for the interpreter: our scripts of a moment run, of the others only the names are kept and the files made
STUB = """#!{python} -S
import json, os, pathlib, signal, sys
words = sys.argv[1:]
if words[0].endswith(("gpu_result.py", "gpu_works.py")):
    os.execv({python!r}, [{python!r}, "-S", *words])
out = pathlib.Path({out!r})
with open({log!r}, "a") as log:
    log.write(" ".join(words) + "\\n")
if {killer!r} and {killer!r} in words:
    parent = os.getppid()
    script = int(pathlib.Path(f"/proc/{{parent}}/stat").read_text().split()[3])
    for process in (script, parent):
        os.kill(process, signal.SIGKILL)
if "search" in words:
    folder = pathlib.Path(words[words.index("--out") + 1])
    folder.mkdir(exist_ok=True)
    for word in words:
        if word.endswith(".pt2"):
            (folder / (pathlib.Path(word).stem + ".pruner")).touch()
print(json.dumps({{"checks": {checks!r}}} if "doctor" in words else {{"printed": words[-2:]}}))
"""


@pytest.fixture
def pretended(tmp_path, monkeypatch):
    """A machine on which every step takes a moment; its calls are kept in `log`."""

    def pretend(checks=(WORKS,), killer=""):
        stub, log = tmp_path / "python", tmp_path / "log"
        values = {"python": sys.executable, "out": str(tmp_path / "out"), "log": str(log), "killer": killer}
        stub.write_text(STUB.format(checks=list(checks), **values))
        stub.chmod(0o755)
        monkeypatch.setitem(ENVIRONMENT, "PYTHON", str(stub))
        return log

    return pretend


def test_all_that_is_reached_is_in_the_result(tmp_path, pretended):
    log = pretended()
    call("--minutes", 60, "--out", tmp_path / "out")
    found = steps(tmp_path / "out")
    assert {step["state"] for step in found.values()} == {"done"}
    assert found["profile"]["result"] and found["kernels"]["result"] and found["e2e-float16-bert-small"]["result"]
    assert [name for name in found if name.startswith("kernels-") and found[name]["result"]] == [], (
        "told once, together"
    )
    called = len(log.read_text().splitlines())
    call("--minutes", 60, "--out", tmp_path / "out")
    assert len(log.read_text().splitlines()) == called, "all is kept"


def test_a_step_hears_the_signal_that_stops_it_also_in_the_background_of_a_shell(tmp_path, monkeypatch):
    stub, ignored = tmp_path / "python", tmp_path / "ignored"
    stub.write_text(f"#!/bin/sh\ncase $1 in *gpu_profile.py) grep SigIgn /proc/self/status > {ignored} ;; esac\n")
    stub.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PYTHON", str(stub))
    command = ["bash", "-c", "trap '' INT; exec bash \"$@\"", "", SCRIPT, "--minutes", "9", "--only", "profile"]
    subprocess.run([*command, "--out", tmp_path / "out"], env=ENVIRONMENT, check=False)
    assert not int(ignored.read_text().split()[1], 16) & (1 << (signal.SIGINT - 1))


def test_only_takes_the_steps_that_begin_so(tmp_path, pretended):
    pretended()
    call("--minutes", 9, "--out", tmp_path / "out", "--only", "draft", "--only", "profile")
    assert {name.partition("-")[0] for name in steps(tmp_path / "out")} == {"draft", "profile"}


def test_a_result_is_there_when_the_call_is_killed_with_all_it_started(tmp_path, pretended):
    pretended(killer="matmul:1024,1024,1024,bfloat16")
    call("--minutes", 9, "--out", tmp_path / "out", code=-signal.SIGKILL)
    found = steps(tmp_path / "out")
    *before, last = found
    assert last == "draft-matmul_1024_1024_1024_bfloat16" and found[last]["state"] == "stopped"
    assert len(before) == 14 and {found[name]["state"] for name in before} == {"done"}
    pretended()
    call("--minutes", 9, "--out", tmp_path / "out")
    assert {step["state"] for step in steps(tmp_path / "out").values()} == {"done"}


@pytest.mark.parametrize(
    ("checks", "why"),
    [
        ([{**WORKS, "ok": False, "value": "could not load a kernel: no image", "hint": "Look."}], "no image Look."),
        ([{"name": "NVIDIA driver", "ok": False, "value": "none answers", "hint": ""}], "none answers"),
    ],
)
def test_without_a_kernel_on_the_gpu_nothing_else_is_tried(tmp_path, pretended, checks, why):
    log = pretended(checks)
    assert why in call("--minutes", 60, "--out", tmp_path / "out", code=1).stderr
    (step,) = steps(tmp_path / "out").values()
    assert step["state"] == "failed" and why in step["why"]
    call("--minutes", 60, "--out", tmp_path / "out", code=1)
    assert log.read_text().count("doctor") == 2, "the next call looks again"


def test_the_profile_comes_with_its_source_and_what_kept_it_from_being_measured(tmp_path):
    # no interpreter for the micro-benchmark's own process, and nothing kept
    script = SCRIPT.with_name("gpu_profile.py")
    code = (
        "import runpy, sys; sys.executable = '/bin/false'; sys.argv = ['', 'auto'];"
        f"runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    env = environment(XDG_CACHE_HOME=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["profile"]["source"] == "estimated" and "could not be measured" in told["warnings"][0]


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
    call("--target", "nonesuch", "--minutes", 3, "--out", tmp_path, "--only", "correct-matmul_256_256_256")
    (step,) = steps(tmp_path).values()
    assert step["state"] == "failed" and '"nonesuch" is not a target' in step["why"]


def test_two_calls_do_not_share_a_folder(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "still at work" in call("--minutes", 0, "--out", tmp_path, code=1).stderr
