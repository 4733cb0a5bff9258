"""Buffers that the kernels of a task share, and times that are none."""

import math
import time

import msgspec
import pytest
import tvm

from pruner_engine.measure import runner, wire
from pruner_engine.measure.task_buffers import TaskBuffers


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
    plain = task.timing_arguments(kernel((8, 6), (6, 4)))
    packed = task.timing_arguments(kernel((8, 6), (2, 3, 4)))
    assert plain[0] is packed[0] and packed[1].shape == (2, 3, 4)
    packed[1].copyfrom(packed[1].numpy() * 0 + 5)
    assert (plain[1].numpy() == 5).all()
    padded = task.timing_arguments(kernel((8, 6), (2, 3, 8)))  # a layout may want more
    assert padded[1].shape == (2, 3, 8) and len(task._buffers) == 2
    again = task.timing_arguments(kernel((8, 6), (6, 4)))
    again[1].copyfrom(again[1].numpy() * 0 + 7)
    assert (padded[1].numpy().ravel()[:24] == 7).all()


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


@pytest.mark.parametrize(("lasts", "kept"), [(0.0, ["random", "nan", "large", "zeros"]), (0.4, ["random"])])
def test_a_slow_untuned_kernel_gives_fewer_references(lasts, kept, tmp_path):
    facts = wire.KernelFacts([0], 1, ["random", "nan", "large", "zeros"], {}, {}, 0.0, False)
    args = [wire.Tensor([4], "float32")]
    job = msgspec.structs.replace(job_of(args), facts=facts)
    task = TaskBuffers(job, tvm.cpu(), tmp_path)

    def works(_: object) -> None:
        until = time.thread_time() + lasts
        while time.thread_time() < until:
            pass

    assert task.keep_reference(works, kernel((4,))) >= lasts
    assert task.has_reference
    assert {file.name for file in tmp_path.iterdir()} == {f"t.{kind}.reference" for kind in kept}
