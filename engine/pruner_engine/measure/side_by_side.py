"""Candidates timed side by side, for comparisons that a drifting machine must not decide."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.types import MeasureInput
from pruner_engine.measure.workers import wire
from pruner_engine.measure.workers.batch import Batch, discard
from pruner_engine.measure.workers.pipeline import Pipeline
from pruner_engine.tasks.task import TuningTask


def time_in_turns(
    pipeline: Pipeline, requests: RunRequests, task: TuningTask, inputs: Sequence[MeasureInput], turns: int
) -> dict[str, list[float]]:
    """Build each candidate once and run it once a turn, in an order that changes; see `Measurer.in_turns`."""
    by: wire.Yardstick | None = None

    def run_of(job: int, _: str, kernel: wire.Kernel) -> wire.Run:
        return requests.make(task, job, kernel, check="none", yardstick=by)

    order = random.Random(0)
    built: dict[str, wire.Built] = {}
    seconds: dict[str, list[float]] = {}
    for outcome in pipeline.work(Batch(inputs), run_of):
        if (took := outcome.result.seconds) is None:
            discard(outcome.built)
        else:
            seconds[outcome.key], built[outcome.key] = [took], outcome.built
    if seconds and requests.take_turns:
        fastest = min(seconds, key=seconds.__getitem__)
        kernel = built[fastest].kernel
        assert kernel is not None
        by, seconds = wire.Yardstick(kernel, seconds[fastest][0]), {}
    for _ in range(turns if by else turns - 1):  # where there is no yardstick, the first pass is a turn
        waiting = dict(order.sample(list(built.items()), len(built)))
        for outcome in pipeline.work(Batch(built=waiting), run_of):
            if (took := outcome.result.seconds) is not None:
                seconds.setdefault(outcome.key, []).append(took)
    for library in built.values():
        discard(library)
    return seconds
