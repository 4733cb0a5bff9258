"""The probe: a fixed kernel whose time tells how busy or throttled the machine is."""

from __future__ import annotations

from collections.abc import Callable

import tvm
from tvm import te
from tvm.s_tir import Schedule

from pruner_engine.errors import UserError
from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.types import MeasureInput
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.batch import Batch
from pruner_engine.measure.workers.pipeline import Pipeline
from pruner_engine.tasks.task import TensorSpec, TuningTask

_SIZE = 256


class Probe:
    """The probe's kernel: built once, timed as often as wanted."""

    def __init__(self, pipeline: Pipeline, requests: RunRequests) -> None:
        self._pipeline, self._requests = pipeline, requests
        self._built: wire.Built | None = None

    def time(self, should_stop: Callable[[], bool]) -> tuple[float, ...]:
        """Seconds a call, one value a repeat; none if it was stopped.

        Raises:
            UserError: the kernel cannot be built or run, so nothing else can either.
        """
        task = _task()

        def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
            return self._requests.make(task, job, kernel, check="none", settle=False)

        if self._built is not None and self._built.kernel is not None:
            batch = Batch(built={"probe": self._built})
        else:
            batch = Batch([MeasureInput("probe", task.mod)])
        outcomes = list(self._pipeline.work(batch, run_of, should_stop))
        if not outcomes:
            self._built = None  # which is left behind nowhere
            return ()
        ((_, self._built, ran),) = outcomes
        if ran is None or ran.stage != "ok":
            reason = self._built.message if ran is None else ran.message
            raise UserError(f"A plain kernel could not be measured: {reason}", "Run `pruner doctor`.")
        return tuple(ran.repeats)


def _task() -> TuningTask:
    """A matrix product of a few milliseconds, parallel over rows and vectorised over columns."""
    shape = (_SIZE, _SIZE)
    a, b = te.placeholder(shape, name="A"), te.placeholder(shape, name="B")
    k = te.reduce_axis((0, _SIZE), name="k")
    c = te.compute(shape, lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    schedule = Schedule(tvm.IRModule({"main": te.create_prim_func([a, b, c]).with_attr("global_symbol", "main")}))
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    schedule.reorder(i, k, j)
    schedule.parallel(i)
    schedule.vectorize(schedule.split(j, [None, 8])[1])
    schedule.decompose_reduction(block, k)
    specs = tuple(TensorSpec(name, shape, "float32") for name in "ABC")
    return TuningTask("probe", "matmul", "probe", schedule.mod, specs, 2.0 * _SIZE**3, 1)
