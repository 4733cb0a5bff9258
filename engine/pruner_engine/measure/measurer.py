"""Builds and times candidates of a task, on this machine or on a fleet of boards."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import psutil
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.measure import wire
from pruner_engine.measure.folder import refuse_noexec
from pruner_engine.measure.kernel import KernelFacts, facts_of
from pruner_engine.measure.launch import START, StartMethod
from pruner_engine.measure.pipeline import Outcome, Pipeline, discard
from pruner_engine.measure.probe import probe_task
from pruner_engine.measure.rpc import Fleet, fleet_size
from pruner_engine.measure.timing import FINER
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.targets.cuda_compiler import find_cuda_compiler
from pruner_engine.targets.target import target_json, threads_of
from pruner_engine.tasks.task import TuningTask

_UNTUNED_FACTOR = 6  # the untuned kernel may take this many times the limit of a candidate
_DEVICES = {"llvm": "cpu", "cuda": "cuda"}
_Check: TypeAlias = Literal["best", "all", "none", "keep"]


@dataclass(frozen=True)
class _Yardstick:
    key: str
    seconds: float
    built: wire.Built


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
        self._facts: dict[str, KernelFacts] = {}
        self._untuned: dict[str, MeasureResult] = {}
        self._yardsticks: dict[str, _Yardstick] = {}  # by task
        self._probe: wire.Built | None = None
        if self._device == "cuda":
            find_cuda_compiler()  # a sentence now instead of a failure of every build
        if fleet is None:
            refuse_noexec(Path(tempfile.gettempdir()))
        slots = fleet_size(fleet) if fleet else 1
        cores = sorted(os.sched_getaffinity(0))
        self._threads = threads or threads_of(target)
        # a GPU's runner launches and waits: it has the first core to itself where there are more
        own = self._threads if self._device == "cpu" or fleet else min(1, len(cores) - 1)
        spare = cores if fleet else cores[own:]
        self._folder = Path(tempfile.mkdtemp(prefix="pruner-measure-"))
        setup = wire.Setup(
            folder=str(self._folder),
            workers=build_workers or len(spare or cores),
            builder_cores=spare or cores,
            threads=self._threads,
            runner_cores=cores[:own] or cores,
            build_timeout_s=build_timeout_s,
            memory_bytes=memory_bytes or psutil.virtual_memory().total // 2,
            cuda=self._device == "cuda",
        )
        suffix = ".tar" if fleet else ".so"
        try:
            self._pipeline = Pipeline(
                setup, target_json(target), suffix=suffix, slots=slots, overlap=bool(spare), start=start
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
            limit_s = _UNTUNED_FACTOR * self._run_timeout_s
            return self._run(new[key], job, kernel, best_s=None, check="keep", timeout_s=limit_s)

        yield from ((task, self._untuned[task.hash]) for task in tasks if task.hash not in new)
        inputs = [MeasureInput(key, task.mod) for key, task in new.items()]
        for outcome in self._pipeline.work(inputs, run_of, should_stop, untuned=True):
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
            return self._run(task, job, kernel, best_s=None, check="none", timeout_s=self._run_timeout_s)

        known = self._probe is not None and self._probe.kernel is not None
        inputs = [] if known else [MeasureInput("probe", task.mod)]
        built = {"probe": self._probe} if known and self._probe else {}
        ((_, self._probe, ran),) = self._pipeline.work(inputs, run_of, built=built)
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
        if self._check != "none":
            self.untuned(task)
        best = best_s

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            run = self._run(task, job, kernel, best_s=best, check=self._check, timeout_s=self._run_timeout_s)
            by = self._yardsticks.get(task.hash)
            kernel_by = by.built.kernel if by else None
            return msgspec.structs.replace(run, yardstick=(kernel_by, by.seconds)) if by and kernel_by else run

        for outcome in self._pipeline.work(inputs, run_of, should_stop):
            result = _result(outcome)
            seconds = None if result.censored or not result.ok else result.seconds
            best = min((s for s in (best, seconds) if s is not None), default=None)
            before = self._yardsticks.get(task.hash)
            if seconds is None or (before is not None and seconds * FINER > before.seconds):
                discard(outcome[1])
            else:  # what comes after is measured by it
                self._replace_yardstick(task, _Yardstick(result.key, seconds, outcome[1]))
            on_result(result)

    def yardstick(self, task: TuningTask) -> tuple[str, float] | None:
        """Key of the candidate that the task's others are measured by, and seconds of a call; None before the first."""
        found = self._yardsticks.get(task.hash)
        return (found.key, found.seconds) if found else None

    def measure_by(self, task: TuningTask, item: MeasureInput, seconds: float) -> None:
        """Measure the task's candidates by one of an earlier session; nothing happens where it cannot be built.

        Args:
            seconds: what a call of it was said to take.
        """
        if not self._takes_turns:
            return
        for key, built, _ in self._pipeline.work([item], None):
            if built.kernel is not None:
                self._replace_yardstick(task, _Yardstick(key, seconds, built))

    @property
    def _takes_turns(self) -> bool:
        """Whether two kernels can be called in turns: on this machine's CPU only."""
        return self._device == "cpu" and self._fleet is None

    def _replace_yardstick(self, task: TuningTask, new: _Yardstick) -> None:
        if task.hash in self._yardsticks:
            discard(self._yardsticks[task.hash].built)
        self._yardsticks[task.hash] = new

    def in_turns(self, task: TuningTask, inputs: Sequence[MeasureInput], turns: int) -> dict[str, list[float]]:
        """Time candidates side by side: each is built once, and run once a turn, in an order that changes.

        On this machine's CPU the one that is fastest in a first pass is the others' yardstick: what a turn tells of two
        candidates does not depend on the seconds that lie between them.

        Returns:
            Seconds a call by key, one value for each turn in which it ran.
        """
        by: tuple[wire.Kernel, float] | None = None

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            run = self._run(task, job, kernel, best_s=None, check="none", timeout_s=self._run_timeout_s)
            return msgspec.structs.replace(run, yardstick=by)

        order = random.Random(0)
        built: dict[str, wire.Built] = {}
        seconds: dict[str, list[float]] = {}
        for outcome in self._pipeline.work(inputs, run_of):
            if (took := _result(outcome).seconds) is None:
                discard(outcome[1])
            else:
                seconds[outcome[0]], built[outcome[0]] = [took], outcome[1]
        if seconds and self._takes_turns:
            fastest = min(seconds, key=seconds.__getitem__)
            kernel = built[fastest].kernel
            assert kernel is not None
            by, seconds = (kernel, seconds[fastest][0]), {}
        for _ in range(turns if by else turns - 1):  # where there is no yardstick, the first pass is a turn
            waiting = dict(order.sample(list(built.items()), len(built)))
            for outcome in self._pipeline.work([], run_of, built=waiting):
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
        for outcome in self._pipeline.work(inputs, None):
            discard(outcome[1])
            on_result(_result(outcome))

    def _run(
        self,
        task: TuningTask,
        job: int,
        kernel: wire.Kernel,
        *,
        best_s: float | None,
        check: _Check,
        timeout_s: float,
    ) -> wire.Run:
        facts = self._facts.get(task.hash) or self._facts.setdefault(task.hash, facts_of(task.mod))
        return wire.Run(
            id=job,
            task=task.hash,
            device=self._device,
            threads=self._threads,
            kernel=kernel,
            args=[
                wire.Tensor(list(a.shape), a.dtype, facts.bounds.get(i), i in facts.words)
                for i, a in enumerate(task.args)
            ],
            outputs=facts.outputs,
            reduction=facts.reduction,
            epsilon=facts.epsilon,
            rounds=facts.rounds,
            inputs=facts.inputs,
            best_s=best_s,
            repeats=self._repeats,
            check=check,
            cold=self.cold,
            timeout_s=timeout_s,
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
