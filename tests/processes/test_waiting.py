"""Pipes are waited for whatever their numbers are, as in a large program that has many files open."""

from __future__ import annotations

import os
import resource

import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.processes.waiting import is_readable, readable_or_writable
from schedules import CPU, random_schedule, task_of

MANY = 1100  # of which the last have numbers that `select.select` refuses


@pytest.fixture
def many_open_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2 * MANY:
        pytest.skip("this user may not open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(MANY)]
    yield
    for file in opened:
        os.close(file)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_pipe_of_any_number(many_open_files):
    read, write = os.pipe()
    assert read > 1023
    assert not is_readable(read, 0.01)
    assert readable_or_writable(read, write, 60.0) == (False, True)
    os.write(write, b"x")
    assert readable_or_writable(read, write, 60.0) == (True, True)
    os.read(read, 1)
    os.close(write)
    assert is_readable(read, 60.0), "its end"
    os.close(read)


def test_candidates_are_measured_beside_many_open_files(many_open_files):
    task, results = task_of("matmul:32,32,32"), list[MeasureResult]()
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        measurer.measure(task, [MeasureInput("a", random_schedule(task).mod)], best_s=None, on_result=results.append)
    assert [result.ok for result in results] == [True], results
