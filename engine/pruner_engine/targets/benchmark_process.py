"""The micro-benchmark of a device, in a process of its own: asked, waited for, ended."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Callable

from tvm.target import Target

from pruner_engine.errors import STOPPED, StoppedError
from pruner_engine.processes.child import environment, module_command
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import target_json

FAILURES = (subprocess.SubprocessError, OSError, ValueError)
_LIMIT_S = 120
_LOOK_S = 0.2  # between two looks whether it is still wanted
_TOLD_LINES = 5  # of what one that failed wrote


def measured(target: Target, rough: DeviceProfile, stopped: Callable[[], bool] = lambda: False) -> DeviceProfile:
    """The profile of a device of this machine, as it is measured now.

    Args:
        rough: what is known of the device without that.
        stopped: whether nobody waits for it any more.

    Raises:
        StoppedError: nobody does.
        one of `FAILURES`: it did not work.
    """
    with subprocess.Popen(
        module_command("pruner_engine.targets.measuring"),
        env=environment(TVM_NUM_THREADS=str(rough.cores), TVM_BIND_THREADS="0"),  # as measurements run
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        asked = {"target": target_json(target), "rough": rough.as_json(), "parent": os.getpid()}
        try:
            answer, said = _answer(process, json.dumps(asked), stopped)
        finally:
            process.kill()  # nothing, where it has ended
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args, answer, said)
    return DeviceProfile.from_json(json.loads(answer))


def reason(error: Exception) -> str:
    """What went wrong, with the last lines that the process told of it."""
    told = getattr(error, "stderr", None) or ""
    text = told.decode(errors="replace") if isinstance(told, bytes) else told  # bytes after a timeout
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join([str(error), *lines[-_TOLD_LINES:]])


def _answer(process: subprocess.Popen[str], asked: str, stopped: Callable[[], bool]) -> tuple[str, str]:
    waiting, told = asked or None, None
    for _ in range(math.ceil(_LIMIT_S / _LOOK_S)):
        if stopped():
            raise StoppedError(STOPPED)
        try:
            return process.communicate(waiting, timeout=_LOOK_S)
        except subprocess.TimeoutExpired as error:
            waiting, told = None, error.stderr  # a second call goes on with what the first began to send
    raise subprocess.TimeoutExpired(process.args, _LIMIT_S, stderr=told)
