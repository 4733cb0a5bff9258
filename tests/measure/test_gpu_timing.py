"""Timing on a GPU, without one: the order of what is handed to it, what is made of its answers, whose the cores are."""

import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest
import tvm
from tvm.target import Target

from pruner_engine.measure import measurer
from pruner_engine.measure.running import gpu
from pruner_engine.measure.running.gpu import GpuClock
from pruner_engine.targets.target import resolve_target

# Stands for the driver's library: an event takes the time that the kernels of this test say it is
CUDART = """
#include <stdlib.h>
double now = 0;
int events = 0, fails = 0;
int cudaEventCreate(void **event) { events++; return !(*event = malloc(sizeof(double))); }
int cudaEventRecord(void *event, void *stream) { *(double *)event = now; return fails ? 700 : stream != 0; }
int cudaEventElapsedTime(float *ms, void *begin, void *end) { *ms = *(double *)end - *(double *)begin; return 0; }
const char *cudaGetErrorName(int error) { return error == 700 ? "cudaErrorIllegalAddress" : "cudaErrorUnknown"; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C compiler")
    source = tmp_path_factory.mktemp("cudart") / "libcudart-of-a-test.c"
    source.write_text(CUDART)
    path = source.with_suffix(".so")
    subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-o", path, source], check=True)
    return str(path)


@pytest.fixture
def clock(library, monkeypatch):
    monkeypatch.setattr(gpu, "_CUDART", library)
    return GpuClock(tvm.cpu(), flush_bytes=64)


class Kernel:
    """Takes so many milliseconds at each call."""

    def __init__(self, clock, milliseconds):
        self.clock, self.milliseconds = clock, milliseconds
        self.now = gpu.ctypes.c_double.in_dll(clock._cuda, "now")
        self.now.value = 0.0
        self.calls = 0

    def __call__(self, *args):
        self.now.value += self.milliseconds(self.calls)
        self.calls += 1


def test_a_call_that_was_held_up_does_not_count_nor_does_the_first(clock):
    kernel = Kernel(clock, lambda call: {0: 500.0, 3: 1.0}.get(call, 0.01))
    assert clock.calls_of(kernel, [])(10) == pytest.approx(10e-5)
    assert kernel.calls == 11


def test_a_short_kernel_is_not_called_a_thousand_times_and_the_answer_is_of_all(clock):
    kernel = Kernel(clock, lambda call: 0.01)
    assert clock.calls_of(kernel, [])(1000) == pytest.approx(1000e-5)
    assert kernel.calls == 101
    assert gpu.ctypes.c_int.in_dll(clock._cuda, "events").value >= 200, "a pair for each call"


def test_the_cache_is_overwritten_before_each_call_and_not_within_its_time(clock):
    clock._from.copyfrom(clock._from.numpy() * 0 + 7)
    seen = []

    def kernel():
        seen.append(int(clock._to.numpy()[0]))
        clock._to.copyfrom(clock._to.numpy() * 0 + 1)

    clock.calls_of(kernel, [])(3)
    assert seen[1:] == [7, 7, 7]


def test_an_error_of_the_driver_is_one_of_the_kernel(clock):
    fails = gpu.ctypes.c_int.in_dll(clock._cuda, "fails")
    fails.value = 1
    try:
        with pytest.raises(RuntimeError, match="cudaEventRecord failed: cudaErrorIllegalAddress"):
            clock.calls_of(lambda: None, [])(1)
    finally:
        fails.value = 0


@pytest.mark.parametrize(
    ("target", "cores", "building", "running"),
    [("h100", [0, 2, 3], [2, 3], [0]), ("h100", [5], [5], [5]), ("auto", [0, 1, 2], [2], [0, 1])],
)
def test_the_runner_of_a_gpu_has_a_core_that_no_builder_uses(monkeypatch, target, cores, building, running):
    setups = []

    def pipeline(setup, *args, **options):
        setups.append(setup)
        return SimpleNamespace(close=lambda: None)

    target = resolve_target(target)
    if target.kind.name == "llvm":
        target = Target({**target.export(), "num-cores": 2})
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(cores))
    monkeypatch.setattr(measurer, "Pipeline", pipeline)
    monkeypatch.setattr(measurer, "find_cuda_compiler", lambda: None)
    with measurer.Measurer(target):
        pass
    (setup,) = setups
    assert (setup.builder_cores, setup.runner_cores, setup.workers) == (building, running, len(building))
