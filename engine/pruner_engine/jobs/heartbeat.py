"""How often an engine gives a sign of life, how long a client waits for one, and how it ends a silent engine."""

from __future__ import annotations

import contextlib
import os

BEAT_S = 1.0
SILENT_S = 120.0  # after so long a client ends the engine
GRACE_S = 3.0  # between asking a process to end and killing it


def signal_engine(pid: int, number: int) -> None:
    """Send a signal to an engine and to what it started in its process group; an engine that is gone is left alone.

    Raises:
        PermissionError: the engine belongs to another user.
    """
    with contextlib.suppress(ProcessLookupError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, number)
        else:  # a group of somebody else, who is to live
            os.kill(pid, number)
