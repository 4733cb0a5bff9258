"""A kernel that is timed while others have the cores."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pruner_engine.processes.child import environment

CALLS = 5000
# in a process of its own: a kernel that is timed may have started none
TIMING = f"""
import json, sys, time
from pruner_engine.tvm_import import import_tvm
tvm = import_tvm()
from pruner_engine.measure.workers import wire
from pruner_engine.measure.running.host import ThisMachine

cold, call_s = json.loads(sys.argv[1])
about = wire.Kernel("", [wire.Tensor([8], "float32")] * 2)
job = wire.Run(
    id=1, task="t", device="cpu", threads=1, kernel=about, args=about.args, best_s=None, repeats=1, check="none",
    facts=wire.KernelFacts([1], 1, ["random"], {{}}, {{}}, 0.0, False), cold=cold, timeout_s=9.0,
)
calls = 0

def kernel(*args):
    global calls
    calls += 1
    until = time.thread_time() + call_s
    while time.thread_time() < until:
        pass

arguments = [[tvm.runtime.empty((8,), "float32")] * 2]
seconds = ThisMachine().caller(job, kernel, arguments, tvm.cpu())({CALLS})
print(json.dumps([seconds, calls]))
"""


@pytest.mark.parametrize(
    ("cold", "call_s", "most"), [(False, 0.01, CALLS / 10), (True, 0.01, CALLS / 10), (False, 0.2, 1)]
)
def test_calls_that_take_far_longer_than_meant_are_broken_off(cold, call_s, most):
    """All of them would use up the limit of a good kernel; what they would have taken is told."""
    line = [sys.executable, "-c", TIMING, json.dumps([cold, call_s])]
    done = subprocess.run(line, env=environment(), capture_output=True, check=True)
    seconds, calls = json.loads(done.stdout.splitlines()[-1])
    assert calls <= most
    assert seconds >= CALLS * call_s
