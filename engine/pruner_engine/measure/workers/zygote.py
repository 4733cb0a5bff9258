"""The zygote: a small process with TVM loaded that forks builders and the runner, watches over them and ends them.

Forking costs milliseconds where a fresh process costs seconds. The zygote itself runs no foreign code, so whatever a
candidate does, to its builder or to the runner, it does to that process only.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import shutil
import signal
from collections import deque
from collections.abc import Callable, Collection

from pruner_engine.measure.workers import process, wire
from pruner_engine.measure.workers.forked import ForkedWorker
from pruner_engine.measure.workers.obituary import obituary
from pruner_engine.measure.workers.working_clock import WorkingClock
from pruner_engine.processes.lifetime import adopt_orphans
from pruner_engine.processes.loading import loading
from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.tvm_import import import_tvm

_INBOX = 0  # stdin


class Zygote:
    """Forks and supervises; see `main`."""

    def __init__(self, setup: wire.Setup, outbox: int) -> None:
        self._setup, self._outbox = setup, outbox
        self._messages = wire.Inbox()
        self._builds: deque[wire.Build] = deque()
        self._children: dict[int, ForkedWorker] = {}
        self._runner: ForkedWorker | None = None
        self._idle: list[ForkedWorker] = []  # builders
        self._selector = selectors.DefaultSelector()
        self._selector.register(_INBOX, selectors.EVENT_READ)
        self._wakeup = self._watch_children()
        self._clock = WorkingClock()

    def _watch_children(self) -> int:
        read, write = os.pipe()
        os.set_blocking(read, False)
        os.set_blocking(write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        self._selector.register(read, selectors.EVENT_READ)
        return read

    def serve(self) -> None:
        """Work until the engine closes the pipe."""
        while True:
            self._end_overdue()
            for key, _ in self._selector.select(self._patience()):
                if key.fd == _INBOX:
                    data = os.read(_INBOX, 1 << 20)
                    if not data:
                        return
                    for message in self._messages.feed(data):
                        self._take(message)
                elif key.fd == self._wakeup:
                    with contextlib.suppress(BlockingIOError):  # an earlier read took the bytes of several signals
                        os.read(self._wakeup, 1 << 16)
                    self._reap()
                elif isinstance(key.data, ForkedWorker) and key.data.read >= 0:
                    self._hear(key.data)

    def stop(self) -> None:
        """End every child and what it has started: nothing is written any more."""
        for child in self._children.values():
            process.kill_group(child.pid)
        for child in self._children.values():
            with contextlib.suppress(ChildProcessError):  # none of its group is left
                while True:
                    os.waitpid(-child.pid, 0)

    def remove_folder(self) -> None:
        """Remove what the children have written."""
        shutil.rmtree(self._setup.folder, ignore_errors=True)

    def _release(self) -> None:
        self.stop()
        self.remove_folder()
        for child in self._children.values():
            if child.read in self._selector.get_map():
                self._selector.unregister(child.read)
            child.close()
        self._children.clear()
        self._builds.clear()
        self._idle.clear()
        self._runner = None

    def _patience(self) -> float:
        ends = [child.deadline for child in self._children.values() if child.job is not None and not child.timed_out]
        return max(0.0, min([1.0, *(end - self._clock.look() for end in ends)]))

    def _take(self, message: wire.Message) -> None:
        if isinstance(message, wire.Build):
            self._builds.append(message)
            self._fill()
        elif isinstance(message, wire.Forget):
            self._forget(message.ids)
        elif isinstance(message, wire.Run):
            self._run(message)
        elif isinstance(message, wire.Release):
            self._release()
            wire.send(self._outbox, wire.Ready())
        elif isinstance(message, wire.Setup):
            self._setup = message
            wire.send(self._outbox, wire.Ready())

    def _forget(self, ids: Collection[int]) -> None:
        for build in [build for build in self._builds if build.id in ids]:
            self._builds.remove(build)
            wire.send(self._outbox, wire.Built(id=build.id, error=wire.LEFT_OUT))

    def _fill(self) -> None:
        building = sum(isinstance(child.job, wire.Build) for child in self._children.values())
        while self._builds and building < self._setup.workers:
            builder = self._idle.pop() if self._idle else self._fork(self._serve_builder)
            builder.start(self._builds.popleft(), self._clock.look(), self._setup.build_timeout_s)
            building += 1

    def _run(self, job: wire.Run) -> None:
        if job.fleet is not None:
            self._fork(self._serve_board, limited=False).start(job, self._clock.look(), job.limit_s)
            return
        if self._runner is None:
            self._runner = self._fork(self._serve_runner, limited=job.device == "cpu")
        self._runner.start(job, self._clock.look(), job.timeout_s)

    def _serve_builder(self, inbox: int, outbox: int) -> None:
        from pruner_engine.measure.building.build import serve

        process.stay_on(self._setup.builder_cores)
        process.step_aside()
        process.see_no_gpu()
        serve(inbox, outbox, self._setup.build_timeout_s)

    def _serve_runner(self, inbox: int, outbox: int) -> None:
        process.stay_on(self._setup.runner_cores)
        process.use_threads(self._setup.threads)
        from pruner_engine.measure.running.runner import serve

        serve(self._setup.folder, inbox, outbox)

    def _serve_board(self, inbox: int, outbox: int) -> None:
        from pruner_engine.measure.running.runner import serve_board

        serve_board(self._setup.folder, inbox, outbox)

    def _fork(self, body: Callable[[int, int], None], limited: bool = True) -> ForkedWorker:
        # a GPU driver reserves far more address space than it uses
        child = ForkedWorker(body, self._setup.folder, self._setup.memory_bytes if limited else 0)
        self._children[child.pid] = child
        self._selector.register(child.read, selectors.EVENT_READ, child)
        return child

    def _hear(self, child: ForkedWorker) -> None:
        data = os.read(child.read, 1 << 20)
        if not data:  # closed its end: the signal of its death follows, or its deadline
            self._selector.unregister(child.read)
            return
        try:
            messages = child.inbox.feed(data)
        except ValueError:  # no message of ours: it ends, and its end is the answer
            self._selector.unregister(child.read)
            process.kill_group(child.pid)
            return
        for message in messages:
            self._answer(child, message)

    def _answer(self, child: ForkedWorker, message: wire.Message) -> None:
        assert isinstance(message, wire.Built | wire.Ran)
        if child.job is None or child.job.id != message.id:
            return
        child.job = None
        log = process.log_tail(child.log.fileno())
        wire.send(self._outbox, wire.with_log(message, log))
        # one that was ended, or has died, after its last words takes no other job: that would be told to have failed
        if message.spent or child.timed_out or child.pid not in self._children:
            process.kill_group(child.pid)  # whatever it has left running goes too
            if child is self._runner:
                self._runner = None
        elif isinstance(message, wire.Built):
            self._idle.append(child)
        self._fill()

    def _end_overdue(self) -> None:
        now = self._clock.look()
        for child in self._children.values():
            if child.job is not None and not child.timed_out and child.deadline <= now:
                child.timed_out = True
                process.kill_group(child.pid)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if child := self._children.pop(pid, None):
                self._bury(child, status)

    def _bury(self, child: ForkedWorker, status: int) -> None:
        process.kill_group(child.pid)
        if child.read in self._selector.get_map():
            os.set_blocking(child.read, False)
            with contextlib.suppress(BlockingIOError):  # it said nothing
                self._hear(child)  # what it said just before
        if child.read in self._selector.get_map():
            self._selector.unregister(child.read)
        if child is self._runner:
            self._runner = None
        if child in self._idle:
            self._idle.remove(child)
        if child.job is not None:
            seconds = self._clock.look() - child.started
            limit_s = child.deadline - child.started if child.timed_out else None
            log = process.log_tail(child.log.fileno())
            wire.send(self._outbox, obituary(child.job, seconds, limit_s, status, log))
        child.close()
        self._fill()


def main() -> None:
    """Entry point of the process: protocol on stdin and stdout, nothing else is written there."""
    setup, outbox = process.begin()
    adopt_orphans()
    with loading():  # once, here, for all forks
        import_tvm()
        if setup.cuda:
            use_cuda_compiler()
        import pruner_engine.measure.building.build
        import pruner_engine.measure.running.runner  # noqa: F401

        gc.freeze()  # a fork that looks for garbage among it would copy it

    zygote = Zygote(setup, outbox)
    try:
        wire.send(outbox, wire.Ready())
        zygote.serve()
    except BrokenPipeError:
        pass  # the engine died while it was told something
    finally:
        zygote.stop()
    zygote.remove_folder()  # the engine may have been killed


if __name__ == "__main__":
    main()
