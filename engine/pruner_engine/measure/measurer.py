"""Builds and times candidates of a task, on this machine or on a fleet of boards."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.measure.boards.rpc import fleet_size
from pruner_engine.measure.building.linker import suffix_for
from pruner_engine.measure.cores import Cores, share_out
from pruner_engine.measure.probe import Probe
from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.side_by_side import time_in_turns
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.untuned import UntunedKernels
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.batch import Batch, discard
from pruner_engine.measure.workers.folder import BuildFolder, refuse_noexec
from pruner_engine.measure.workers.launch import START, StartMethod
from pruner_engine.measure.workers.pipeline import Pipeline
from pruner_engine.measure.yardsticks import Settled, Yardsticks
from pruner_engine.processes.memory import memory_bytes
from pruner_engine.targets.cpu import granted_cpus, physical_cores
from pruner_engine.targets.cuda_compiler import find_cuda_compiler
from pruner_engine.targets.target import target_json
from pruner_engine.tasks.task import TuningTask


class Measurer:
    """Measures candidates: build in forked workers, then run alone on the cores; a context manager.

    Args:
        target: what to compile for and run on.
        options: how to build, time and check.
        fleet: boards to run on instead of this machine.
        start: how the measurement processes come to be; see launch.py.

    Attributes:
        target, options: as given.
        build_workers: builds at a time.
        builds_aside: builds take nothing from a kernel that is timed, whatever else this process does meanwhile.

    Its processes start beside whatever follows: who needs them waits, and is told if they do not.

    Raises:
        UserError: the fleet has no board, nothing compiles for the GPU, or the temporary folder is one from which
            nothing may be loaded.
    """

    def __init__(
        self,
        target: Target,
        options: MeasureOptions | None = None,
        *,
        fleet: wire.Fleet | None = None,
        start: StartMethod = START,
    ) -> None:
        self.target, self.options = target, options or MeasureOptions()
        self._fleet = fleet
        self._requests = RunRequests(target, self.options, fleet)
        self._yardsticks = Yardsticks()
        self._batches: dict[str, Batch] = {}  # what was begun, by task
        if self._on_gpu:
            find_cuda_compiler()  # a sentence now instead of a failure of every build
        if fleet is None:
            refuse_noexec(Path(tempfile.gettempdir()))
        suffix = suffix_for(target, loaded_here=fleet is None)
        slots = fleet_size(fleet) if fleet else 1
        cores = self._cores()
        self.build_workers = self.options.build_workers or cores.workers
        self.builds_aside = self._on_gpu and cores.overlap
        self._place = BuildFolder()
        self._folder = self._place.path
        try:
            self._pipeline = Pipeline(
                self._setup(cores),
                target_json(target),
                suffix=suffix,
                slots=slots,
                overlap=cores.overlap,
                start=start,
            )
        except BaseException:
            self._place.remove()
            raise
        self._untuned = UntunedKernels(self._pipeline, self._requests, self._folder)
        self._probe = Probe(self._pipeline, self._requests)

    @property
    def _on_gpu(self) -> bool:
        return self._requests.device == "cuda"

    def _cores(self) -> Cores:
        """Which CPUs run kernels and which build them."""
        physical = physical_cores()
        if self._fleet is not None:
            threads = 0  # boards need no core here
        elif self._on_gpu:
            threads = min(1, len(physical) - 1)  # its runner launches and waits, on a core of its own where it can
        else:
            threads = self._requests.threads
        return share_out(physical, granted_cpus(), threads)

    def _setup(self, cores: Cores) -> wire.Setup:
        return wire.Setup(
            folder=str(self._folder),
            workers=self.build_workers,
            builder_cores=cores.builders,
            threads=self._requests.threads,
            runner_cores=cores.runner,
            build_timeout_s=self.options.build_timeout_s,
            memory_bytes=self.options.memory_bytes or memory_bytes() // 2,
            cuda=self._on_gpu,
        )

    def __enter__(self) -> Measurer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tell_boardless(self, tell: Callable[[str], None]) -> None:
        """Have `tell` take a sentence when no board is left, and one is waited for."""
        self._pipeline.on_boardless = tell

    def wait_until_up(self) -> None:
        """Wait for the processes now, so that what follows does not.

        Raises:
            UserError: they do not start.
        """
        self._pipeline.wait_until_up()

    def close(self) -> None:
        """End the processes and remove what they have written."""
        self._pipeline.close()
        self._place.remove()

    def untuned(self, task: TuningTask) -> MeasureResult:
        """Time the kernel as it is compiled without tuning; its outputs become the reference of `task`."""
        return self._untuned.of(task)

    def all_untuned(
        self, tasks: Sequence[TuningTask], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[TuningTask, MeasureResult]]:
        """The same of many tasks, some built while others are: yields each with its result as soon as it is known.

        Args:
            tasks: may have been timed before.
            should_stop: asked between kernels; True leaves the rest out.
        """
        self._count_boards()
        return self._untuned.of_all(tasks, should_stop)

    def noise(self, should_stop: Callable[[], bool] = lambda: False) -> tuple[float, ...]:
        """Time a fixed kernel: seconds a call, one value a repeat; none if it was stopped.

        Called before the runs of a batch, its drift tells whether the machine got busy or throttled. CPU targets only.

        Args:
            should_stop: asked while builds that are under way are waited for.

        Raises:
            UserError: the kernel cannot be built or run, so nothing else can either.
        """
        return self._probe.time(should_stop)

    def measure(
        self,
        task: TuningTask,
        inputs: Sequence[MeasureInput],
        *,
        best_s: float | None,
        on_result: Callable[[MeasureResult], None],
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Measure candidates of one task.

        Args:
            task: what the inputs are schedules of.
            inputs: candidates with distinct keys; the more promising ones first, since a good one cuts the later short.
            best_s: best time of the task so far, seconds a call; what is clearly slower is abandoned.
            on_result: called with each result as soon as it is known.
            should_stop: asked between candidates; True leaves the rest unmeasured.

        Raises:
            UserError: the measurement processes are ended from outside again and again.
        """
        self.begin(task, inputs)
        self.gather(task, best_s=best_s, on_result=on_result, should_stop=should_stop)

    def begin(self, task: TuningTask, inputs: Sequence[MeasureInput]) -> None:
        """Begin to build candidates of a task; what is under way of it comes before them."""
        self._refer_to(task)
        batch = self._batches.setdefault(task.hash, Batch())
        batch.add(inputs)
        self._pipeline.begin(batch)

    def gather(
        self,
        task: TuningTask,
        *,
        best_s: float | None,
        on_result: Callable[[MeasureResult], None],
        left: int = 0,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        """Run what was begun of a task as it is built; arguments and errors as of `measure`.

        Args:
            left: end once no more than so many builds are under way, which go on until the next call.

        Returns:
            The keys of these.
        """
        self._refer_to(task)
        batch, best = self._batches.setdefault(task.hash, Batch()), best_s

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            by = self._yardsticks.find(task.hash)
            return self._requests.make(task, job, kernel, check=self.options.check, best_s=best, yardstick=by)

        self._count_boards()
        for outcome in self._pipeline.work(batch, run_of, should_stop, left=left):
            result = outcome.result
            seconds = None if result.censored or not result.ok else result.seconds
            best = min((s for s in (best, seconds) if s is not None), default=None)
            if seconds is None or not self._requests.take_turns:
                discard(outcome.built)
            else:
                self._yardsticks.offer(task.hash, Settled(result.key, seconds), outcome.built, result.pace)
            on_result(result)
        if batch.is_done():
            del self._batches[task.hash]
        return batch.unbuilt

    def yardstick(self, task: TuningTask) -> Settled | None:
        """What the task's candidates are measured by; None before the first."""
        return self._yardsticks.settled(task.hash)

    def settle(self, task: TuningTask, seconds: float) -> None:
        """Say that a call of the task's yardstick takes so long, from now on."""
        self._yardsticks.settle(task.hash, seconds)

    def measure_by(self, task: TuningTask, item: MeasureInput, settled: Settled) -> bool:
        """Measure the task's candidates by `item`, one of an earlier session; False if it cannot be built."""
        if not self._requests.take_turns:
            return True
        for outcome in self._pipeline.work(Batch([item]), None):
            if outcome.built.kernel is not None:
                self._yardsticks.put(task.hash, settled, outcome.built)
                return True
        return False

    def in_turns(self, task: TuningTask, inputs: Sequence[MeasureInput], turns: int) -> dict[str, list[float]]:
        """Time candidates side by side: each is built once, and run once a turn, in an order that changes.

        On this machine's CPU the one that is fastest in a first pass is the others' yardstick: what a turn tells of two
        candidates does not depend on the seconds that lie between them.

        Returns:
            Seconds a call by key, one value for each turn in which it ran.
        """
        return time_in_turns(self._pipeline, self._requests, task, inputs, turns)

    def build(self, inputs: Sequence[MeasureInput], on_result: Callable[[MeasureResult], None]) -> None:
        """Build candidates and run none: for a target whose device is elsewhere.

        Args:
            inputs: candidates with distinct keys.
            on_result: called with each result as soon as it is known; one that is ok has no repeats.
        """
        for outcome in self._pipeline.work(Batch(inputs), None):
            discard(outcome.built)
            on_result(outcome.result)

    def _count_boards(self) -> None:
        """Boards that have joined the fleet since the last batch take part in this one."""
        if self._fleet is not None:
            with contextlib.suppress(UserError):  # a tracker or a board that restarts is waited for by each run
                self._pipeline.slots = fleet_size(self._fleet)

    def _refer_to(self, task: TuningTask) -> None:
        """Have the outputs at hand that the task's candidates are compared with, if any are."""
        if self.options.check != "none":
            self._untuned.have_outputs(task)
