"""Kernels as they are compiled without tuning: their times, and the outputs that every candidate must have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.running.references import References
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.batch import Batch, discard
from pruner_engine.measure.workers.pipeline import Pipeline
from pruner_engine.tasks.task import TuningTask

_FACTOR = 6  # an untuned kernel may take this many times the limit of a candidate


class UntunedKernels:
    """Times the untuned kernels of tasks, each once, and keeps their outputs in `folder`."""

    def __init__(self, pipeline: Pipeline, requests: RunRequests, folder: Path) -> None:
        self._pipeline, self._requests = pipeline, requests
        self._references = References(folder)
        self._known: dict[str, MeasureResult] = {}

    def of(self, task: TuningTask) -> MeasureResult:
        """The result of a task's kernel, timed now if it has not been."""
        for _ in self.of_all([task]):
            pass
        return self._known[task.hash]

    def of_all(
        self, tasks: Sequence[TuningTask], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[TuningTask, MeasureResult]]:
        """The same of many tasks, some built while others are; see `Measurer.all_untuned`."""
        new = {task.hash: task for task in tasks if task.hash not in self._known}

        def run_of(job: int, key: str, kernel: wire.Kernel) -> wire.Run:
            self._references.make_room(key, self._reference_bytes(new[key]))
            limit_s = _FACTOR * self._requests.options.run_timeout_s
            return self._requests.make(new[key], job, kernel, check="keep", timeout_s=limit_s, settle=False)

        yield from ((task, self._known[task.hash]) for task in tasks if task.hash not in new)
        inputs = [MeasureInput(key, task.mod) for key, task in new.items()]
        for outcome in self._pipeline.work(Batch(inputs, untuned=True), run_of, should_stop):
            discard(outcome.built)
            result = outcome.result
            self._known[result.key] = result
            yield new[result.key], result

    def have_outputs(self, task: TuningTask) -> None:
        """Have the outputs of the task's kernel at hand; it runs once more if they had to make room."""
        known = self._known.get(task.hash)
        if known is not None and known.ok and not self._references.use(task.hash):
            del self._known[task.hash]
        self.of(task)

    def _reference_bytes(self, task: TuningTask) -> int:
        facts = self._requests.facts_of(task)
        outputs = (task.args[index] for index in facts.outputs)
        return len(facts.inputs) * sum(output.bytes for output in outputs)
