"""What a process that is stopped meanwhile tells of a kernel's time."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import psutil
import pytest

STOP_S = 0.5
# in a process of its own, whose kernel has it stopped in its first call
TIMING = """
import json, os, signal, sys
from pathlib import Path
from pruner_engine.tvm_import import import_tvm
tvm = import_tvm()
from pruner_engine.measure.workers import wire
from pruner_engine.measure.running.host import ThisMachine
from pruner_engine.measure.running.task_buffers import TaskBuffers

check, cold, folder = json.loads(sys.argv[1])
about = wire.Kernel("", [wire.Tensor([8], "float32")] * 2)
job = wire.Run(
    id=1, task="t", device="cpu", threads=1, kernel=about, args=about.args, best_s=None, repeats=1, check=check,
    facts=wire.KernelFacts([1], 1, ["random"], {}, {}, 0.0, False), cold=cold, timeout_s=9.0,
)
calls = 0

def kernel(*args):
    global calls
    calls += 1
    if calls == 1:
        os.kill(os.getpid(), signal.SIGSTOP)

task, host = TaskBuffers(job, tvm.cpu(), Path(folder)), ThisMachine()
if check == "keep":
    seconds = task.keep_reference(kernel, about)
else:
    seconds = host.caller(job, kernel, task.timing.of(about), tvm.cpu())(4)
print(json.dumps([seconds, calls]))
"""


def told(check, cold, folder):
    """Seconds and calls, by a process that was stopped in the first of them."""
    line = [sys.executable, "-c", TIMING, json.dumps([check, cold, str(folder)])]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as timing:
        process = psutil.Process(timing.pid)
        while timing.poll() is None and process.status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)
        time.sleep(STOP_S)  # how long it is stopped, not what is waited for
        process.resume()
        return json.loads(timing.communicate()[0].splitlines()[-1])


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_calls_that_were_stopped_are_timed_again(cold, tmp_path):
    """The call that was stopped tells of nothing, and all four that were asked for are made after it."""
    assert told("none", cold, tmp_path)[1] == 1 + 4


def test_a_stop_is_not_how_long_the_untuned_kernel_takes(tmp_path):
    """It is left to the timing that follows."""
    assert told("keep", False, tmp_path) == [0.0, 1]
