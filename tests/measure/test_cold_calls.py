"""With cold caches every timed call finds its arguments in memory, but the first; with warm ones none does."""

from __future__ import annotations

import json
import subprocess
import sys

import msgspec
import pytest

from pruner_engine.measure.run_requests import RunRequests
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.workers import wire
from schedules import CPU, task_of

# in a process of its own: where a kernel is timed there is no other process beside it
TIMING = """
import json, sys
import msgspec, numpy as np
from pruner_engine.tvm_import import import_tvm
tvm = import_tvm()
from pruner_engine.measure.running import host
from pruner_engine.measure.workers import wire
emptying, happened = "cache_flush_cpu_non_first_arg", []
flush = tvm.get_global_func(emptying)
def watched(*args):
    happened.append(["flushed", len(args)])
    flush(*args)
tvm.register_global_func(emptying, watched, override=True)
job = msgspec.json.decode(sys.stdin.buffer.read(), type=wire.Run)
args = [tvm.runtime.tensor(np.ones(arg.shape, arg.dtype)) for arg in job.args]
call = host.ThisMachine().caller(job, lambda *given: happened.append(["called", len(given)]), [args], tvm.cpu())
for number in (3, 100):
    del happened[:]
    call(number)
    print(json.dumps(happened))
"""


@pytest.mark.parametrize("cold", [True, False], ids=["cold", "warm"])
def test_caches_are_emptied_before_every_timed_call(cold):
    task = task_of("matmul:8,8,8")
    kernel = wire.Kernel("", [wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args])
    job = RunRequests(CPU, MeasureOptions(caches="cold" if cold else "warm")).make(task, 1, kernel, check="none")
    done = subprocess.run(
        [sys.executable, "-c", TIMING], input=msgspec.json.encode(job), capture_output=True, check=True
    )
    few, many = map(json.loads, done.stdout.splitlines()[-2:])
    once = [["flushed", 3], ["called", 3]] if cold else [["called", 3]]
    assert few == 3 * once
    assert many == (8 if cold else 100) * once, "emptying takes longer than most kernels: fewer calls tell"


TURNS = """
import json
from types import SimpleNamespace
from pruner_engine.tvm_import import import_tvm
tvm = import_tvm()
from pruner_engine.measure.running.host import ThisMachine
job, host, used = SimpleNamespace(device="cpu", cold=False), ThisMachine(), []
copies = [["first"], ["second"], ["third"]]
kernel, yardstick = (host.caller(job, used.append, copies, tvm.cpu()) for _ in range(2))
for call, number in ((kernel, 2), (yardstick, 2), (kernel, 3)):
    call(number)
print(json.dumps(used))
"""


def test_a_kernel_and_its_yardstick_share_the_copies_of_their_weights():
    """Each call takes those that were used longest ago."""
    done = subprocess.run([sys.executable, "-c", TURNS], capture_output=True, check=True)
    assert json.loads(done.stdout) == [["first", "second", "third"][i % 3] for i in range(7)]
