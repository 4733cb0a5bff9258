"""A program that is none of ours and keeps a core busy."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

_SPIN = "import os; print(os.getpid(), flush=True)\nwhile True: pass"
_LEAVE = f"import os, sys; os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, '-c', {_SPIN!r}])"


@contextlib.contextmanager
def bystander() -> Iterator[None]:
    """Whoever started it has ended, so that it descends from no process of ours; it runs where this one may."""
    with subprocess.Popen([sys.executable, "-c", _LEAVE], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.wait()
        try:
            yield
        finally:
            os.kill(pid, signal.SIGKILL)
