"""Processor time of others, beside our own and that of what we have started."""

import subprocess
import sys
import time

import psutil
import pytest

from bystander import bystander
from pruner_engine.processes.bystanders import Bystanders, numbers_in

SPIN_S = "import time; until = time.perf_counter() + 1\nwhile time.perf_counter() < until: pass"


@pytest.fixture
def one_core():
    """All that the test starts shares a core, so that what one takes another does not."""
    own, cores = psutil.Process(), psutil.Process().cpu_affinity()
    own.cpu_affinity(cores[:1])
    yield
    own.cpu_affinity(cores)


def test_what_we_take_and_have_started_is_not_of_others(one_core):
    own, started, watch = psutil.Process(), time.perf_counter(), Bystanders()
    before = sum(own.cpu_times()[:4])
    subprocess.run([sys.executable, "-c", SPIN_S], check=True)
    exec(SPIN_S)
    took = sum(own.cpu_times()[:4]) - before
    share = took / (time.perf_counter() - started)
    assert watch.cores() < 1 - share + 0.2


def test_a_child_that_still_works_is_ours(one_core):
    with subprocess.Popen([sys.executable, "-c", SPIN_S.replace("+ 1", "+ 60")]) as child:
        started, watch, ours = time.perf_counter(), Bystanders(), psutil.Process(child.pid)
        before = sum(ours.cpu_times()[:2])
        time.sleep(1)
        share = (sum(ours.cpu_times()[:2]) - before) / (time.perf_counter() - started)
        cores = watch.cores()
        child.kill()
    assert cores < 1 - share + 0.2


def test_a_program_that_is_none_of_ours_is_seen(one_core):
    with bystander():
        watch = Bystanders()
        time.sleep(1)
        assert watch.cores() > 0.3


def test_cores_that_are_switched_off_leave_a_gap():
    """As every second one does without hyper-threads: what is told of the second in the list is of core 2."""
    assert numbers_in("cpu  9 0 4\ncpu0 5 0 2\ncpu2 4 0 2\nintr 7 0\nctxt 3\n") == [0, 2]
