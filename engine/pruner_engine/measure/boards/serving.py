"""A board: serves measurements to a tracker's clients, and comes back whenever its server dies.

TVM's server stops serving when a session ends badly, while its process stays alive. Here that ends the process, and a
new one takes its place.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable

from pruner_engine.measure.workers.folder import BuildFolder
from pruner_engine.processes.child import environment, module_command
from pruner_engine.processes.lifetime import die_with_parent
from pruner_engine.tvm_import import import_tvm

_ANSWER_S = 5.0
_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_WELL_S = 60.0  # a server that lived so long begins anew with the shortest pause


def serve_board(tracker: tuple[str, int], key: str, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        tracker: host and port of the tracker.
        key: what the board registers as.
        host, port: where it listens; of 100 ports from `port` on the first that is free.
        tell: takes a sentence whenever the server is started again.
    """
    pause, text = _PAUSE_S, json.dumps([tracker, key, host, port])
    while True:
        started, ended = time.monotonic(), f"The tracker at {tracker[0]}:{tracker[1]} does not answer"
        if _answers(tracker):  # else the server would end with a traceback
            _serve(text)
            ended = "The server ended"
        pause = _PAUSE_S if time.monotonic() - started > _WELL_S else min(2 * pause, _LONGEST_PAUSE_S)
        tell(f"{ended}; this machine registers again in {pause:g} s.")
        time.sleep(pause)


def _serve(text: str) -> None:
    """One server, until it ends. Libraries that candidates bring along go with it: after a crash TVM leaves them."""
    folder = BuildFolder()
    env = environment(TMPDIR=str(folder.path))
    try:
        command = module_command("pruner_engine.measure.boards.serving", text)
        with subprocess.Popen(command, env=env, start_new_session=True) as server:  # ^C is not for it to tell of
            try:
                server.wait()
            finally:
                server.kill()
    finally:
        folder.remove()


def _answers(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=_ANSWER_S).close()
    except (OSError, UnicodeError):  # UnicodeError: a host with a label that is empty or too long
        return False
    return True


def main(text: str) -> None:
    """The process that serves."""
    die_with_parent(os.getppid())
    import_tvm()
    from tvm.rpc.server import PopenRPCServerState

    tracker, key, host, port = json.loads(text)
    server = PopenRPCServerState(host, port, port + 100, tracker_addr=tuple(tracker), key=key, silent=True)
    server.thread.join()  # ends with the first session that ends badly
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
