"""Takes candidates through builders and runners, several at a time, and goes on when one of the processes dies."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import tvm

from pruner_engine.errors import UserError
from pruner_engine.measure.workers import process, wire
from pruner_engine.measure.workers.batch import Batch, discard
from pruner_engine.measure.workers.launch import StartMethod, ZygoteProcess
from pruner_engine.measure.workers.outcome import Outcome
from pruner_engine.measure.workers.spare import put_away, started

_POLL_S = 0.1
_ROOM = 1 << 20  # bytes on the disk that a build needs
_SILENCE_S = 60.0  # of the zygote, after the limit of what is under way
_BOARDLESS = 5  # waits for a board in vain, for each run at a time
_RESTARTS = 5  # of the zygote without a single result in between
_QUEUED = 16  # builds that wait in the zygote, which hands them out while this process computes

RunOf: TypeAlias = Callable[[int, str, wire.Kernel], wire.Run]
"""Makes the run message of an id, a key and its kernel."""


class Pipeline:
    """The zygote, what is under way in it, and its replacement when something from outside ends it.

    One batch is worked on at a time. Builds of others that were begun go on meanwhile, and while none is worked on.

    Where runs have cores (or boards) of their own, builds go on beside them. Else all builds of a batch come first and
    then its runs: a build beside a run would spoil its times, and pausing builders around every run gains nothing,
    since both need the same cores. Builds of the batch that was begun next go on from the last of these runs.

    Args:
        setup: for the zygote.
        target: JSON of the TVM target.
        suffix: of the libraries: ".so", or ".tar" for a board that links by itself.
        slots: runs at a time; may be changed between batches.
        overlap: whether builds may go on beside runs.
        start: how the measurement processes come to be: forked from a zygote, or each started afresh.

    Attributes:
        slots: as given.
        on_boardless: takes a sentence when a run has found no board for the first time since one answered.

    Raises:
        UserError: when it is first used: the zygote does not start, or is ended again and again.
    """

    def __init__(
        self, setup: wire.Setup, target: str, *, suffix: str, slots: int, overlap: bool, start: StartMethod
    ) -> None:
        self._setup, self._target, self._suffix = setup, target, suffix
        self.slots, self._overlap = slots, overlap
        self._batches: list[Batch] = []  # those with builds under way
        self._last_id = self._restarts = self._boardless = 0
        self.on_boardless: Callable[[str], None] = lambda _: None
        self._silent_s = 0.0
        self._start: StartMethod = start
        self._zygote = started(setup, start)

    @property
    def pid(self) -> int:
        """Process id of the zygote."""
        return self._zygote.pid

    def wait_until_up(self) -> None:
        """Wait for the zygote, which loads beside other work from the beginning; all that needs it does so.

        Raises:
            UserError: it does not start.
        """
        self._zygote.wait_until_up()

    def close(self) -> None:
        """End all processes that build or run."""
        put_away(self._zygote)

    def begin(self, batch: Batch) -> None:
        """Have the batch's builds go on beside all that follows."""
        self.wait_until_up()
        if batch not in self._batches:
            self._batches.append(batch)
        self._go_on()

    def _go_on(self) -> None:
        try:
            self._send_builds()
        except (EOFError, BrokenPipeError):
            self._restart()

    def work(
        self,
        batch: Batch,
        run_of: RunOf | None,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        left: int = 0,
    ) -> Iterator[Outcome]:
        """Build and run; yields what came of each as soon as it is known.

        Args:
            run_of: asked when the run is due; None to build only.
            should_stop: True leaves out what has not been started.
            left: end once no more than so many builds are under way, which go on.
        """
        self._batches = [batch, *(other for other in self._batches if other is not batch)]  # its builds come first
        self._silent_s = 0.0
        self.wait_until_up()
        try:
            yield from self._outcomes(batch, run_of, should_stop, left)
        except BaseException:  # nobody asks for the rest any more
            batch.give_up()
            raise
        finally:
            if batch.is_done():
                self._batches.remove(batch)
        self._go_on()

    def _outcomes(
        self,
        batch: Batch,
        run_of: RunOf | None,
        should_stop: Callable[[], bool],
        left: int,
    ) -> Iterator[Outcome]:
        while True:
            for key, built in batch.take_ended(builds_only=run_of is None):
                self._restarts = 0
                yield Outcome(key, built, None)
            if should_stop():
                self._leave_out(batch)
            if batch.is_done(left):
                break
            try:
                self._send_builds()
                self._send_runs(batch, run_of)
                message = self._listen(max(batch.limit_s, self._setup.build_timeout_s))
            except (EOFError, BrokenPipeError):
                self._restart()
                continue
            if isinstance(message, wire.Built):
                self._take_built(message)
            elif isinstance(message, wire.Ran) and message.id in batch.running and message.error == wire.NO_BOARD:
                self._without_board(message.message)
                batch.ready.update([batch.running.pop(message.id)])
            elif isinstance(message, wire.Ran) and message.id in batch.running:
                self._refuse_surroundings(message)
                self._restarts = self._boardless = 0
                yield Outcome(*batch.running.pop(message.id), message)

    def _leave_out(self, batch: Batch) -> None:
        """Leave out what has not been started, in the zygote too; a build that would spoil a run is waited for."""
        with contextlib.suppress(EOFError, BrokenPipeError):  # that it is gone is noticed when it is listened to
            if batch.building:
                self._zygote.send(wire.Forget(ids=list(batch.building)))
        batch.leave_out(building=self._overlap)

    def _take_built(self, built: wire.Built) -> None:
        batch = next((batch for batch in self._batches if built.id in batch.building), None)
        if batch is None:  # nobody waits for it any more
            discard(built)
            return
        item = batch.building.pop(built.id)
        if built.error == wire.LEFT_OUT:
            return
        self._refuse_surroundings(built)
        batch.ready[item.key] = built

    def _send_builds(self) -> None:
        room = self._setup.workers + _QUEUED - sum(len(batch.building) for batch in self._batches)
        for batch in self._batches if self._overlap else self._batches[:1]:
            while batch.waiting and room > 0:
                job, room = self._new_id(), room - 1
                batch.building[job] = batch.waiting.popleft()
                self._zygote.send(self._build_message(job, batch.building[job].mod, batch.untuned))

    def _send_runs(self, batch: Batch, run_of: RunOf | None) -> None:
        if not self._overlap and any(other.building for other in self._batches):
            return
        while batch.ready and len(batch.running) < self.slots:
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
        if answer.error == wire.NO_ROOM or (failed and self._is_full()):
            raise self._full()

    def _is_full(self) -> bool:
        """Whether the disk, or this user's share of it, has no room for a library, or for another file."""
        try:
            with tempfile.TemporaryFile(dir=self._setup.folder, buffering=0) as file:
                return file.write(bytes(_ROOM)) < _ROOM
        except OSError as error:
            if error.errno in process.NO_SPACE:
                return True
            raise

    def _full(self) -> UserError:
        folder = Path(self._setup.folder).parent
        hint = "Free some space, or set TMPDIR to a folder on another disk, then resume: nothing measured is lost."
        return UserError(f"The disk that holds {folder}, where candidates are built, is full.", hint)

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
        if self._boardless == 1:
            self.on_boardless(reason)

    def _restart(self) -> None:
        self._silent_s = 0.0
        self._refuse_lost_folder()
        for batch in self._batches:
            batch.begin_again()
        self._zygote.kill()  # one that hangs must not wake up and remove the folder
        self._zygote.close()
        if self._is_full():  # it ends without room for what its children say
            raise self._full()
        while self._restarts < _RESTARTS:
            self._restarts += 1
            with contextlib.suppress(UserError):  # what ended the last one may end this one as it starts
                self._zygote = ZygoteProcess(self._setup, self._start)
                self._zygote.wait_until_up()
                return
        raise UserError(
            "The measurement processes are ended from outside again and again.",
            "Look whether the system runs out of memory; nothing measured so far is lost.",
        )
