"""Takes candidates through builders and runners, several at a time, and goes on when one of the processes dies."""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import tvm

from pruner_engine.errors import UserError
from pruner_engine.measure import wire
from pruner_engine.measure.launch import START, StartMethod, ZygoteProcess
from pruner_engine.measure.types import MeasureInput

_POLL_S = 0.1
_ROOM = 1 << 20  # bytes on the disk that a build needs
_SILENCE_S = 60.0  # of the zygote, after the limit of what is under way
_BOARDLESS = 5  # waits for a board in vain, for each run at a time
_RESTARTS = 5  # of the zygote without a single result in between

Outcome = tuple[str, wire.Built, wire.Ran | None]


class _Batch:
    """The candidates of a batch by the stage that they are in.

    Attributes:
        waiting: not built yet.
        building, running: under way, by the id of the message.
        ready: built, by key.
        limit_s: the longest that anything of it may take.
    """

    def __init__(self, inputs: Sequence[MeasureInput], built: Mapping[str, wire.Built], limit_s: float) -> None:
        self._order = {item.key: position for position, item in enumerate(inputs)}
        self.waiting, self.building = deque(inputs), dict[int, MeasureInput]()
        self.ready, self.running = dict(built), dict[int, tuple[str, wire.Built]]()
        self.limit_s = limit_s

    @property
    def is_done(self) -> bool:
        return not (self.waiting or self.building or self.ready or self.running)

    def next_ready(self) -> tuple[str, wire.Built]:
        """Take out the first of what is built, in the order of the inputs."""
        key = min(self.ready, key=lambda k: self._order.get(k, 0))
        return key, self.ready.pop(key)

    def leave_out_waiting(self) -> None:
        """Forget whatever is not under way."""
        self.waiting.clear()
        while self.ready:
            discard(self.ready.popitem()[1])

    def begin_again(self) -> None:
        """Put back what was under way, since the process that worked on it is gone."""
        self.waiting.extendleft(reversed(self.building.values()))
        self.ready.update(self.running.values())
        self.building.clear()
        self.running.clear()


class Pipeline:
    """The zygote, what is under way in it, and its replacement when something from outside ends it.

    Where runs have cores (or boards) of their own, builds go on beside them. Else all builds of a batch come first and
    then its runs: a build beside a run would spoil its times, and pausing builders around every run gains nothing,
    since both need the same cores.

    Args:
        setup: for the zygote.
        target: JSON of the TVM target.
        suffix: of the libraries: ".so" for this machine, ".tar" for one that links by itself.
        slots: runs at a time; may be changed between batches.
        overlap: whether builds may go on beside runs.
        start: how the measurement processes come to be: forked from a zygote, or each started afresh.

    Raises:
        UserError: the zygote cannot be started, or is ended again and again.
    """

    def __init__(
        self, setup: wire.Setup, target: str, *, suffix: str, slots: int, overlap: bool, start: StartMethod = START
    ) -> None:
        self._setup, self._target, self._suffix = setup, target, suffix
        self.slots, self._overlap = slots, overlap
        self._last_id = self._restarts = self._boardless = 0
        self._silent_s = 0.0
        self._start: StartMethod = start
        self._zygote = ZygoteProcess(setup, start)

    @property
    def pid(self) -> int:
        """Process id of the zygote."""
        return self._zygote.pid

    def close(self) -> None:
        """End all processes."""
        self._zygote.close()

    def work(
        self,
        inputs: Sequence[MeasureInput],
        run_of: Callable[[int, str, wire.Kernel], wire.Run] | None,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        untuned: bool = False,
        built: Mapping[str, wire.Built] | None = None,
    ) -> Iterator[Outcome]:
        """Build and run; yields key, build and run (None if there was none) of each as soon as it is known.

        Args:
            inputs: what to build; runs keep this order as far as builds allow.
            run_of: makes the run message of an id, a key and its kernel when the run is due; None to build only.
            should_stop: True leaves out what has not been started.
            untuned: the inputs have no schedule.
            built: further kernels to run, by key.
        """
        batch = _Batch(inputs, built or {}, self._setup.build_timeout_s)
        self._silent_s = 0.0
        while not batch.is_done:
            if should_stop():
                batch.leave_out_waiting()
            try:
                self._send_builds(batch, untuned)
                self._send_runs(batch, run_of)
                message = self._listen(batch.limit_s)
            except (EOFError, BrokenPipeError):
                self._restart()
                batch.begin_again()
                continue
            if isinstance(message, wire.Built) and message.id in batch.building:
                key = batch.building.pop(message.id).key
                self._refuse_surroundings(message)
                if message.kernel is None or run_of is None:
                    self._restarts = 0
                    yield key, message, None
                else:
                    batch.ready[key] = message
            elif isinstance(message, wire.Ran) and message.id in batch.running and message.error == wire.NO_BOARD:
                self._without_board(message.message)
                batch.ready.update([batch.running.pop(message.id)])
            elif isinstance(message, wire.Ran) and message.id in batch.running:
                self._refuse_surroundings(message)
                self._restarts = self._boardless = 0
                yield *batch.running.pop(message.id), message

    def _send_builds(self, batch: _Batch, untuned: bool) -> None:
        # one more than there are workers, so that none waits for its next module
        while batch.waiting and len(batch.building) <= self._setup.workers:
            job = self._new_id()
            batch.building[job] = batch.waiting.popleft()
            self._zygote.send(self._build_message(job, batch.building[job].mod, untuned))

    def _send_runs(self, batch: _Batch, run_of: Callable[[int, str, wire.Kernel], wire.Run] | None) -> None:
        while batch.ready and len(batch.running) < self.slots and (self._overlap or not batch.building):
            job = self._new_id()
            key, built = batch.running[job] = batch.next_ready()
            assert built.kernel is not None and run_of is not None
            run = run_of(job, key, built.kernel)
            batch.limit_s = max(batch.limit_s, run.limit_s)
            self._zygote.send(run)

    def _build_message(self, job: int, mod: tvm.IRModule, untuned: bool) -> wire.Build:
        library = str(Path(self._setup.folder, f"{job}{self._suffix}"))
        text = str(tvm.ir.save_json(mod))
        return wire.Build(id=job, mod=text, target=self._target, library=library, untuned=untuned)

    def _new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _listen(self, limit_s: float) -> wire.Message | None:
        """The next message, if it comes soon; raises EOFError when the zygote is gone, or silent for too long."""
        message = self._zygote.receive(_POLL_S)
        self._silent_s = 0.0 if message is not None else self._silent_s + _POLL_S
        if self._silent_s > limit_s + _SILENCE_S:  # it would have ended whatever took so long, and said so
            raise EOFError("the measurement process is silent")
        return message

    def _refuse_surroundings(self, answer: wire.Built | wire.Ran) -> None:
        """What fails where nothing can be written is not the candidate's fault."""
        if answer.error:
            self._refuse_lost_folder()
        failed = isinstance(answer, wire.Built) and answer.kernel is None
        no_room = failed and shutil.disk_usage(self._setup.folder).free < _ROOM
        if no_room or answer.error == wire.NO_ROOM:
            folder = Path(self._setup.folder).parent
            hint = "Free some space, or set TMPDIR to a folder on another disk, then resume: nothing measured is lost."
            raise UserError(f"The disk that holds {folder}, where candidates are built, is full.", hint)

    def _refuse_lost_folder(self) -> None:
        if not Path(self._setup.folder).exists():
            raise UserError(
                f"The folder {self._setup.folder}, where candidates are built, was removed.",
                "Resume: nothing measured is lost. If something cleans that folder up, set TMPDIR to another one.",
            )

    def _without_board(self, reason: str) -> None:
        self._boardless += 1
        if self._boardless > _BOARDLESS * self.slots:
            raise UserError(reason, "Start one, then resume: nothing measured so far is lost.")

    def _restart(self) -> None:
        self._silent_s = 0.0
        self._refuse_lost_folder()
        self._zygote.kill()  # one that hangs must not wake up and remove the folder
        self._zygote.close()
        while self._restarts < _RESTARTS:
            self._restarts += 1
            with contextlib.suppress(UserError):  # what ended the last one may end this one as it starts
                self._zygote = ZygoteProcess(self._setup, self._start)
                return
        raise UserError(
            "The measurement processes are ended from outside again and again.",
            "Look whether the system runs out of memory; nothing measured so far is lost.",
        )


def discard(built: wire.Built) -> None:
    """Remove a library that is needed no more."""
    if built.kernel is not None:
        Path(built.kernel.library).unlink(missing_ok=True)
