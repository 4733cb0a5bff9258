"""Builds and times candidates of a task on this machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import psutil
import tvm
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.measure import wire
from pruner_engine.measure.kernel import KernelFacts, facts_of
from pruner_engine.measure.launch import ZygoteProcess
from pruner_engine.measure.probe import probe_task
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.targets.target import target_json, threads_of
from pruner_engine.tasks.task import TuningTask

_UNTUNED_FACTOR = 6  # the untuned kernel may take this many times the limit of a candidate
_POLL_S = 0.1
_RESTARTS = 5  # of the zygote without a single result in between
_Check: TypeAlias = Literal["best", "all", "none", "keep"]
_DEVICES = {"llvm": "cpu", "cuda": "cuda"}


class Measurer:
    """Measures candidates: build in forked workers, then run alone on the cores; a context manager.

    Where there are cores that the kernels do not run on, builders work there at all times. Else all builds of a batch
    come first and then its runs: a build beside a run would spoil its times, and pausing builders around every run
    gains nothing, since both need the same cores.

    Args:
        target: what to compile for and run on.
        threads: of a kernel; by default as many as the target says.
        build_workers: builds at a time; by default one for each core that they may use.
        build_timeout_s, run_timeout_s: limits of one candidate, from when it is really worked on.
        memory_bytes: what a candidate may use in its build, and in its run; by default half of the machine's.
        repeats: timed repeats of a contender; see timing.py.
        check: compare outputs with the untuned kernel's for all candidates, those that would be the best, or none.
        cold_cache: flush the arguments from the caches before every timed call.

    Raises:
        UserError: the measurement processes cannot be started, or are ended again and again from outside.
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
    ) -> None:
        self._target = target_json(target)
        self._device = _DEVICES[target.kind.name]
        self._run_timeout_s, self._repeats, self._cold = run_timeout_s, repeats, cold_cache
        self._check: _Check = check
        cores = sorted(os.sched_getaffinity(0))
        threads = min(threads or threads_of(target), len(cores))
        spare = cores if self._device != "cpu" else cores[threads:]
        self._overlap = bool(spare)
        self._workers = build_workers or len(spare or cores)
        self._folder = Path(tempfile.mkdtemp(prefix="pruner-measure-"))
        self._setup = wire.Setup(
            folder=str(self._folder),
            workers=self._workers,
            builder_cores=spare or cores,
            threads=threads,
            runner_cores=cores[:threads],
            build_timeout_s=build_timeout_s,
            memory_bytes=memory_bytes or psutil.virtual_memory().total // 2,
            intrinsics=target.kind.name != "llvm",
        )
        self._facts: dict[str, KernelFacts] = {}
        self._untuned: dict[str, MeasureResult] = {}
        self._probe_task: TuningTask | None = None
        self._probe_kernel: wire.Kernel | None = None
        self._built: deque[wire.Built] = deque()  # heard while waiting for a run
        self._next_id = self._restarts = 0
        try:
            self._zygote = ZygoteProcess(self._setup)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def __enter__(self) -> Measurer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and remove what they have written."""
        self._zygote.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def untuned(self, task: TuningTask) -> MeasureResult:
        """Time the kernel as it is compiled without tuning; its outputs become the reference of `task`."""
        if task.hash not in self._untuned:
            built = next(self._build([MeasureInput("untuned", task.mod)], untuned=True))[1]
            limit = _UNTUNED_FACTOR * self._run_timeout_s
            self._untuned[task.hash] = self._run(task, "untuned", built, None, "keep", limit)
        return self._untuned[task.hash]

    def noise(self) -> tuple[float, ...]:
        """Time a fixed kernel: seconds a call, one value a repeat.

        Called between batches, its drift tells whether the machine got busy or throttled. CPU targets only.

        Raises:
            UserError: the kernel cannot be built or run, so nothing else can either.
        """
        task = self._probe_task = self._probe_task or probe_task()
        if self._probe_kernel is None:
            built = next(self._build([MeasureInput("probe", task.mod)]))[1]
            if built.kernel is None:
                raise UserError(f"A plain kernel could not be built: {built.message}", "Run `pruner doctor`.")
            self._probe_kernel = built.kernel
        ran = self._run_kernel(task, self._probe_kernel, None, "none", self._run_timeout_s)
        if ran.stage != "ok":
            raise UserError(f"A plain kernel could not be run: {ran.message}", "Run `pruner doctor`.")
        return tuple(ran.repeats)

    def measure(
        self,
        task: TuningTask,
        inputs: Sequence[MeasureInput],
        *,
        incumbent_s: float | None,
        on_result: Callable[[MeasureResult], None],
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Measure candidates of one task.

        Args:
            task: what the inputs are schedules of.
            inputs: candidates with distinct keys; the more promising ones first, since a good one cuts the later short.
            incumbent_s: best time of the task so far, seconds a call; what is clearly slower is abandoned.
            on_result: called with each result as soon as it is known.
            should_stop: asked between candidates; True leaves the rest unmeasured.
        """
        if self._check != "none":
            self.untuned(task)
        built: Iterable[tuple[str, wire.Built]] = self._build(inputs, should_stop)
        if not self._overlap:
            order = {item.key: position for position, item in enumerate(inputs)}
            built = sorted(built, key=lambda outcome: order[outcome[0]])
        for key, build in built:
            if should_stop():
                _discard(build)  # and let the others in flight come to their end
                continue
            result = self._run(task, key, build, incumbent_s, self._check, self._run_timeout_s)
            if result.ok and not result.censored and result.seconds is not None:
                incumbent_s = min(result.seconds, incumbent_s or result.seconds)
            on_result(result)

    def _build(
        self, inputs: Sequence[MeasureInput], should_stop: Callable[[], bool] = lambda: False, untuned: bool = False
    ) -> Iterator[tuple[str, wire.Built]]:
        """Key and outcome of each build, in the order in which they end."""
        waiting, building = deque(inputs), dict[int, MeasureInput]()
        while waiting or building:
            if should_stop():
                waiting.clear()
            try:
                # one more than there are workers, so that none waits for its next module
                while waiting and len(building) <= self._workers:
                    job = self._new_id()
                    building[job] = waiting.popleft()
                    self._zygote.send(self._build_message(job, building[job].mod, untuned))
                built = self._next_built() if building else None
            except (EOFError, BrokenPipeError):
                self._restart()
                waiting.extendleft(reversed(building.values()))
                building.clear()
                continue
            if built is not None and built.id in building:
                yield building.pop(built.id).key, built

    def _build_message(self, job: int, mod: tvm.IRModule, untuned: bool) -> wire.Build:
        library = str(self._folder / f"{job}.so")
        return wire.Build(id=job, mod=str(tvm.ir.save_json(mod)), target=self._target, library=library, untuned=untuned)

    def _next_built(self) -> wire.Built | None:
        message = self._built.popleft() if self._built else self._zygote.receive(_POLL_S)
        return message if isinstance(message, wire.Built) else None

    def _run(
        self,
        task: TuningTask,
        key: str,
        build: wire.Built,
        incumbent_s: float | None,
        check: _Check,
        timeout_s: float,
    ) -> MeasureResult:
        if build.kernel is None:
            return _failed_build(key, build)
        ran = self._run_kernel(task, build.kernel, incumbent_s, check, timeout_s)
        _discard(build)
        return MeasureResult(
            key=key,
            stage=ran.stage,
            error=ran.error,
            message=ran.message,
            log=ran.log,
            repeats=tuple(ran.repeats),
            censored=ran.censored,
            checked=ran.checked,
            build_s=build.seconds,
            run_s=ran.seconds,
        )

    def _run_kernel(
        self, task: TuningTask, kernel: wire.Kernel, incumbent_s: float | None, check: _Check, timeout_s: float
    ) -> wire.Ran:
        facts = self._facts.get(task.hash) or self._facts.setdefault(task.hash, facts_of(task.mod))
        run = wire.Run(
            id=self._new_id(),
            task=task.hash,
            device=self._device,
            kernel=kernel,
            args=[wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args],
            outputs=facts.outputs,
            reduction=facts.reduction,
            inputs=facts.inputs,
            incumbent_s=incumbent_s,
            repeats=self._repeats,
            check=check,
            cold=self._cold,
            timeout_s=timeout_s,
        )
        while True:
            try:
                self._zygote.send(run)
                while not isinstance(message := self._zygote.receive(_POLL_S), wire.Ran):
                    if isinstance(message, wire.Built):
                        self._built.append(message)
            except (EOFError, BrokenPipeError):
                self._restart()
            else:
                self._restarts = 0
                return message

    def _restart(self) -> None:
        """Start the zygote again: something from outside has ended it."""
        self._restarts += 1
        self._zygote.close()
        if self._restarts > _RESTARTS:
            raise UserError(
                "The measurement processes are ended from outside again and again.",
                "Look whether the system runs out of memory; nothing measured so far is lost.",
            )
        self._zygote = ZygoteProcess(self._setup)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id


def _discard(build: wire.Built) -> None:
    if build.kernel is not None:
        Path(build.kernel.library).unlink(missing_ok=True)


def _failed_build(key: str, build: wire.Built) -> MeasureResult:
    return MeasureResult(
        key=key, stage="build", error=build.error, message=build.message, log=build.log, build_s=build.seconds
    )
