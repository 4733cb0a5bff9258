"""A launch of more elements than threads, each of which takes several, is told to cost what the elements do."""

import pytest

from draft.operators import LARGE_OPERATORS
from draft.spaces import DEVICES, GPU, analyzer_of, space_of
from pruner_engine.space.design_space import DesignSpace
from schedules import task_of

_AT_ONCE = 256 * 1024  # elements, of which each thread takes one


def best_s(space):
    """Predicted seconds of the best of all candidates of an element-wise kernel, and the launch's share."""
    analyzer = analyzer_of(space)
    (sketch,) = space.sketches
    told = [analyzer.explain(0, row) for row in sketch.enumerate(100)]
    best = min((one for one in told if one.valid), key=lambda one: one.latency_s)
    return best.latency_s, best.times["launch"]


@pytest.mark.parametrize("workload", LARGE_OPERATORS[:2])
def test_it_is_near_to_what_its_bytes_take(workload):
    space = space_of(workload, GPU)
    least = space.task.bytes / DEVICES[GPU].dram_bandwidth
    seconds, launch = best_s(space)
    assert least < seconds - launch < 3 * least


def test_a_few_elements_more_cost_little_more():
    within, beyond = (
        best_s(DesignSpace.generate(task_of(f"gelu:{_AT_ONCE // 512 + rows},512", GPU), GPU))[0] for rows in (0, 4)
    )
    assert within < beyond < 1.2 * within
