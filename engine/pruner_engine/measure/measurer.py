"""Builds and times candidates of a task on this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import psutil
import tvm
from tvm.target import Target

from pruner_engine.measure import wire
from pruner_engine.measure.kernel import KernelFacts, facts_of
from pruner_engine.measure.launch import ZygoteProcess
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.targets.target import target_json, threads_of
from pruner_engine.tasks.task import TuningTask

_UNTUNED_FACTOR = 6  # the untuned kernel may take this many times the limit of a candidate
_POLL_S = 0.1
_DEVICES = {"llvm": "cpu", "cuda": "cuda"}


class Measurer:
    """Measures candidates: build in forked workers, then run alone on the cores; a context manager.

    All builds of a batch come first and then its runs: a build beside a run would share the cores under test with it
    and spoil its times, and pausing builders around every run gains nothing, since builders and the runner need the
    same cores.

    Args:
        target: what to compile for and run on.
        threads: of a kernel; by default as many as the target says.
        build_workers: builds at a time; by default one for each core.
        build_timeout_s, run_timeout_s: limits of one candidate, from when it is really worked on.
        memory_bytes: what a candidate may use in its build, and in its run; by default half of the machine's.
        repeats: timed repeats of a kernel that was not abandoned.
        check: compare outputs with the untuned kernel's for all candidates, those that would be the best, or none.

    Raises:
        UserError: the measurement processes cannot be started.
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
    ) -> None:
        self._target = target_json(target)
        self._device = _DEVICES[target.kind.name]
        self._workers = build_workers or len(psutil.Process().cpu_affinity())
        self._run_timeout_s, self._repeats, self._check = run_timeout_s, repeats, check
        self._folder = Path(tempfile.mkdtemp(prefix="pruner-measure-"))
        self._setup = wire.Setup(
            folder=str(self._folder),
            workers=self._workers,
            threads=threads or threads_of(target),
            build_timeout_s=build_timeout_s,
            memory_bytes=memory_bytes or psutil.virtual_memory().total // 2,
            intrinsics=target.kind.name != "llvm",
        )
        self._facts: dict[str, KernelFacts] = {}
        self._untuned: dict[str, MeasureResult] = {}
        self._next_id = 0
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
            built = next(self._build([MeasureInput("untuned", task.mod)], lambda: False, untuned=True))[1]
            self._untuned[task.hash] = self._run(
                task, "untuned", built, None, "keep", timeout_s=_UNTUNED_FACTOR * self._run_timeout_s
            )
        return self._untuned[task.hash]

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
            inputs: candidates with distinct keys.
            incumbent_s: best time of the task so far, seconds a call; what is clearly slower is abandoned.
            on_result: called with each result as soon as it is known.
            should_stop: asked between candidates; True leaves the rest unmeasured.
        """
        if self._check != "none":
            self.untuned(task)
        built: list[tuple[str, wire.Built]] = []
        for key, build in self._build(inputs, should_stop):
            if build.kernel is None:
                on_result(_failed_build(key, build))
            else:
                built.append((key, build))
        for key, build in built:
            if should_stop():
                return
            result = self._run(task, key, build, incumbent_s, self._check, timeout_s=self._run_timeout_s)
            if result.ok and not result.censored and result.seconds is not None:
                incumbent_s = min(result.seconds, incumbent_s or result.seconds)
            on_result(result)

    def _build(
        self, inputs: Sequence[MeasureInput], should_stop: Callable[[], bool], untuned: bool = False
    ) -> Iterator[tuple[str, wire.Built]]:
        """Key and outcome of each build, in the order in which they end."""
        waiting, keys = list(reversed(inputs)), dict[int, str]()
        while waiting or keys:
            if should_stop():
                waiting.clear()
            # one more than there are workers, so that none waits for its next module
            while waiting and len(keys) <= self._workers:
                item = waiting.pop()
                job = self._new_id()
                keys[job] = item.key
                library = str(self._folder / f"{job}.so")
                mod = str(tvm.ir.save_json(item.mod))
                self._zygote.send(wire.Build(id=job, mod=mod, target=self._target, library=library, untuned=untuned))
            message = self._zygote.receive(_POLL_S) if keys else None
            if isinstance(message, wire.Built):
                yield keys.pop(message.id), message

    def _run(
        self, task: TuningTask, key: str, build: wire.Built, incumbent_s: float | None, check: str, timeout_s: float
    ) -> MeasureResult:
        if build.kernel is None:
            return _failed_build(key, build)
        facts = self._facts_of(task)
        job = self._new_id()
        self._zygote.send(
            wire.Run(
                id=job,
                task=task.hash,
                device=self._device,
                kernel=build.kernel,
                args=[wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args],
                outputs=facts.outputs,
                reduction=facts.reduction,
                inputs=facts.inputs,
                incumbent_s=incumbent_s,
                repeats=self._repeats,
                check=check,  # type: ignore[arg-type]
                timeout_s=timeout_s,
            )
        )
        ran = None
        while not isinstance(ran, wire.Ran):
            ran = self._zygote.receive(60.0)
        Path(build.kernel.library).unlink(missing_ok=True)
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

    def _facts_of(self, task: TuningTask) -> KernelFacts:
        if task.hash not in self._facts:
            self._facts[task.hash] = facts_of(task.mod)
        return self._facts[task.hash]

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id


def _failed_build(key: str, build: wire.Built) -> MeasureResult:
    return MeasureResult(
        key=key, stage="build", error=build.error, message=build.message, log=build.log, build_s=build.seconds
    )
