"""What keys, a shutdown or a terminal that is closed send stops a run in good order, unless it is not to be heard."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

import click
import psutil
import pytest

from fleets import free_port, tracking, wait_for
from pruner_engine.cli import progress
from pruner_engine.cli.group import Commands
from pruner_engine.errors import UserError
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.jobs.commands import bundle
from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.processes.child import environment
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, carried_out

pytestmark = pytest.mark.usefixtures("warm")


HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background does not
TRACKER = f"{HEARING}from pruner_engine.cli import main; main()"


def tuned(project, number, trials):
    """A run whose terminal is sent a signal as soon as something is measured."""

    def send() -> None:
        while not over.wait(0.02):
            with contextlib.suppress(UserError), ProjectReader(project) as reader:  # it may just be made
                if reader.run()["trials"]:
                    os.kill(os.getpid(), number)
                    return

    over, thread = threading.Event(), threading.Thread(target=send)
    thread.start()
    done = carried_out("tune", "matmul:32,32,32", "--trials", trials, "--project", project, *SMALL)
    over.set()
    thread.join()
    with ProjectReader(project) as reader:
        return done.returncode, reader.run()["state"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_in_good_order(number, tmp_path):
    before = signal.signal(number, signal.SIG_DFL)  # the tests may run under nohup
    try:
        assert tuned(tmp_path / "m.pruner", number, 100_000) == (3, "stopped")
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_what_nohup_has_ignored_stays_ignored(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert tuned(tmp_path / "m.pruner", signal.SIGHUP, 12) == (0, "finished")
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_second_signal_waits_for_no_engine_and_says_what_is_kept(tmp_path, monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def send_two() -> None:
        for heard in (True, False):
            wait_for(lambda: (signal.getsignal(signal.SIGINT) == signal.default_int_handler) != heard)  # noqa: B023
            os.kill(os.getpid(), signal.SIGINT)

    with EngineProcess() as silent:
        os.kill(silent.pid, signal.SIGSTOP)
        monkeypatch.setattr(progress, "EngineProcess", lambda: contextlib.nullcontext(silent))
        sending = threading.Thread(target=send_two)
        sending.start()
        done = carried_out("tune", "matmul:32,32,32", "--project", tmp_path / "m.pruner")
        sending.join()
        os.kill(silent.pid, signal.SIGKILL)
    signal.signal(signal.SIGINT, before)
    assert done.returncode == 3 and "ended at once" in done.stderr and "`pruner resume`" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_question_that_is_taken_back_ends_with_its_engine(number, monkeypatch):
    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, default)

    def send() -> None:
        wait_for(asked.is_set)
        os.kill(os.getpid(), number)

    class Silent(EngineProcess):
        def send(self, command: object) -> None:
            if not asked.is_set():
                os.kill(self.pid, signal.SIGSTOP)
                asked.set()
            super().send(command)

        def __exit__(self, *error: object) -> None:
            wait_for(lambda: psutil.Process(self.pid).status() == psutil.STATUS_ZOMBIE)
            super().__exit__(*error)

    asked, sending = threading.Event(), threading.Thread(target=send)
    monkeypatch.setattr(progress, "EngineProcess", Silent)
    sending.start()
    done = carried_out("doctor")
    sending.join()
    signal.signal(number, before)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", SAID)


def test_a_signal_that_comes_while_the_engine_ends_is_said_in_the_same_words(tmp_path, monkeypatch):
    class Ending(EngineProcess):
        def __exit__(self, *error: object) -> None:
            super().__exit__(*error)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(progress, "EngineProcess", Ending)
    done = carried_out("tune", "matmul:8,8,8", "--trials", 1, "--project", tmp_path / "m.pruner")
    signal.signal(signal.SIGINT, before)
    assert done.returncode == 3 and "ended at once" in done.stderr and "Aborted" not in done.stderr


SAID = "pruner: It was stopped. The same command begins anew.\n"
INTERRUPTED_WHILE_LOADED = f"""{HEARING}
import os, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "rich.console":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from pruner_engine.cli.main import main
main()
"""


def test_an_interrupt_while_a_command_is_still_loaded_is_said_in_a_sentence():
    line = [sys.executable, "-c", INTERRUPTED_WHILE_LOADED, "targets"]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", SAID)


def test_an_interrupt_in_what_tvm_calls_back_is_one_behind_it():
    """Else it would be an error of ours, or one that an attempt has expected."""
    import tvm_ffi

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tvm_ffi.convert(interrupted)()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("words", [["wait"], ["group", "wait"]], ids=" ".join)
def test_a_command_without_an_engine_says_that_it_was_stopped(words, number, monkeypatch):
    def interrupted() -> None:
        signal.raise_signal(number)

    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, default)
    wait = {"wait": click.Command("wait", callback=interrupted)}
    group = Commands("pruner", commands={**wait, "group": Commands("group", commands=wait)})
    monkeypatch.setattr(sys.modules["pruner_engine.cli.main"], "cli", group)
    done = carried_out(*words)
    assert signal.signal(number, before) == default
    assert (done.returncode, done.stderr) == (3, SAID)


@pytest.mark.parametrize("words", ["collect", "bench search", "bench rules"])
def test_a_command_that_keeps_what_it_has_done_says_that_it_goes_on(words, tmp_path, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    module = sys.modules[f"pruner_engine.cli.{words.replace(' ', '.')}"]
    monkeypatch.setattr(module, "subjects_of", interrupted)
    project = ["--project", tmp_path / "p.pruner"] if words == "collect" else []
    done = carried_out(*words.split(), "matmul:8,8,8", "--out", tmp_path / "out", *project)
    assert (done.returncode, done.stderr) == (3, "pruner: It was stopped. The same command goes on from there.\n")


@pytest.mark.parametrize(("words", "said"), [([], "pruner: It was stopped: what was still"), (["--json"], "")])
def test_a_comparison_that_is_stopped_tells_what_was_timed_until_then(words, said, monkeypatch):
    """In JSON the object says so."""
    row = {"median_s": 2e-3, "best_s": 2e-3, "measured": 1, "note": ""}
    found = {"model": "m", "contenders": {"tuned": row}, "ratio": None, "notices": [], "stopped": True}
    monkeypatch.setattr(bundle, "compare_libraries", lambda *_, **__: found)
    done = carried_out("bench", "e2e", "m.pruner", *words)
    assert done.returncode == 3 and "m" in done.stdout and "tuned" in done.stdout
    assert done.stderr.startswith(said) and bool(done.stderr) == bool(said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_tracker_is_stopped_like_any_command(number):
    line = [sys.executable, "-c", TRACKER, "tracker", "--port", str(free_port())]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, env=environment(), text=True, **pipes) as tracker:
        try:
            assert tracker.stdout.readline().startswith("tracker at 127.0.0.1:")
            tracker.send_signal(number)
            assert (tracker.wait(), tracker.stderr.read()) == (3, SAID)
        finally:
            tracker.kill()


def test_a_board_tells_in_one_sentence_of_what_a_terminal_sends_to_all_of_its_processes():
    with tracking() as port:
        line = [sys.executable, "-m", "pruner_engine.cli", "serve", "--tracker", f"127.0.0.1:{port}", "--key", "k"]
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, start_new_session=True) as serving:
            wait_for(lambda: boards_of("127.0.0.1", port).get("k"))
            server = psutil.Process(serving.pid).children()
            os.killpg(serving.pid, signal.SIGTERM)
            assert (serving.wait(), serving.stderr.read()) == (3, SAID)
        assert server and not psutil.wait_procs(server, timeout=60)[1]


def run_of(project):
    with contextlib.suppress(UserError), ProjectReader(project) as reader:  # it may just be made
        return reader.run()
    return {"trials": 0, "state": ""}


def test_a_suspended_run_measures_nothing_until_it_goes_on(tmp_path):
    project = tmp_path / "m.pruner"
    line = ["tune", "matmul:32,32,32", "--trials", "100000", "--project", str(project), *SMALL]
    with subprocess.Popen([sys.executable, "-m", "pruner_engine.cli", *line], stderr=subprocess.DEVNULL) as run:
        try:
            wait_for(lambda: run_of(project)["trials"])
            run.send_signal(signal.SIGTSTP)
            wait_for(lambda: psutil.Process(run.pid).status() == psutil.STATUS_STOPPED)
            wait_for(lambda: run_of(project)["state"] == "paused")
            measured = run_of(project)["trials"]
            run.send_signal(signal.SIGCONT)
            wait_for(lambda: run_of(project)["trials"] > measured)
            run.send_signal(signal.SIGTERM)  # ^C is not heard where a shell runs the tests in the background
            assert run.wait() == 3
        finally:
            run.kill()
