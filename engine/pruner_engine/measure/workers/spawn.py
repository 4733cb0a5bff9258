"""The zygote's stand-in where a process with TVM loaded cannot be forked: the same messages, workers started afresh.

A worker takes seconds to start, so it serves one candidate after the other; one that crashes or hangs, has served many
or has grown is replaced. A candidate may thus be met by what an earlier one left in its process; that is the price.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from pathlib import Path
from typing import IO

from pruner_engine.measure.workers import process, wire
from pruner_engine.measure.workers.launch import process_environment
from pruner_engine.measure.workers.obituary import obituary
from pruner_engine.processes.child import module_command
from pruner_engine.processes.lifetime import die_with_parent
from pruner_engine.processes.waiting import is_readable
from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.tvm_import import import_tvm

_SERVES = 200
_START_S = 120.0

_Job = wire.Build | wire.Run


class _Worker:
    """A process that answers jobs, and its successors.

    Args:
        role: build, run or board.
    """

    def __init__(self, role: str, setup: wire.Setup) -> None:
        self._role, self._setup = role, setup
        self._log: IO[bytes] = tempfile.TemporaryFile(dir=setup.folder, buffering=0)  # noqa: SIM115  lives as long
        self._process: subprocess.Popen[bytes] | None = None
        self._lifespan: process.Lifespan | None = None

    def start(self) -> None:
        """Have a process ready; raises EOFError if it does not come up."""
        if self._process is not None:
            return
        try:
            self._lifespan = self._come_up()
        except (EOFError, OSError) as error:  # it has died at once, or the system lets no process start
            self.end()
            raise EOFError("a measurement worker did not start") from error

    def _come_up(self) -> process.Lifespan:
        self._process = subprocess.Popen(
            module_command("pruner_engine.measure.workers.spawn", self._role),
            env=process_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,
            start_new_session=True,
        )
        wire.send(self._process.stdin.fileno(), self._setup)  # type: ignore[union-attr]
        if not isinstance(self._answer(_START_S), wire.Ready):
            raise EOFError
        return process.Lifespan(self._process.pid, _SERVES)

    def carry_out(self, job: _Job, limit_s: float) -> wire.Message:
        """The worker's answer, or why there is none."""
        self.start()
        assert self._process is not None and self._process.stdin is not None
        process.empty_log(self._log)
        started = time.monotonic()
        answer: wire.Message | None = None
        timed_out = False
        try:
            wire.send(self._process.stdin.fileno(), job)
            answer = self._answer(limit_s)
            timed_out = answer is None
        except (EOFError, BrokenPipeError):
            pass  # it has died; its exit code tells how
        log = process.log_tail(self._log.fileno())
        if isinstance(answer, wire.Built | wire.Ran):
            assert self._lifespan is not None
            if answer.spent or self._lifespan.is_over():
                self.end()
            return wire.with_log(answer, log)
        code = self.end(kill=timed_out)
        status = -code if code < 0 else code << 8
        log = process.log_tail(self._log.fileno())
        return obituary(job, time.monotonic() - started, limit_s if timed_out else None, status, log)

    def _answer(self, limit_s: float) -> wire.Message | None:
        """The next message; None after `limit_s`. Raises EOFError when the process has ended."""
        assert self._process is not None and self._process.stdout is not None
        if not is_readable(self._process.stdout, limit_s):
            return None
        message = wire.receive(self._process.stdout.fileno())
        if message is None:
            raise EOFError
        return message

    def end(self, kill: bool = True) -> int:
        """End the process and all that it has started; returns its exit code."""
        worker, self._process = self._process, None
        if worker is None:
            return 0
        if not kill:
            worker.wait()
        process.kill_group(worker.pid)
        code = worker.wait()
        for stream in (worker.stdin, worker.stdout):
            assert stream is not None
            stream.close()
        return code


class Supervisor:
    """Hands jobs to workers, each in the hands of one thread."""

    def __init__(self, setup: wire.Setup, outbox: int) -> None:
        self._setup, self._outbox = setup, outbox
        self._sending = threading.Lock()
        self._builds: queue.SimpleQueue[wire.Build] = queue.SimpleQueue()
        self._runs: queue.SimpleQueue[wire.Run] = queue.SimpleQueue()
        self._workers = [_Worker("build", setup) for _ in range(setup.workers)]

    def start(self) -> None:
        """Have the builders up; the runner follows with the first run."""
        for worker in self._workers:
            worker.start()
            threading.Thread(target=self._build, args=(worker,), daemon=True).start()
        self._workers.append(_Worker("run", self._setup))
        threading.Thread(target=self._run, args=(self._workers[-1],), daemon=True).start()

    def serve(self) -> None:
        """Work until the engine closes the pipe."""
        while (message := wire.receive(0)) is not None:
            if isinstance(message, wire.Build):
                self._builds.put(message)
            elif isinstance(message, wire.Forget):
                self._forget(message.ids)
            elif isinstance(message, wire.Run) and message.fleet is None:
                self._runs.put(message)
            elif isinstance(message, wire.Run):
                threading.Thread(target=self._board, args=(message,), daemon=True).start()

    def _forget(self, ids: Collection[int]) -> None:
        kept = []
        with contextlib.suppress(queue.Empty):
            while True:
                build = self._builds.get_nowait()
                if build.id in ids:
                    self._tell(wire.Built(id=build.id, error=wire.LEFT_OUT))
                else:
                    kept.append(build)
        for build in kept:
            self._builds.put(build)

    def stop(self) -> None:
        """End every worker."""
        for worker in self._workers:
            worker.end()

    def _build(self, worker: _Worker) -> None:
        while True:
            self._answer(worker, self._builds.get(), self._setup.build_timeout_s)

    def _run(self, worker: _Worker) -> None:
        while True:
            job = self._runs.get()
            self._answer(worker, job, job.timeout_s)

    def _board(self, job: wire.Run) -> None:
        worker = _Worker("board", self._setup)
        self._workers.append(worker)
        self._answer(worker, job, job.limit_s)
        self._workers.remove(worker)

    def _answer(self, worker: _Worker, job: _Job, limit_s: float) -> None:
        try:
            answer = worker.carry_out(job, limit_s)
        except EOFError:
            os._exit(1)  # workers do not start any more: the engine says so
        self._tell(answer)

    def _tell(self, answer: wire.Message) -> None:
        with self._sending:
            wire.send(self._outbox, answer)


def _work(role: str, setup: wire.Setup, outbox: int) -> None:
    """The life of a worker."""
    import pruner_engine.measure.building.build
    import pruner_engine.measure.running.runner

    process.stay_on(setup.builder_cores if role == "build" else setup.runner_cores)
    process.leave_no_core()
    if role != "board" and not setup.cuda:  # a GPU driver reserves far more address space than it uses
        process.limit_memory(setup.memory_bytes)
    if role == "build":
        process.step_aside()
        process.see_no_gpu()
    wire.send(outbox, wire.Ready())
    if role == "build":
        while isinstance(job := wire.receive(0), wire.Build):
            process.limit_cpu(setup.build_timeout_s)
            wire.send(outbox, pruner_engine.measure.building.build.build(job))
    elif role == "run":
        pruner_engine.measure.running.runner.serve(setup.folder, 0, outbox)
    else:
        pruner_engine.measure.running.runner.serve_board(setup.folder, 0, outbox)


def main(role: str) -> None:
    """Entry point of the supervisor and its workers: protocol on stdin and stdout, nothing else is written there."""
    parent = os.getppid()
    setup, outbox = process.begin()
    if role != "supervise":
        die_with_parent(parent)
        process.use_threads(setup.threads)
        import_tvm()
        if setup.cuda:
            use_cuda_compiler()
        _work(role, setup, outbox)
        return
    supervisor = Supervisor(setup, outbox)
    try:
        supervisor.start()
        wire.send(outbox, wire.Ready())
        supervisor.serve()
    except BrokenPipeError:
        pass  # the engine died while it was told something
    finally:
        supervisor.stop()
    shutil.rmtree(Path(setup.folder), ignore_errors=True)  # the engine may have been killed


if __name__ == "__main__":
    main(sys.argv[1])
