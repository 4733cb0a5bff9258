"""Measurement through TVM's tracker and servers, and boards that fail in the middle."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
from typing import Literal

import foul
import psutil
import pytest
from tvm.target import codegen

from fleets import board, free_port, own_board, own_tracker, tracking, tvm_board, wait_for
from pruner_engine.errors import UserError
from pruner_engine.jobs.commands import tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.measure.boards.asking import ask_board
from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import pipeline
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.protocol import Tune
from pruner_engine.search.control import Control
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.cpu import detect_host
from schedules import CPU, random_schedule, task_of
from seeds import seeded

pytestmark = pytest.mark.usefixtures("one_measurement_process")  # it is the boards that fail


@pytest.fixture(scope="module")
def tracker():
    with tracking() as port:
        yield port


@pytest.fixture(scope="module")
def twin(tracker):
    """A board that serves one test after the other."""
    with own_board(tracker, "twin"):
        wait_for(lambda: "twin" in boards_of("127.0.0.1", tracker))
        yield "twin"


def fleet_measurer(port: int, key: str, check: Literal["all", "none"] = "none") -> Measurer:
    return Measurer(CPU, MeasureOptions(check=check, run_timeout_s=5), fleet=Fleet("127.0.0.1", port, key))


def measured(measurer: Measurer, task, mods: dict) -> dict[str, MeasureResult]:
    results: dict[str, MeasureResult] = {}
    inputs = [MeasureInput(key, mod) for key, mod in mods.items()]
    measurer.measure(task, inputs, best_s=None, on_result=lambda result: results.update({result.key: result}))
    return results


def test_two_boards_measure_and_foul_candidates_cost_themselves(tracker):
    task = task_of("matmul:32,32,32")
    good = random_schedule(task).mod
    with board(tracker, "pair"), tvm_board(tracker, "pair"):
        wait_for(lambda: len(boards_of("127.0.0.1", tracker).get("pair", [])) == 2)
        with fleet_measurer(tracker, "pair", check="all") as measurer:
            assert measurer.untuned(task).ok
            mods = {f"good{i}": good for i in range(4)} | {"segfault": foul.segfault(), "wrong": foul.wrong()}
            results = measured(measurer, task, mods)
    assert {key for key, result in results.items() if result.ok} == {f"good{i}" for i in range(4)}, results
    assert all(results[f"good{i}"].checked for i in range(4))
    assert results["wrong"].error == "wrong", results
    assert results["segfault"].error == "crash" and "instructions" in results["segfault"].message


def test_a_board_keeps_nothing_of_a_candidate_that_crashed(tracker, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # of the board

    def registered() -> bool:
        return "tidy" in boards_of("127.0.0.1", tracker)

    with own_board(tracker, "tidy"):
        wait_for(registered)
        (first,) = tmp_path.iterdir()
        with fleet_measurer(tracker, "tidy") as measurer:
            results = measured(measurer, task_of("matmul:32,32,32"), {"segfault": foul.segfault()})
        assert not results["segfault"].ok
        wait_for(lambda: not first.exists())
        wait_for(registered)
        (second,) = tmp_path.iterdir()
        assert second != first


def test_latencies_of_boards_are_never_taken_for_this_machines(tracker, twin, tmp_path):
    """A board with the very processor of this machine: only the run's settings tell that it is elsewhere."""
    project = tmp_path / "p.pruner"
    for settings in ({"rpc": f"127.0.0.1:{tracker}", "rpc_key": twin}, {}):
        command = Tune(
            project=str(project),
            model="matmul:32,32,32",
            trials=4,
            strategy="random",
            settings={"check": "none", "repeats": 1, **settings},
        )
        tune.start(command, JobContext(lambda _: None, Control(), ""))
    with ProjectReader(project) as reader:
        there, here = reader.runs()
        assert there["device"] == "boards of twin" and here["device"] == detect_host().name
        assert f'"twin" is {detect_host().arch} ' in " ".join(event["text"] for event in reader.events(1))
        assert [row["trials"] for run in (1, 2) for row in reader.tasks(run)] == [4, 4]
        assert not {task["id"] for task in reader.tasks(1)} & {task["id"] for task in reader.tasks(2)}
        assert reader.baselines(1) == [] and {"torch"} <= {row["name"] for row in reader.baselines(2)}
        kept = {row["key"] for row in reader.rows("SELECT key FROM meta")}
        assert "yardstick 2 network" in kept and "yardstick 1 network" not in kept, "boards take no turns"


@seeded()
def test_a_board_that_restarts_costs_at_most_its_trial(seed, tracker):
    task, key, rng = task_of("matmul:32,32,32"), f"single{seed}", random.Random(seed)
    good = random_schedule(task).mod
    at, results = rng.randrange(1, 6), dict[str, MeasureResult]()
    with contextlib.ExitStack() as boards:
        first = boards.enter_context(board(tracker, key))

        def restart() -> None:
            os.killpg(first.pid, signal.SIGKILL)
            boards.enter_context(board(tracker, key))

        def commit(result: MeasureResult) -> None:
            results[result.key] = result
            if len(results) == at:
                restarting.start()

        restarting = threading.Timer(rng.uniform(0, 0.3), restart)
        wait_for(lambda: key in boards_of("127.0.0.1", tracker))
        with fleet_measurer(tracker, key) as measurer:
            inputs = [MeasureInput(str(i), good) for i in range(6)]
            measurer.measure(task, inputs, best_s=None, on_result=commit)
        restarting.join()
    assert len(results) == 6
    assert sum(result.ok for result in results.values()) >= 5, results


@seeded()
def test_a_tracker_that_restarts_costs_no_candidate(seed):
    task, port, rng = task_of("matmul:32,32,32"), free_port(), random.Random(seed)
    good = random_schedule(task).mod
    at, results, left = rng.randrange(1, 6), dict[str, MeasureResult](), list[object]()
    with contextlib.ExitStack() as processes:
        first = processes.enter_context(own_tracker(port))

        def restart() -> None:
            first.kill()
            first.wait()
            with contextlib.suppress(UserError):
                left.append(boards_of("127.0.0.1", port))
            processes.enter_context(own_tracker(port))

        def commit(result: MeasureResult) -> None:
            results[result.key] = result
            if len(results) == at:
                restarting.start()

        restarting = threading.Timer(rng.uniform(0, 0.3), restart)
        wait_for(lambda: boards_of("127.0.0.1", port) is not None)
        processes.enter_context(own_board(port, "kept"))
        wait_for(lambda: "kept" in boards_of("127.0.0.1", port))
        with fleet_measurer(port, "kept") as measurer:
            inputs = [MeasureInput(str(i), good) for i in range(6)]
            measurer.measure(task, inputs, best_s=None, on_result=commit)
        restarting.join()
        wait_for(lambda: "kept" in boards_of("127.0.0.1", port))
    assert not left, "nothing that a tracker has started keeps its port"
    assert len(results) == 6 and all(result.ok for result in results.values()), results


def test_a_board_that_joins_takes_part_in_the_next_batch(tracker):
    task = task_of("matmul:32,32,32")
    with board(tracker, "grows"):
        wait_for(lambda: "grows" in boards_of("127.0.0.1", tracker))
        fleet = Fleet("127.0.0.1", tracker, "grows")
        with Measurer(CPU, MeasureOptions(build_workers=1, check="none", run_timeout_s=3), fleet=fleet) as measurer:
            # built one after the other: as long as one hangs, the other gets no board
            foul_and_good = {"hang": foul.hang(), "good": random_schedule(task).mod}
            alone = list(measured(measurer, task, foul_and_good))
            with board(tracker, "grows"):
                wait_for(lambda: len(boards_of("127.0.0.1", tracker)["grows"]) == 2)
                both = list(measured(measurer, task, foul_and_good))
    assert (alone, both) == (["hang", "good"], ["good", "hang"])


def test_a_board_whose_session_crashes_is_started_again(tracker):
    """TVM's own server would stay registered and serve no more."""
    task = task_of("matmul:32,32,32")
    good = random_schedule(task).mod
    with own_board(tracker, "mended"):
        wait_for(lambda: "mended" in boards_of("127.0.0.1", tracker))
        with fleet_measurer(tracker, "mended") as measurer:
            results = measured(measurer, task, {"segfault": foul.segfault(), "after": good, "later": good})
    assert not results["segfault"].ok
    assert results["after"].ok and results["later"].ok, results


def test_a_board_says_that_its_tracker_does_not_answer():
    command = [sys.executable, "-m", "pruner_engine.cli", "serve", "--tracker", "127.0.0.1:1", "--key", "early"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as waiting:
        assert "tracker at 127.0.0.1:1 does not answer" in waiting.stderr.readline()
        assert waiting.poll() is None
        waiting.kill()


def test_a_board_that_hangs_is_passed_over_and_no_candidate_pays(tracker):
    task = task_of("matmul:32,32,32")
    good = random_schedule(task).mod
    with board(tracker, "slow") as hanging, board(tracker, "slow"):
        wait_for(lambda: len(boards_of("127.0.0.1", tracker).get("slow", [])) == 2)
        os.killpg(hanging.pid, signal.SIGSTOP)
        with fleet_measurer(tracker, "slow") as measurer:
            results = measured(measurer, task, {str(i): good for i in range(4)})
        assert len(boards_of("127.0.0.1", tracker)["slow"]) == 2, "the tracker notices nothing"
    assert all(result.ok for result in results.values()), results


def test_a_fleet_that_is_gone_for_good_is_said(tracker, monkeypatch):
    task = task_of("matmul:32,32,32")
    monkeypatch.setattr(pipeline, "_BOARDLESS", 0)
    with board(tracker, "gone"):
        wait_for(lambda: "gone" in boards_of("127.0.0.1", tracker))
        measurer = Measurer(CPU, MeasureOptions(check="none"), fleet=Fleet("127.0.0.1", tracker, "gone", wait_s=3.0))
    with measurer, pytest.raises(UserError, match='No board "gone"'):
        measured(measurer, task, {"a": random_schedule(task).mod})


def test_that_a_board_is_waited_for_is_told_once(tracker):
    task, told = task_of("matmul:32,32,32"), list[str]()
    with contextlib.ExitStack() as boards:
        with board(tracker, "late"):
            wait_for(lambda: "late" in boards_of("127.0.0.1", tracker))
            fleet = Fleet("127.0.0.1", tracker, "late", wait_s=1.0)
            measurer = boards.enter_context(Measurer(CPU, MeasureOptions(check="none"), fleet=fleet))

        def start_again(reason: str) -> None:
            told.append(reason)
            boards.enter_context(board(tracker, "late"))
            wait_for(lambda: "late" in boards_of("127.0.0.1", tracker))

        measurer.tell_boardless(start_again)
        results = measured(measurer, task, {"a": random_schedule(task).mod})
    assert results["a"].ok
    assert len(told) == 1 and 'No board "late"' in told[0]


def test_a_board_says_what_it_is(tracker, twin):
    fleet = Fleet("127.0.0.1", tracker, twin)
    told, again, here = ask_board(fleet), ask_board(fleet), detect_host()
    assert told == again, "a board that was asked goes on serving"
    assert (told.arch, told.mcpu) == (here.arch, codegen.llvm_get_system_cpu())
    assert {cache.bytes for cache in told.caches} <= {cache.bytes for cache in here.caches} and told.cores >= 1


def test_kernels_that_a_board_cannot_run_are_refused_before_a_run_begins(tracker, twin, tmp_path):
    project = tmp_path / "p.pruner"
    other = "sapphire-rapids" if detect_host().arch == "aarch64" else "graviton3"
    settings = {"rpc": f"127.0.0.1:{tracker}", "rpc_key": twin}
    command = Tune(project=str(project), model="matmul:32,32,32", target=other, trials=4, settings=settings)
    with pytest.raises(UserError, match=f'cannot run on the board "{twin}"'):
        tune.start(command, JobContext(lambda _: None, Control(), ""))
    assert not project.exists()


def test_a_board_that_does_not_answer_a_question_is_said(tracker):
    with own_board(tracker, "mute") as hanging:
        wait_for(lambda: "mute" in boards_of("127.0.0.1", tracker))
        for process in [psutil.Process(hanging.pid), *psutil.Process(hanging.pid).children(recursive=True)]:
            process.suspend()
        with pytest.raises(UserError, match='"mute" could not be asked what it is'):
            ask_board(Fleet("127.0.0.1", tracker, "mute", wait_s=3.0))


def test_what_is_not_there_is_said():
    port = free_port()
    with pytest.raises(UserError, match="No tracker answers"):
        Measurer(CPU, fleet=Fleet("127.0.0.1", port, "none"))


def test_a_tracker_without_such_a_board_is_said(tracker, twin):
    with pytest.raises(UserError, match="has no board") as told:
        Measurer(CPU, fleet=Fleet("127.0.0.1", tracker, "nothing"))
    assert "pruner serve" in told.value.hint and twin in told.value.hint
