"""Processes of the measurement that are killed from outside, and an engine that is."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import threading
import time
from pathlib import Path

import foul
import psutil
import pytest
from engines import context

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import pipeline
from pruner_engine.measure.workers.forked import ForkedWorker
from pruner_engine.measure.workers.launch import ZygoteProcess
from pruner_engine.measure.workers.process import failure_of, limit_cpu, limit_memory, log_tail
from schedules import CPU, random_schedule, task_of
from seeds import seeded, seeds


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:32,32,32")


@pytest.fixture(scope="module")
def inputs(task):
    mod = random_schedule(task).mod
    return [MeasureInput(str(i), mod) for i in range(6)]


def killing(measurer: Measurer, pick, stop: threading.Event, seed: int) -> threading.Thread:
    """Kill one of the processes that `pick` chooses, at a random moment."""

    def run() -> None:
        rng = random.Random(seed)
        time.sleep(rng.uniform(0, 0.5))
        zygote = psutil.Process(measurer._pipeline.pid)
        while not stop.is_set():
            with contextlib.suppress(psutil.NoSuchProcess):  # it has just been replaced: another is
                if victims := pick(zygote):
                    rng.choice(victims).kill()
                    return
            time.sleep(0.002)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_buried_child_has_no_pipe_that_could_be_taken_for_another_childs(tmp_path):
    child = ForkedWorker(lambda inbox, outbox: None, str(tmp_path), 0)
    child.close()
    os.waitpid(child.pid, 0)
    assert (child.read, child.write) == (-1, -1)


def test_an_error_of_a_forked_process_ends_it_alone_and_is_in_its_log(tmp_path):
    def body(inbox: int, outbox: int) -> None:
        raise BrokenPipeError("nobody listens")

    try:
        child = ForkedWorker(body, str(tmp_path), 0)
    except BrokenPipeError:  # in the fork, which would go on as if it were this process
        os._exit(0)
    _, status = os.waitpid(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    assert "nobody listens" in log_tail(child.log.fileno())
    child.close()


VICTIMS = {"worker": lambda zygote: zygote.children(), "zygote": lambda zygote: [zygote]}


@pytest.mark.parametrize("victim", VICTIMS)
def test_every_candidate_gets_its_result(victim, task, inputs):
    with Measurer(CPU) as measurer:
        measurer.wait_until_up()  # one that is killed as it starts is told: test_zygote_start.py
        for seed in seeds(4):
            results: list[MeasureResult] = []
            stop = threading.Event()
            thread = killing(measurer, VICTIMS[victim], stop, seed)
            measurer.measure(task, inputs[:4], best_s=None, on_result=results.append)
            stop.set()
            thread.join()
            assert sorted(result.key for result in results) == [item.key for item in inputs[:4]]
            failed = [result for result in results if not result.ok]
            # a killed worker is taken for its candidate's fault, which nobody can tell apart; a zygote is nobody's
            assert len(failed) <= (victim != "zygote"), failed
            assert all(result.error == "crash" and "signal 9" in result.message for result in failed)


def test_workers_that_are_killed_between_two_batches_cost_nothing(task, inputs):
    results: list[MeasureResult] = []
    with Measurer(CPU) as measurer:
        measurer.measure(task, inputs, best_s=None, on_result=results.append)
        idle = psutil.Process(measurer._pipeline.pid).children()
        assert len(idle) >= 2, "a builder and the runner wait for more"
        for worker in idle:
            worker.kill()
        psutil.wait_procs(idle)  # nobody can tell a worker that dies now from one that its next candidate ends
        measurer.measure(task, inputs, best_s=None, on_result=results.append)
    assert len(results) == 2 * len(inputs)
    assert all(result.ok for result in results), results


def test_a_builder_serves_several_candidates_and_is_replaced_in_time(task, inputs):
    builders: list[set[int]] = []
    with Measurer(CPU, MeasureOptions(build_workers=1)) as measurer:
        for _ in range(4):
            measurer.measure(task, inputs, best_s=None, on_result=lambda result: None)
            builders.append({process.pid for process in psutil.Process(measurer._pipeline.pid).children()})
    assert builders[0] == builders[1], "one builder for twelve candidates"
    assert len(builders[3] - builders[0]) == 1, "another one for what follows"


@seeded()
def test_a_zygote_that_hangs_is_replaced(seed, task, inputs, monkeypatch):
    monkeypatch.setattr(pipeline, "_SILENCE_S", 1.0)
    at = random.Random(seed).randrange(1, len(inputs))
    results: list[MeasureResult] = []
    with Measurer(CPU, MeasureOptions(build_timeout_s=5, run_timeout_s=5)) as measurer:
        hung = measurer._pipeline.pid

        def commit(result: MeasureResult) -> None:
            results.append(result)
            if len(results) == at:
                os.kill(hung, signal.SIGSTOP)

        measurer.measure(task, inputs, best_s=None, on_result=commit)
        assert measurer._pipeline.pid != hung
        assert not psutil.pid_exists(hung)
    assert sorted(result.key for result in results) == sorted(item.key for item in inputs)
    assert all(result.ok for result in results), results


def test_a_zygote_that_is_killed_for_ever_is_the_environments_fault(task, inputs, monkeypatch):
    monkeypatch.setattr(pipeline, "_RESTARTS", 2)
    with Measurer(CPU) as measurer:
        measurer.untuned(task)
        real = ZygoteProcess.receive
        monkeypatch.setattr(
            ZygoteProcess,
            "receive",
            lambda self, timeout: (os.kill(self.pid, signal.SIGKILL) if timeout < 1 else None, real(self, timeout))[1],
        )
        with pytest.raises(UserError, match="again and again"):
            measurer.measure(task, inputs, best_s=None, on_result=lambda result: None)


def test_a_folder_that_is_removed_costs_no_candidate(task, inputs):
    results: list[MeasureResult] = []
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        shutil.rmtree(measurer._folder)  # as what cleans the temporary folder up does
        for _ in range(2):
            with pytest.raises(UserError, match="where candidates are built, was removed"):
                measurer.measure(task, inputs, best_s=None, on_result=results.append)
    assert results == []


def test_a_worker_keeps_within_the_limit_of_its_user(monkeypatch):
    allowed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, 1 << 32))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: allowed.append(limits))
    limit_memory(1 << 40)
    assert allowed == [(1 << 32, 1 << 32)]


def test_what_computes_for_longer_than_it_may_is_ended_by_the_kernel(tmp_path):
    """With nobody to watch over it: this one's deadline is never looked at."""

    def compute(_inbox: int, _outbox: int) -> None:
        limit_cpu(0.1)  # a second, of which the kernel counts whole ones
        while True:
            pass

    worker = ForkedWorker(compute, str(tmp_path), 0)
    _, status = os.waitpid(worker.pid, 0)
    worker.close()
    assert failure_of("The build", status, "") == ("timeout", "The build computed for longer than it may.")


def measuring(make, folder) -> None:
    """An engine at work on one candidate for minutes, in a process group of its own."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    with Measurer(CPU, MeasureOptions(check="none", build_timeout_s=300, run_timeout_s=300)) as measurer:
        folder.send(str(measurer._folder))
        inputs = [MeasureInput("foul", make())]
        measurer.measure(task_of("matmul:32,32,32"), inputs, best_s=None, on_result=print)


@seeded()
@pytest.mark.parametrize("alone", [True, False])  # False: with its process group, as a shutdown or a hang-up ends it
@pytest.mark.parametrize("mode", ["building", "running"])
def test_nothing_survives_a_killed_engine(mode, alone, seed):
    rng = random.Random(seed)
    told, telling = context().Pipe(duplex=False)
    make = {"building": foul.long_build, "running": foul.hang}[mode]
    engine = context().Process(target=measuring, args=(make, telling))
    engine.start()
    folder = Path(told.recv())
    grandchildren: list[psutil.Process] = []
    while not any(folder.glob("*.so")) if mode == "running" else len(grandchildren) < 2:
        grandchildren = psutil.Process(engine.pid).children(recursive=True)
        time.sleep(0.02)
    time.sleep(rng.uniform(0, 0.1))
    grandchildren = psutil.Process(engine.pid).children(recursive=True)
    if alone:
        engine.kill()
    else:
        os.killpg(engine.pid, rng.choice([signal.SIGTERM, signal.SIGHUP]))
    engine.join()
    _, alive = psutil.wait_procs(grandchildren, timeout=10)
    assert not alive
    assert not folder.exists()
