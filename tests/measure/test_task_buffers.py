"""Buffers that the kernels of a task share, and times that are none."""

import dataclasses
import math
import time

import msgspec
import pytest
import tvm

from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.running import runner, task_buffers
from pruner_engine.measure.running.task_buffers import TaskBuffers
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.workers import wire
from pruner_engine.targets.target import resolve_target
from schedules import CPU, task_of

HOPPER = resolve_target("h100")
BOARDS = wire.Fleet("127.0.0.1", 9190, "pi")


def kernel(*shapes) -> wire.Kernel:
    return wire.Kernel("", [wire.Tensor(list(shape), "float32") for shape in shapes])


def job_of(args) -> wire.Run:
    facts = wire.KernelFacts([1], 1, ["random"], {}, {}, 0.0, False)
    return wire.Run(
        id=1,
        task="t",
        device="cpu",
        threads=1,
        kernel=kernel(),
        args=args,
        facts=facts,
        best_s=None,
        repeats=1,
        check="none",
        cold=False,
        timeout_s=1.0,
    )


def test_all_layouts_of_a_weight_share_one_buffer(tmp_path):
    args = [wire.Tensor([8, 6], "float32"), wire.Tensor([6, 4], "float32")]
    task = TaskBuffers(job_of(args), tvm.cpu(), tmp_path)
    plain = task.timing.of(kernel((8, 6), (6, 4)))[0]
    packed = task.timing.of(kernel((8, 6), (2, 3, 4)))[0]
    assert plain[0].data_ptr() == packed[0].data_ptr() and packed[1].shape == (2, 3, 4)
    packed[1].copyfrom(packed[1].numpy() * 0 + 5)
    assert (plain[1].numpy() == 5).all()
    padded = task.timing.of(kernel((8, 6), (2, 3, 8)))[0]  # a layout may want more
    assert padded[1].shape == (2, 3, 8) and padded[0].data_ptr() == plain[0].data_ptr()
    again = task.timing.of(kernel((8, 6), (6, 4)))[0]
    again[1].copyfrom(again[1].numpy() * 0 + 7)
    assert (padded[1].numpy().ravel()[:24] == 7).all()


@pytest.mark.parametrize(
    ("reuse", "calls"), [([], 1), ([0, 1 << 16, 0], 1), ([0, 5 << 16, 5 << 16], 6), ([0, 1 << 40, 1 << 40], 256)]
)
def test_calls_take_turns_among_copies_that_put_between_two_uses_what_a_network_does(reuse, calls, tmp_path):
    """A weight of 64 kB, beside data and one that is too small to matter."""
    shapes = (4, 4), (128, 128), (4,)
    args = [wire.Tensor(list(shape), "float32") for shape in shapes]
    timing = TaskBuffers(msgspec.structs.replace(job_of(args), reuse=reuse), tvm.cpu(), tmp_path).timing
    found = timing.of(kernel(*shapes))
    assert len(found) == calls
    places = [{args[i].data_ptr() for args in found} for i in range(3)]
    assert list(map(len, places)) == [1, calls, 1]
    assert all((args[1].numpy() == found[0][1].numpy()).all() for args in found)
    packed = timing.of(kernel((4, 4), (8, 128, 16), (4,)))
    assert {args[1].data_ptr() for args in packed} == places[1], "all layouts share them"
    padded = timing.of(kernel((4, 4), (8, 128, 32), (4,)))
    assert len(padded) == {1: 1, 6: 4, 256: 256}[calls], "of larger ones there are fewer"


def test_arguments_come_back_each_after_as_much_as_in_the_network(tmp_path):
    """A weight after 4 MB, the output after 1 MB: what the one's copies bring, the other's need not."""
    shape, size = (128, 512), 256 << 10
    args = [wire.Tensor(list(shape), "float32")] * 3
    job = msgspec.structs.replace(job_of(args), reuse=[0, 16 * size, 4 * size])
    calls = TaskBuffers(job, tvm.cpu(), tmp_path).timing.of(kernel(shape, shape, shape))
    places = [[call[i].data_ptr() for call in calls] for i in range(3)]
    assert len(set(places[0])) == 1
    for index, passing in ((1, 16), (2, 4)):
        again = places[index].index(places[index][0], 1) if index == 2 else len(calls)
        between = {arg.data_ptr() for call in calls[1:again] for arg in call}
        assert passing <= len(between) <= passing + 2, "tensors of that size"


class Liar:
    """A board whose clock says the same whatever it has done."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def load(self, job):
        return None

    def yardstick(self, job):
        return None

    def caller(self, job, function, args, device):
        return lambda number: self._seconds


@pytest.mark.parametrize("seconds", [math.inf, math.nan, -1.0])
def test_a_time_that_is_none_fails_its_trial(seconds, tmp_path):
    job = job_of([])
    answer = runner._run(job, TaskBuffers(job, tvm.cpu(), tmp_path), Liar(seconds), rested=True)
    assert (answer.stage, answer.error, answer.repeats) == ("run", "error", [])


@pytest.mark.parametrize(("limit_s", "kept"), [(600.0, ["random", "nan", "large", "zeros"]), (0.01, ["random"])])
def test_a_slow_untuned_kernel_gives_fewer_references(limit_s, kept, tmp_path, monkeypatch):
    """What is slow is a matter of the limit here: how long a kernel takes is a matter of the machine's load."""
    monkeypatch.setattr(task_buffers, "_REFERENCE_S", limit_s)
    lasts = 0.05
    facts = wire.KernelFacts([0], 1, ["random", "nan", "large", "zeros"], {}, {}, 0.0, False)
    args = [wire.Tensor([4], "float32")]
    job = msgspec.structs.replace(job_of(args), facts=facts)
    task = TaskBuffers(job, tvm.cpu(), tmp_path)

    def works(_: object) -> None:
        until = time.thread_time() + lasts
        while time.thread_time() < until:
            pass

    seconds = task.keep_reference(works, kernel((4,)))
    assert seconds >= lasts or seconds == 0, "what tells nothing, since others had the core, counts as no time"
    assert task.has_reference
    assert {file.name for file in tmp_path.iterdir()} == {f"t.{kind}.reference" for kind in kept}


@pytest.mark.parametrize(
    ("target", "fleet", "caches", "reuse"),
    [
        (CPU, None, "network", [1, 2, 3]),
        (CPU, None, "warm", []),
        (CPU, None, "cold", []),
        (HOPPER, None, "network", []),
        (CPU, BOARDS, "network", []),
    ],
)
def test_copies_of_arguments_are_this_machines_memory(target, fleet, caches, reuse):
    """A GPU and a board would be given addresses that are not theirs."""
    requests = RunRequests(target, MeasureOptions(caches=caches), fleet)
    task = dataclasses.replace(task_of("matmul:8,8,8"), reuse=(1, 2, 3))
    assert requests.make(task, 1, kernel(), check="none").reuse == reuse
