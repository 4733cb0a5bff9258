"""Whose the cores are: of machines with hyperthreads, of containers, and of those with too few."""

import pytest

from pruner_engine.measure.cores import Cores, share_out

HYPERTHREADS = [[core, core + 8] for core in range(8)]
NEIGHBOURS = [[2 * core, 2 * core + 1] for core in range(4)]


@pytest.mark.parametrize("cores", [HYPERTHREADS, NEIGHBOURS])
def test_no_builder_works_on_the_other_hyperthread_of_a_core_that_is_measured_on(cores):
    found = share_out(cores, sum(map(len, cores)), threads=3)
    assert found.runner == sorted(core[0] for core in cores[:3])
    assert found.builders == sorted(cpu for core in cores[3:] for cpu in core)
    assert found.overlap and found.workers == len(found.builders)


def test_a_runner_that_needs_every_core_has_a_hyperthread_of_each_and_nobody_beside_it():
    assert share_out(HYPERTHREADS, 16, threads=8) == Cores(list(range(8)), list(range(16)), workers=16, overlap=False)


def test_more_threads_than_cores_take_the_other_hyperthreads_too():
    assert share_out(NEIGHBOURS, 8, threads=6).runner == [0, 1, 2, 3, 4, 6]


@pytest.mark.parametrize(
    ("granted", "workers", "overlap"), [(4, 4, False), (5, 1, True), (16, 12, True), (64, 60, True)]
)
def test_builders_do_not_spend_the_runners_share_of_a_container(granted, workers, overlap):
    found = share_out([[cpu] for cpu in range(64)], granted, threads=4)
    assert (found.workers, found.overlap) == (workers, overlap)
    assert found.runner == [0, 1, 2, 3]


@pytest.mark.parametrize(("threads", "runner", "overlap"), [(1, [5], False), (0, [5], True)])
def test_a_single_core_is_shared(threads, runner, overlap):
    assert share_out([[5]], 1, threads) == Cores(runner, [5], workers=1, overlap=overlap)
