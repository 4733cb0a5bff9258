"""What a runner is asked for."""

from __future__ import annotations

from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.workers import wire
from schedules import CPU, task_of


def _limit_s(workload: str) -> float:
    """Of a run of a candidate."""
    task = task_of(workload)
    kernel = wire.Kernel("none.so", [wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args])
    return RunRequests(CPU, MeasureOptions(run_timeout_s=10.0)).make(task, 1, kernel, check="none").timeout_s


def test_filling_the_weights_of_a_vocabulary_is_not_in_a_candidates_limit():
    small, large = _limit_s("matmul:16,16,16"), _limit_s("matmul:16,1024,50257")
    assert 10.0 <= small < 10.1, "it costs next to nothing"
    assert large > 15.0
