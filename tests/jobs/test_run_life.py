"""The life of a run, through real engine processes: tuned, stopped, killed, resumed, exported."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pruner_engine.jobs.client import EngineProcess, tell_engine
from pruner_engine.processes.child import environment
from pruner_engine.protocol import (
    Bye,
    Detach,
    Export,
    Failed,
    Pause,
    Phase,
    Progress,
    Resume,
    RunFinished,
    RunStarted,
    State,
    Stop,
    Tune,
    Unpause,
)
from pruner_engine.resources import resource_dir
from pruner_engine.store.file.lock import is_being_written
from pruner_engine.store.reader import ProjectReader
from terminal import carried_out as terminal

pytestmark = pytest.mark.usefixtures("warm")

WORKLOAD = "matmul:64,64,64"
SETTINGS = {"round_trials": 6, "population": 128, "draft_set": 16, "fresh_samples": 4, "repeats": 1}
TREES = {**SETTINGS, "model": "xgb"}  # without PyTorch, which takes seconds to load


def tune_command(project, trials=12, **more):
    return Tune(project=str(project), model=WORKLOAD, trials=trials, settings=TREES, **more)


def trial_rows(project):
    with ProjectReader(project) as reader:
        return reader.rows(
            "SELECT c.hash, x.* FROM measurements x JOIN candidates c ON c.id = x.candidate_id ORDER BY x.id"
        )


def wait_for_state(project, state):
    """As long as an engine works on it, however slowly where others have the cores."""
    is_worked_on = True
    while is_worked_on:
        is_worked_on = is_being_written(project)
        with ProjectReader(project) as reader:
            if reader.run()["state"] == state:
                return
        time.sleep(0.1)
    raise AssertionError(f"it never was {state}")


def socket_of(project):
    with ProjectReader(project) as reader:
        return reader.run()["socket"]


@pytest.fixture(scope="module")
def tuned(warm, tmp_path_factory):
    """A project with one finished run, made by the terminal."""
    project = tmp_path_factory.mktemp("tuned") / "m.pruner"
    options = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    done = terminal("tune", WORKLOAD, "--trials", 12, "--project", project, "--json", *options)
    assert done.returncode == 0, done.stderr
    return project, json.loads(done.stdout)


def test_a_run_measures_its_budget_and_says_so(tuned):
    project, told = tuned
    assert told["state"] == "finished"
    assert (told["trials"], told["valid"] + told["failed"]) == (12, 12)
    assert told["latency_s"] < told["untuned_s"], "twelve schedules of a matmul hold one that beats the naive loops"
    rows = trial_rows(project)
    assert len({row["hash"] for row in rows}) == 12, "no candidate is measured twice"
    assert all(row["seconds"] > 0 and row["repeats"] for row in rows if row["stage"] == "ok")


def test_every_stage_of_a_round_is_recorded(tuned):
    project, _ = tuned
    with ProjectReader(project) as reader:
        rounds = reader.rounds(1)
        assert [r["measured"] for r in rounds] == [6, 6]
        assert all(r["explored"] > r["drafted"] > 0 for r in rounds[:1])
        assert all(r["verified"] >= r["measured"] for r in rounds)
        told = rounds[0]["stats"]
        explored, drafted = (sum(told["draft_histogram"][name]) for name in ("explored", "drafted"))
        assert rounds[0]["explored"] >= explored > drafted > 0
        assert (told["lowered"], told["lowered_sketches"]) == (0, 0), "every sketch of a product has a closed form"
        measured = reader.candidates(1, measured=True)
        assert all(c["draft_score"] is not None and c["verified_score"] is not None for c in measured)
        assert reader.progress(1)[-1]["trials"] == 12
        assert reader.sketches(reader.tasks(1)[0]["id"])


def test_status_tasks_and_inspect_tell_what_the_file_holds(tuned):
    project, told = tuned
    status = json.loads(terminal("status", project, "--json").stdout)
    assert status["runs"][0]["trials"] == 12
    tasks = json.loads(terminal("tasks", project, "--json").stdout)["tasks"]
    assert len(tasks) == 1 and tasks[0]["trials"] == 12
    assert tasks[0]["best_s"] * tasks[0]["weight"] == pytest.approx(told["latency_s"])
    for form, part in (("trace", "sample_perfect_tile"), ("tvmscript", "prim_func"), ("asm", "ret")):
        shown = terminal("inspect", project, "--task", tasks[0]["name"], "--as", form)
        assert part in shown.stdout, shown.stderr
    assert terminal("inspect", project, "--as", "asm").stdout == shown.stdout, "it has one task only"
    linked = terminal("inspect", project, "--task", tasks[0]["name"], "--as", "asm", "--linked")
    assert any(re.fullmatch(r"block \w+ +\| +v?f?n?m?(add|mul)\w* .*", line) for line in linked.stdout.splitlines())
    told = json.loads(terminal("inspect", project, "--task", 1, "--as", "asm", "--linked", "--json").stdout)
    assert len(told["nodes"]["asm"]) == len(told["asm"].splitlines())
    assert max(filter(None, told["nodes"]["asm"])) < len(told["nest"].splitlines())
    unlinked = terminal("inspect", project, "--task", 1, "--as", "trace", "--linked")
    assert unlinked.returncode and "not linked" in unlinked.stderr


def test_a_spent_run_goes_on_with_a_larger_budget(tuned):
    project, _ = tuned
    done = terminal("resume", project, "--run", 1, "--trials", 14, "--json")
    assert json.loads(done.stdout)["trials"] == 14, done.stderr
    hashes = [row["hash"] for row in trial_rows(project)]
    assert len(hashes) == len(set(hashes)) == 14


def test_an_export_that_is_stopped_says_so(tuned, engine, tmp_path):
    engine.send(Export(project=str(tuned[0]), out=str(tmp_path / "out")))
    for event in engine.events():
        if isinstance(event, Phase) and event.name == "export":
            engine.send(Stop())
        elif isinstance(event, Failed):
            break
    assert event.kind == "stopped" and not (tmp_path / "out").exists()


def test_a_second_strategy_is_a_second_run_of_the_same_file(tuned):
    project, _ = tuned
    words = ["--trials", 8, "--strategy", "metaschedule", "--seed", 3, "--set", "population=64"]
    done = terminal("tune", WORKLOAD, *words, "--project", project, "--json")
    told = json.loads(done.stdout)
    assert (told["id"], told["strategy"], told["trials"], told["seed"]) == (2, "metaschedule", 8, 3)
    with ProjectReader(project) as reader:
        assert [r["trials"] for r in reader.runs()][1] == 8
        assert len(reader.rows("SELECT id FROM tasks")) == 1, "both runs tune the same task"


def test_stop_ends_in_good_order_and_resume_goes_on(engine, tmp_path):
    project = tmp_path / "m.pruner"
    engine.send(tune_command(project, trials=200))
    finished, stopped = None, False
    for event in engine.events():
        if isinstance(event, Progress) and event.trials >= 2 and not stopped:
            engine.send(Stop())
            stopped = True
        if isinstance(event, RunFinished):
            finished = event
            break
    assert finished.state == "stopped"
    before = [row["hash"] for row in trial_rows(project)]
    assert 2 <= len(before) == finished.trials < 200
    done = terminal("resume", project, "--trials", len(before) + 4, "--json")
    assert json.loads(done.stdout)["state"] == "finished", done.stderr
    after = [row["hash"] for row in trial_rows(project)]
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == len(before) + 4


def test_a_stop_that_comes_too_late_stops_no_later_run(engine, tmp_path):
    engine.send(Stop())
    engine.send(tune_command(tmp_path / "m.pruner", trials=6))
    finished = next(e for e in engine.events() if isinstance(e, RunFinished | Failed))
    assert isinstance(finished, RunFinished) and (finished.state, finished.trials) == ("finished", 6)


def test_a_paused_run_measures_nothing_until_it_goes_on(engine, tmp_path):
    project = tmp_path / "m.pruner"
    engine.send(tune_command(project, trials=18))
    paused = False
    for event in engine.events():
        if isinstance(event, Progress) and event.trials >= 2 and not paused:
            engine.send(Pause())
            paused = True
        elif isinstance(event, State) and event.name == "paused":
            wait_for_state(project, "paused")
            held = len(trial_rows(project))
            time.sleep(1.0)
            assert len(trial_rows(project)) == held < 18
            engine.send(Unpause())
        elif isinstance(event, RunFinished):
            assert (event.state, event.trials) == ("finished", 18)
            break
    assert paused


def test_a_killed_engine_loses_nothing_and_repeats_nothing(tmp_path):
    """Whenever it is killed: tests/faults/test_killed_engine.py."""
    project, at = tmp_path / "m.pruner", 9
    engine = EngineProcess()
    engine.send(tune_command(project))
    pid = None
    for event in engine.events():
        if isinstance(event, RunStarted):
            pid = engine._process.pid
        if isinstance(event, Progress) and event.trials >= at:
            os.kill(pid, signal.SIGKILL)
            break
    told, hint = engine.outcome()
    assert "suddenly" in told and "resume" in hint
    before = [row["hash"] for row in trial_rows(project)]
    assert len(before) >= at, "what the engine reported is in the file"
    assert not is_being_written(project)
    with ProjectReader(project) as reader:
        assert reader.run()["interrupted"]
        assert sum(row["measured"] for row in reader.rounds(1)) == len(before), "those of the round under way, too"
    done = terminal("resume", project, "--json")
    assert done.returncode == 0, done.stderr
    after = [row["hash"] for row in trial_rows(project)]
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == 12


def test_an_engine_that_is_let_go_after_its_last_job_ends():
    """A run may end while its window still asks whether it is to go on."""
    with EngineProcess() as engine:
        engine.send(Detach())
        assert isinstance([*engine.events()][-1], Bye)


def test_an_engine_that_another_client_lets_go_outlives_its_parent(tmp_path):
    project = tmp_path / "m.pruner"
    script = f"""
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.protocol import Pause, Progress, State, Tune
engine = EngineProcess()
engine.send({tune_command(project, trials=30)!r})
paused = False
for event in engine.events():
    if isinstance(event, Progress) and not paused:
        engine.send(Pause())
        paused = True
    if isinstance(event, State):
        print(event.name, flush=True)
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as parent:
        told = iter(parent.stdout)
        next(line for line in told if line == "paused\n")  # it cannot have ended before its parent
        tell_engine(socket_of(project), Detach())
        next(line for line in told if line == "detached\n")
        parent.kill()
    tell_engine(socket_of(project), Unpause())
    wait_for_state(project, "finished")
    assert len(trial_rows(project)) == 30


def test_a_run_without_a_valid_trial_fails_with_the_reason(tmp_path):
    project = tmp_path / "m.pruner"
    done = terminal(
        "tune", WORKLOAD, "--trials", 4, "--project", project, "--set", "build_timeout_s=0.001", "--set=round_trials=4"
    )
    assert done.returncode == 1
    assert "No candidate could be measured (4 build timeout)" in done.stderr
    with ProjectReader(project) as reader:
        assert reader.run()["state"] == "failed"
        assert reader.failures(1)[0]["count"] == 4


def test_a_machine_that_runs_nothing_is_not_tried_with_every_task(tmp_path):
    project, model = tmp_path / "m.pruner", str(resource_dir() / "models" / "small-cnn.onnx")
    settings = ("--set", "build_timeout_s=0.001", "--set=round_trials=6")
    done = terminal("tune", model, "--trials", 60, "--project", project, *settings)
    assert done.returncode == 1
    assert "No candidate could be measured" in done.stderr
    with ProjectReader(project) as reader:
        assert 24 <= sum(group["count"] for group in reader.failures(1)) < 48  # a round is under way meanwhile


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tune", "nowhere.onnx", "--trials", "1"], "nowhere.onnx"),
        (["tune", WORKLOAD, "--trials", "1", "--set", "speed=9"], "setting"),
        (["resume", "nowhere.pruner"], "no project file"),
        (["status", "nowhere.pruner"], "no project file"),
        (["export", "nowhere.pruner", "--out", "x"], "no project file"),
    ],
)
def test_a_wrong_turn_is_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    done = terminal(*arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": "matmul:0,1,1"}, "matmul"),
        ({"trials": 0}, "no budget"),
        ({"seed": -1}, "no seed"),
        ({"strategy": "moa-pruner", "settings": {"adapt_every": 0}}, "adapt_every"),
        ({"strategy": "magic"}, "no strategy"),
        ({"target": "toaster"}, "toaster"),
    ],
)
def test_a_run_that_cannot_be_is_refused(engine, tmp_path, change, sentence):
    engine.send(Tune(**{"project": str(tmp_path / "m.pruner"), "model": WORKLOAD, "trials": 1, **change}))
    answer = next(e for e in engine.events() if isinstance(e, Failed | RunStarted))
    assert isinstance(answer, Failed) and answer.kind == "user"
    assert sentence in answer.message
    assert "Traceback" not in answer.message + answer.hint
    assert len(f"{answer.message} {answer.hint}".strip().splitlines()) <= 4
    assert not (tmp_path / "m.pruner").exists()


def test_two_engines_on_one_project(engine, tmp_path):
    project = tmp_path / "m.pruner"
    with EngineProcess() as first:
        first.send(tune_command(project, trials=400))
        for event in first.events():
            if isinstance(event, RunStarted):
                break
        engine.send(Resume(project=str(project)))
        answer = next(e for e in engine.events() if isinstance(e, Failed | RunStarted))
        assert isinstance(answer, Failed) and answer.kind == "user"
        assert "Another engine works on this project" in answer.message


def test_a_pause_holds_while_untuned_kernels_are_timed(engine, tmp_path):
    project = tmp_path / "m.pruner"
    model = str(resource_dir() / "models" / "small-cnn.onnx")
    timed, asked = None, False
    engine.send(Tune(project=str(project), model=model, trials=2, strategy="random", settings=SETTINGS))
    for event in engine.events():
        if isinstance(event, Phase) and event.name == "baseline" and event.task and not asked:
            assert event.detail.startswith("0/"), "none is timed yet, of how many"
            engine.send(Pause())
            asked = True
        elif isinstance(event, State) and event.name == "paused":
            wait_for_state(project, "paused")
            with ProjectReader(project) as reader:
                timed = [task["untuned_s"] is not None for task in reader.tasks(1)]
            engine.send(Unpause())
        elif isinstance(event, RunFinished | Failed):
            break
    assert not all(timed), "the rest waits"
    assert isinstance(event, RunFinished) and event.state == "finished"
    with ProjectReader(project) as reader:
        assert all(task["untuned_s"] is not None for task in reader.tasks(1))


def test_a_run_can_be_steered_after_a_logout_removed_the_runtime_folder(tmp_path, monkeypatch):
    project = tmp_path / "m.pruner"
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        runtime = Path(short, "runtime")
        runtime.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        monkeypatch.setenv("TMPDIR", short)
        with EngineProcess() as engine:
            engine.send(tune_command(project, trials=100_000))
            next(event for event in engine.events() if isinstance(event, Progress))
            engine.send(Pause())  # what is measured meanwhile costs, and tells nothing
            shutil.rmtree(runtime)
            limit = time.monotonic() + 60
            while (socket := socket_of(project)).startswith(str(runtime)) and time.monotonic() < limit:
                time.sleep(0.1)
            assert socket.startswith(short)
            tell_engine(socket, Stop())
            finished = next(event for event in engine.events() if isinstance(event, RunFinished | Failed))
    assert isinstance(finished, RunFinished) and finished.state == "stopped"
