"""Builds and times candidates of a task, on this machine or on a fleet of boards."""

from __future__ import annotations

import contextlib
import math
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import psutil
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.measure import wire
from pruner_engine.measure.batch import Batch, discard
from pruner_engine.measure.cores import share_out
from pruner_engine.measure.correctness import dtype_of
from pruner_engine.measure.folder import refuse_noexec
from pruner_engine.measure.kernel import facts_of
from pruner_engine.measure.launch import START, StartMethod
from pruner_engine.measure.pipeline import Outcome, Pipeline
from pruner_engine.measure.probe import probe_task
from pruner_engine.measure.references import References
from pruner_engine.measure.rpc import Fleet, fleet_size
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.measure.yardsticks import Settled, Yardsticks
from pruner_engine.targets.cpu import granted_cpus, physical_cores
from pruner_engine.targets.cuda_compiler import find_cuda_compiler
from pruner_engine.targets.target import target_json, threads_of
from pruner_engine.tasks.task import TuningTask

_UNTUNED_FACTOR = 6  # the untuned kernel may take this many times the limit of a candidate
_DEVICES = {"llvm": "cpu", "cuda": "cuda"}
_Check: TypeAlias = Literal["best", "all", "none", "keep"]


class Measurer:
    """Measures candidates: build in forked workers, then run alone on the cores; a context manager.

    Args:
        target: what to compile for and run on.
        threads: of a kernel; by default as many as the target says.
        build_workers: builds at a time; by default one for each core that they may use.
        build_timeout_s, run_timeout_s: limits of one candidate, from when it is really worked on.
        memory_bytes: what a candidate may use in its build, and in its run; by default half of the machine's.
        repeats: timed repeats of a contender; see timing.py.
        check: compare outputs with the untuned kernel's for all candidates, those that would be the best, or none.
        cold_cache: flush all arguments but the first from the caches before every timed call: between two calls in a
            network others run, and weights come from memory (this machine's CPU only).
        fleet: boards to run on instead of this machine.
        start: how the measurement processes come to be; see launch.py.

    Attributes:
        target, cold: as given.
        build_workers: builds at a time.
        builds_aside: builds take nothing from a kernel that is timed, whatever else this process does meanwhile.

    Raises:
        UserError: the measurement processes cannot be started, the fleet has no board, nothing compiles for the GPU, or
            the temporary folder is one from which nothing may be loaded.
    """

    def __init__(
        self,
        target: Target,
        *,
        threads: int | None = None,
        build_workers: int | None = None,
        build_timeout_s: float = 30.0,
        run_timeout_s: float = 10.0,
        memory_bytes: int | None = None,
        repeats: int = 3,
        check: Literal["best", "all", "none"] = "best",
        cold_cache: bool = False,
        fleet: Fleet | None = None,
        start: StartMethod = START,
    ) -> None:
        self.target, self.cold = target, cold_cache
        self._device = _DEVICES[target.kind.name]
        self._run_timeout_s, self._repeats, self._fleet = run_timeout_s, repeats, fleet
        self._check: _Check = check
        self._facts: dict[str, wire.KernelFacts] = {}
        self._untuned: dict[str, MeasureResult] = {}
        self._yardsticks = Yardsticks()
        self._batches: dict[str, Batch] = {}  # what was begun, by task
        self._probe: wire.Built | None = None
        if self._device == "cuda":
            find_cuda_compiler()  # a sentence now instead of a failure of every build
        if fleet is None:
            refuse_noexec(Path(tempfile.gettempdir()))
        slots = fleet_size(fleet) if fleet else 1
        self._threads = threads or threads_of(target)
        physical = physical_cores()
        # boards need no core here; a GPU's runner launches and waits, on a core of its own where there are more
        own = self._threads if self._device == "cpu" else min(1, len(physical) - 1)
        cores = share_out(physical, granted_cpus(), 0 if fleet else own)
        self.build_workers = build_workers or cores.workers
        self.builds_aside = self._device == "cuda" and cores.overlap
        self._folder = Path(tempfile.mkdtemp(prefix="pruner-measure-"))
        self._references = References(self._folder)
        setup = wire.Setup(
            folder=str(self._folder),
            workers=self.build_workers,
            builder_cores=cores.builders,
            threads=self._threads,
            runner_cores=cores.runner,
            build_timeout_s=build_timeout_s,
            memory_bytes=memory_bytes or psutil.virtual_memory().total // 2,
            cuda=self._device == "cuda",
        )
        suffix = ".tar" if fleet else ".so"
        try:
            self._pipeline = Pipeline(
                setup, target_json(target), suffix=suffix, slots=slots, overlap=cores.overlap, start=start
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def __enter__(self) -> Measurer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and remove what they have written."""
        self._pipeline.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def untuned(self, task: TuningTask) -> MeasureResult:
        """Time the kernel as it is compiled without tuning; its outputs become the reference of `task`."""
        for _ in self.all_untuned([task]):
            pass
        return self._untuned[task.hash]

    def all_untuned(
        self, tasks: Sequence[TuningTask], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[TuningTask, MeasureResult]]:
        """The same of many tasks, some built while others are: yields each with its result as soon as it is known.

        Args:
            tasks: may have been timed before.
            should_stop: asked between kernels; True leaves the rest out.
        """
        new = {task.hash: task for task in tasks if task.hash not in self._untuned}

        def run_of(job: int, key: str, kernel: wire.Kernel) -> wire.Run:
            self._references.make_room(key, self._reference_bytes(new[key]))
            limit_s = _UNTUNED_FACTOR * self._run_timeout_s
            return self._run(new[key], job, kernel, best_s=None, check="keep", timeout_s=limit_s, settle=False)

        yield from ((task, self._untuned[task.hash]) for task in tasks if task.hash not in new)
        inputs = [MeasureInput(key, task.mod) for key, task in new.items()]
        self._count_boards()
        for outcome in self._pipeline.work(Batch(inputs, untuned=True), run_of, should_stop):
            discard(outcome[1])
            result = _result(outcome)
            self._untuned[result.key] = result
            yield new[result.key], result

    def noise(self) -> tuple[float, ...]:
        """Time a fixed kernel: seconds a call, one value a repeat.

        Called between batches, its drift tells whether the machine got busy or throttled. CPU targets only.

        Raises:
            UserError: the kernel cannot be built or run, so nothing else can either.
        """
        task = probe_task()

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            limit_s = self._run_timeout_s
            return self._run(task, job, kernel, best_s=None, check="none", timeout_s=limit_s, settle=False)

        known = self._probe is not None and self._probe.kernel is not None
        inputs = [] if known else [MeasureInput("probe", task.mod)]
        built = {"probe": self._probe} if known and self._probe else {}
        ((_, self._probe, ran),) = self._pipeline.work(Batch(inputs, built), run_of)
        if ran is None or ran.stage != "ok":
            reason = self._probe.message if ran is None else ran.message
            raise UserError(f"A plain kernel could not be measured: {reason}", "Run `pruner doctor`.")
        return tuple(ran.repeats)

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
            run = self._run(task, job, kernel, best_s=best, check=self._check, timeout_s=self._run_timeout_s)
            return msgspec.structs.replace(run, yardstick=self._yardsticks.find(task.hash))

        self._count_boards()
        for outcome in self._pipeline.work(batch, run_of, should_stop, left=left):
            result = _result(outcome)
            seconds = None if result.censored or not result.ok else result.seconds
            best = min((s for s in (best, seconds) if s is not None), default=None)
            if seconds is None or not self._takes_turns:
                discard(outcome[1])
            else:
                self._yardsticks.offer(task.hash, Settled(result.key, seconds), outcome[1])
            on_result(result)
        if batch.is_done():
            del self._batches[task.hash]
        return batch.unbuilt

    def yardstick(self, task: TuningTask) -> Settled | None:
        """What the task's candidates are measured by; None before the first."""
        return self._yardsticks.settled(task.hash)

    def measure_by(self, task: TuningTask, item: MeasureInput, settled: Settled) -> None:
        """Measure the task's candidates by `item`, one of an earlier session; nothing changes if it cannot be built."""
        if not self._takes_turns:
            return
        for _, built, _ in self._pipeline.work(Batch([item]), None):
            if built.kernel is not None:
                self._yardsticks.put(task.hash, settled, built)

    @property
    def _takes_turns(self) -> bool:
        """Whether two kernels can be called in turns: on this machine's CPU only."""
        return self._device == "cpu" and self._fleet is None

    def in_turns(self, task: TuningTask, inputs: Sequence[MeasureInput], turns: int) -> dict[str, list[float]]:
        """Time candidates side by side: each is built once, and run once a turn, in an order that changes.

        On this machine's CPU the one that is fastest in a first pass is the others' yardstick: what a turn tells of two
        candidates does not depend on the seconds that lie between them.

        Returns:
            Seconds a call by key, one value for each turn in which it ran.
        """
        by: wire.Yardstick | None = None

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            run = self._run(task, job, kernel, best_s=None, check="none", timeout_s=self._run_timeout_s)
            return msgspec.structs.replace(run, yardstick=by)

        order = random.Random(0)
        built: dict[str, wire.Built] = {}
        seconds: dict[str, list[float]] = {}
        for outcome in self._pipeline.work(Batch(inputs), run_of):
            if (took := _result(outcome).seconds) is None:
                discard(outcome[1])
            else:
                seconds[outcome[0]], built[outcome[0]] = [took], outcome[1]
        if seconds and self._takes_turns:
            fastest = min(seconds, key=seconds.__getitem__)
            kernel = built[fastest].kernel
            assert kernel is not None
            by, seconds = wire.Yardstick(kernel, seconds[fastest][0]), {}
        for _ in range(turns if by else turns - 1):  # where there is no yardstick, the first pass is a turn
            waiting = dict(order.sample(list(built.items()), len(built)))
            for outcome in self._pipeline.work(Batch(built=waiting), run_of):
                if (took := _result(outcome).seconds) is not None:
                    seconds.setdefault(outcome[0], []).append(took)
        for library in built.values():
            discard(library)
        return seconds

    def build(self, inputs: Sequence[MeasureInput], on_result: Callable[[MeasureResult], None]) -> None:
        """Build candidates and run none: for a target whose device is elsewhere.

        Args:
            inputs: candidates with distinct keys.
            on_result: called with each result as soon as it is known; one that is ok has no repeats.
        """
        for outcome in self._pipeline.work(Batch(inputs), None):
            discard(outcome[1])
            on_result(_result(outcome))

    def _count_boards(self) -> None:
        """Boards that have joined the fleet since the last batch take part in this one."""
        if self._fleet is not None:
            with contextlib.suppress(UserError):  # a tracker or a board that restarts is waited for by each run
                self._pipeline.slots = fleet_size(self._fleet)

    def _refer_to(self, task: TuningTask) -> None:
        """Have the outputs of the untuned kernel at hand, if any are checked; once more if they had to make room."""
        if self._check == "none":
            return
        known = self._untuned.get(task.hash)
        if known is not None and known.ok and not self._references.use(task.hash):
            del self._untuned[task.hash]
        self.untuned(task)

    def _reference_bytes(self, task: TuningTask) -> int:
        facts = self._facts_of(task)
        outputs = (task.args[index] for index in facts.outputs)
        return len(facts.inputs) * sum(math.prod(a.shape) * dtype_of(a.dtype).itemsize for a in outputs)

    def _facts_of(self, task: TuningTask) -> wire.KernelFacts:
        return self._facts.get(task.hash) or self._facts.setdefault(task.hash, facts_of(task.mod))

    def _run(
        self,
        task: TuningTask,
        job: int,
        kernel: wire.Kernel,
        *,
        best_s: float | None,
        check: _Check,
        timeout_s: float,
        settle: bool = True,
    ) -> wire.Run:
        return wire.Run(
            id=job,
            task=task.hash,
            device=self._device,
            threads=self._threads,
            kernel=kernel,
            args=[wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args],
            facts=self._facts_of(task),
            best_s=best_s,
            repeats=self._repeats,
            check=check,
            cold=self.cold,
            timeout_s=timeout_s,
            settle=settle,
            fleet=self._fleet,
        )


def _result(outcome: Outcome) -> MeasureResult:
    key, built, ran = outcome
    if ran is None:
        stage = "ok" if built.kernel else "build"
        return MeasureResult(
            key=key, stage=stage, error=built.error, message=built.message, log=built.log, build_s=built.seconds
        )
    return MeasureResult(
        key=key,
        stage=ran.stage,
        error=ran.error,
        message=ran.message,
        log=ran.log,
        repeats=tuple(ran.repeats),
        censored=ran.censored,
        checked=ran.checked,
        build_s=built.seconds,
        run_s=ran.seconds,
    )
