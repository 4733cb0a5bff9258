"""Loads, times and checks kernels, one after the other; runs in a forked process that is alone on the cores."""

from __future__ import annotations

import gc
import math
import statistics
import time
from pathlib import Path

import msgspec

from pruner_engine.measure.boards.rpc import Board, NoBoardError
from pruner_engine.measure.running.host import Host, ThisMachine
from pruner_engine.measure.running.task_buffers import TaskBuffers
from pruner_engine.measure.running.timing import Yardstick, time_kernel
from pruner_engine.measure.running.timing_arguments import Arena
from pruner_engine.measure.workers import process, wire

_REST_S = 0.05  # without a kernel: the cores have built, or slept
_OF_LIMIT = 0.1  # that a call of a yardstick may take: several come beside each kernel, and a run is ended at its limit
_BROKEN_OFF = "code=kShutdown"  # what TVM says of a session whose other end is gone
_CRASHED = (
    "The board's server ended: the kernel crashed there, or has instructions that the board's processor lacks, or the"
    " board went off."
)
_PLAIN_S = 0.02  # the calls that give the reference tell well enough how long an untuned kernel takes that is so slow


def serve(folder: str, inbox: int, outbox: int) -> None:
    """Answer `Run` messages until the pipe ends, or a kernel has made this process unfit for the next."""
    task: TaskBuffers | None = None
    host, arena, ended = ThisMachine(), Arena(), -math.inf
    while isinstance(job := wire.receive(inbox), wire.Run):
        if task is None or task.name != job.task:
            arena.clear()
            task = TaskBuffers(job, host.device(job.device), Path(folder), arena)
        started = time.perf_counter()
        answer = _run(job, task, host, rested=started - ended > _REST_S)
        ended = time.perf_counter()
        # an illegal access of a kernel is an error of every later call of the driver in this process
        spent = host.spent or answer.error == "memory" or (job.device != "cpu" and answer.error == "error")
        wire.send(outbox, msgspec.structs.replace(answer, seconds=ended - started, spent=spent))
        if spent:
            return


def serve_board(folder: str, inbox: int, outbox: int) -> None:
    """Answer one `Run` message with the help of a board."""
    job = wire.receive(inbox)
    assert isinstance(job, wire.Run)
    answer = _run_on_board(job, Path(folder))
    # TVM's server takes a connection that just breaks off for its own failure and serves no more: close it properly
    gc.collect()
    wire.send(outbox, answer)


def _run_on_board(job: wire.Run, folder: Path) -> wire.Ran:
    assert job.fleet is not None
    started = time.perf_counter()
    try:
        board = Board(job.fleet, job.timeout_s)
        started = time.perf_counter()
        answer = _run(job, TaskBuffers(job, board.device(job.device), folder), board, rested=True)
        if answer.error == wire.NO_ROOM:  # its own, as if it were not there
            raise NoBoardError(f"A board's disk is full: {answer.message}")
        if _BROKEN_OFF in answer.message:
            answer = msgspec.structs.replace(answer, error="crash", message=_CRASHED)
    except NoBoardError as failure:
        answer = wire.Ran(id=job.id, stage="load", error=wire.NO_BOARD, message=str(failure))
    except Exception as failure:  # what a board or the network between may do to a session is the trial's result
        error, message = process.error_of(failure)
        answer = wire.Ran(id=job.id, stage="run", error=error, message=f"The board failed: {message}")
    return msgspec.structs.replace(answer, seconds=time.perf_counter() - started, spent=True)


def _run(job: wire.Run, task: TaskBuffers, host: Host, *, rested: bool) -> wire.Ran:
    stage = "load"
    try:
        kernel = host.load(job)
        stage = "run"
        if job.check == "keep" and (seconds := task.keep_reference(kernel, job.kernel)) > _PLAIN_S:
            return wire.Ran(id=job.id, repeats=[seconds], censored=False, checked=False)
        call = host.caller(job, kernel, task.timing.of(job.kernel), task.device)
        yardstick = _yardstick(job, task, host)
        repeats, censored = time_kernel(call, job.best_s, job.repeats, yardstick, rested=rested, settle=job.settle)
        if not all(0 < second < math.inf for second in repeats):
            raise ValueError(f"A call is said to have taken {repeats} s.")
        best = not censored and (job.best_s is None or statistics.median(repeats) < job.best_s)
        stage, checked = "check", False
        if task.has_reference and (job.check == "all" or (job.check == "best" and best)):
            checked = True
            if wrong := task.difference(kernel, job.kernel):
                return wire.Ran(id=job.id, stage=stage, error="wrong", message=wrong, checked=True)
        pace = yardstick.fastest_s / yardstick.seconds if yardstick and yardstick.fastest_s < math.inf else 0.0
        return wire.Ran(id=job.id, repeats=repeats, censored=censored, checked=checked, pace=pace)
    except Exception as failure:  # a kernel's own refusal is the trial's result
        if job.device != "cpu":
            task.failure = failure
        error, message = process.error_of(failure)
        return wire.Ran(id=job.id, stage=stage, error=error, message=message)


def _yardstick(job: wire.Run, task: TaskBuffers, host: Host) -> Yardstick | None:
    if job.yardstick is None or job.yardstick.seconds > _OF_LIMIT * job.timeout_s:
        return None  # a task's first good kernel may be very slow: the next is far faster, and takes its place
    if (function := host.yardstick(job)) is None:
        return None
    arguments = task.timing.of(job.yardstick.kernel)
    return Yardstick(host.caller(job, function, arguments, task.device), job.yardstick.seconds)
