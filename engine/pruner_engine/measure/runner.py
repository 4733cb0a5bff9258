"""Loads, times and checks kernels, one after the other; runs in a forked process that is alone on the cores."""

from __future__ import annotations

import errno
import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
import tvm
import tvm_ffi
from tvm.runtime import Tensor

from pruner_engine.measure import process, wire
from pruner_engine.measure.correctness import difference, make_array
from pruner_engine.measure.gpu import GpuClock
from pruner_engine.measure.layout import rewrite
from pruner_engine.measure.references import reference_file
from pruner_engine.measure.rpc import Board, NoBoardError
from pruner_engine.measure.stopwatch import Stopwatch
from pruner_engine.measure.timing import Yardstick, time_kernel

_REFERENCE_S = 0.3  # a slow untuned kernel is run on fewer kinds of inputs: on none after this, but the first
_COLD_CALLS = 8  # of one repeat with cold caches: emptying them takes longer than most kernels
_REST_S = 0.05  # without a kernel: the cores have built, or slept
_PLAIN_S = 0.02  # the calls that give the reference tell well enough how long an untuned kernel takes that is so slow


class Host(Protocol):
    """Where kernels run: this machine or a board."""

    def device(self, kind: str) -> Any: ...

    def load(self, job: wire.Run) -> Any:
        """The function of the job's library."""

    def yardstick(self, job: wire.Run) -> Any | None:
        """The function of the yardstick's library, where it can be called in turns with the job's."""

    def caller(self, job: wire.Run, kernel: Any, args: list[Tensor], device: Any) -> Callable[[int], float]:
        """What calls the kernel so many times and returns the seconds they took together."""


def serve(folder: str, inbox: int, outbox: int) -> None:
    """Answer `Run` messages until the pipe ends, or a kernel has made this process unfit for the next."""
    task: _Task | None = None
    host, ended = ThisMachine(), -math.inf
    while isinstance(job := wire.receive(inbox), wire.Run):
        if task is None or task.name != job.task:
            task = _Task(job, host.device(job.device), Path(folder))
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
        answer = _run(job, _Task(job, board.device(job.device), folder), board, rested=True)
    except NoBoardError as failure:
        answer = wire.Ran(id=job.id, stage="load", error=wire.NO_BOARD, message=str(failure))
    except Exception as failure:  # what a board or the network between may do to a session is the trial's result
        error, message = process.error_of(failure)
        answer = wire.Ran(id=job.id, stage="run", error=error, message=f"The board failed: {message}")
    return msgspec.structs.replace(answer, seconds=time.perf_counter() - started, spent=True)


def _run(job: wire.Run, task: _Task, host: Host, *, rested: bool) -> wire.Ran:
    stage = "load"
    try:
        kernel = host.load(job)
        stage = "run"
        if job.check == "keep" and (seconds := task.keep_reference(kernel, job.kernel)) > _PLAIN_S:
            return wire.Ran(id=job.id, repeats=[seconds], censored=False, checked=False)
        call = host.caller(job, kernel, task.timing_arguments(job.kernel), task.device)
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
        if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT):
            error = wire.NO_ROOM
        return wire.Ran(id=job.id, stage=stage, error=error, message=message)


def _yardstick(job: wire.Run, task: _Task, host: Host) -> Yardstick | None:
    function = host.yardstick(job)
    if function is None or job.yardstick is None:
        return None
    args = task.timing_arguments(job.yardstick.kernel)
    return Yardstick(host.caller(job, function, args, task.device), job.yardstick.seconds)


class ThisMachine:
    """Runs kernels in this process; `spent` once one of them has forked it."""

    def __init__(self) -> None:
        self._alone = process.Alone()
        self._module: Any = None
        self._known: tuple[str, Any] = ("", None)  # path and module of the yardstick's library
        self._clock: GpuClock | None = None

    @property
    def spent(self) -> bool:
        return self._alone.violated

    def device(self, kind: str) -> Any:
        return tvm.runtime.device(kind, 0)

    def load(self, job: wire.Run) -> Any:
        self._module = _loaded(job.kernel.library)
        return self._module["main"]

    def yardstick(self, job: wire.Run) -> Any | None:
        if job.yardstick is None or job.device != "cpu":
            return None
        path = job.yardstick.kernel.library
        if self._known[0] != path:
            if not Path(path).exists():  # removed with the processes that were replaced
                return None
            self._known = (path, _loaded(path))
        return self._known[1]["main"]

    def caller(self, job: wire.Run, kernel: Any, args: list[Tensor], device: Any) -> Callable[[int], float]:
        if job.device != "cpu":
            self._clock = self._clock or GpuClock(device)
            return self._alone.guard(self._clock.calls_of(kernel, args))
        flush = tvm.get_global_func("cache_flush_cpu_non_first_arg")

        def timed(number: int) -> tuple[float, bool]:
            watch = Stopwatch()
            for _ in range(number):
                kernel(*args)
            device.sync()
            return watch.read()

        def warm(number: int) -> float:
            seconds, stopped = timed(number)
            return timed(number)[0] if stopped else seconds

        def cold(number: int) -> float:
            calls = min(number, _COLD_CALLS)
            seconds = 0.0
            for _ in range(calls):
                flush(*args)
                seconds += warm(1)
            return seconds * number / calls

        return self._alone.guard(cold if job.cold else warm)


def _loaded(library: str) -> Any:
    """A library that goes with its last kernel: TVM keeps all that it loads, and a process may not map very many."""
    return tvm_ffi.load_module(library, keep_module_alive=False)


class _Task:
    """Inputs, buffers and reference outputs that the kernels of one task share.

    Attributes:
        failure: what the last kernel that failed raised. After an illegal access on a GPU the driver refuses to free
            memory, and TVM ends the process over it: what the failed call holds is kept until its answer is given.
    """

    def __init__(self, job: wire.Run, device: Any, folder: Path) -> None:
        self.name = job.task
        self.device = device
        self.failure: Exception | None = None
        self._args = job.args
        self._facts = job.facts
        self._folder = folder
        self._works_here = job.device == "cpu" and job.fleet is None  # for another device this thread just waits
        self._buffers: dict[int, Tensor] = {}  # by argument

    def timing_arguments(self, kernel: wire.Kernel) -> list[Tensor]:
        """Buffers for timing, shared by all kernels of the task."""
        return [self._buffer(index, tuple(arg.shape)) for index, arg in enumerate(kernel.args)]

    def _buffer(self, index: int, shape: tuple[int, ...]) -> Tensor:
        """A rewritten weight has its own shape in nearly every candidate, and any values do: one buffer is enough."""
        known = self._buffers.get(index)
        if known is None or math.prod(known.shape) < math.prod(shape):
            known = self._buffers[index] = self._put(self._values(index, shape))
        return known if tuple(known.shape) == shape else known._create_view(shape)

    def _values(self, index: int, shape: Sequence[int], kind: str = "random") -> np.ndarray:
        """What an argument may hold, in the order of a layout or another."""
        below, words = self._facts.bounds.get(index), self._facts.words.get(index, 0)
        return make_array(tuple(shape), self._args[index].dtype, index, kind, self._facts.reduction, below, words)

    def _put(self, array: np.ndarray) -> Tensor:
        return tvm.runtime.tensor(array, self.device)

    def _reference(self, kind: str) -> Path:
        return reference_file(self._folder, self.name, kind)

    @property
    def has_reference(self) -> bool:
        """Whether the untuned kernel's outputs are known."""
        return self._reference(self._facts.inputs[0]).exists()

    def keep_reference(self, kernel: Any, about: wire.Kernel) -> float:
        """Store the kernel's outputs as the reference, for fewer kinds of inputs if it takes long.

        Returns:
            Seconds of the fastest call; 0 where one tells nothing.
        """
        started, took = time.perf_counter(), list[float]()
        for kind in self._facts.inputs:
            if took and time.perf_counter() - started > _REFERENCE_S:
                break
            outputs, seconds = self._evaluate(kernel, about, kind)
            part = self._reference(kind).with_suffix(".part")  # half a reference would fail every good schedule
            part.write_bytes(b"".join(out.tobytes() for out in outputs))
            part.replace(self._reference(kind))
            took.append(seconds)
        return min(took)

    def difference(self, kernel: Any, about: wire.Kernel) -> str:
        """Empty, or a sentence about the first output that differs from the reference."""
        for kind in self._facts.inputs:
            if not self._reference(kind).exists():
                continue
            rest = memoryview(self._reference(kind).read_bytes())
            for out in self._evaluate(kernel, about, kind)[0]:
                reference = np.frombuffer(rest[: out.nbytes], out.dtype).reshape(out.shape)
                rest = rest[out.nbytes :]
                if wrong := difference(
                    out, reference, self._facts.reduction, self._facts.epsilon, rounds=self._facts.rounds
                ):
                    return f"With {kind} inputs, {wrong}"
        return ""

    def _evaluate(self, kernel: Any, about: wire.Kernel, kind: str) -> tuple[list[np.ndarray], float]:
        """Outputs for a kind of inputs, and seconds of the call, 0 if they tell nothing.

        Output buffers start with what is no result.
        """
        outputs = self._facts.outputs
        arrays = [
            self._values(index, arg.shape, "random" if index in outputs else kind)
            for index, arg in enumerate(self._args)
        ]
        for index, text in about.layouts.items():
            arrays[index] = rewrite(arrays[index], tvm.ir.load_json(text), tuple(about.args[index].shape))
        tensors = [self._put(array) for array in arrays]
        watch = Stopwatch()
        kernel(*tensors)
        self.device.sync()
        seconds, stopped = watch.read()
        return [tensors[index].numpy() for index in outputs], 0.0 if stopped and self._works_here else seconds
