"""Measurement processes that are kept for the next job."""

from __future__ import annotations

import os
import signal
import tempfile

import psutil
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.measure.workers.spare import keeping_a_spare
from schedules import CPU, random_schedule, task_of


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """One may be kept meanwhile; then nothing is left of it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = set(psutil.Process().children())
    with keeping_a_spare():
        yield
    assert set(psutil.Process().children()) <= before
    assert not any(tmp_path.iterdir())


def measured(count=2) -> int:
    """The process that has measured so many candidates well."""
    task, results = task_of("matmul:32,32,32"), []
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        inputs = [MeasureInput(str(i), random_schedule(task).mod) for i in range(count)]
        measurer.measure(task, inputs, best_s=None, on_result=results.append)
        assert len(results) == count and all(result.ok for result in results), results
        return measurer._pipeline.pid


def test_one_measures_for_the_next_job_and_keeps_nothing_of_the_last(tmp_path):
    first = measured()
    assert not psutil.Process(first).children()
    assert not any(tmp_path.iterdir())
    assert measured() == first


def test_one_keeps_nothing_of_a_job_that_was_given_up():
    task = task_of("matmul:32,32,32")
    with Measurer(CPU) as measurer:
        measurer.wait_until_up()
        measurer.begin(task, [MeasureInput(str(i), random_schedule(task).mod) for i in range(8)])
        first = measurer._pipeline.pid
    assert not psutil.Process(first).children()
    assert measured() == first


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_is_ended_or_hangs_meanwhile_is_replaced(number):
    first = measured(1)
    os.kill(first, number)
    assert measured(1) != first


def test_one_of_another_environment_is_not_taken(monkeypatch):
    first = measured(1)
    monkeypatch.setenv("PRUNER_TEST", "another")
    assert measured(1) != first


def test_jobs_at_a_time_have_one_each():
    with Measurer(CPU) as one, Measurer(CPU) as other:
        one.wait_until_up()
        other.wait_until_up()
        both = {one._pipeline.pid, other._pipeline.pid}
    assert len(both) == 2
    assert measured(1) in both
