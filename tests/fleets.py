"""Trackers and boards on this machine, each in processes of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import bare
from pruner_engine.errors import UserError
from pruner_engine.measure.boards.rpc import boards_of

BOARD = (
    "import json, sys, threading\n"
    "from pruner_engine.tvm_import import import_tvm; import_tvm()\n"
    "from tvm.rpc.server import PopenRPCServerState\n"
    "host, port, tracker, key = json.loads(sys.argv[1])\n"
    "server = PopenRPCServerState(host, port, port + 20, tracker_addr=tuple(tracker), key=key)\n"
    "threading.Event().wait()"  # the process stays although its server has ended, as TVM's does
)
START = (
    "from pruner_engine.tvm_import import import_tvm; import_tvm()\n"
    "import runpy; runpy.run_module({!r}, run_name='__main__')"
)


def process(module: str, *args: str):
    return started([sys.executable, "-c", START.format(module), *args])


@contextlib.contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen]:
    # what it says is shown where a test fails
    child = subprocess.Popen(command, env=bare.environment(), start_new_session=True)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def tracking() -> Iterator[int]:
    """The port of a tracker."""
    port = free_port()
    with process("tvm.exec.rpc_tracker", "--host", "127.0.0.1", "--port", str(port), "--port-end", str(port + 1)):
        wait_for(lambda: boards_of("127.0.0.1", port) is not None)
        yield port


def board(port: int, key: str):
    """TVM's server in one process; its command takes two, each with TVM in it."""
    own = free_port()  # another program may take it before the board does
    return started([sys.executable, "-c", BOARD, json.dumps(["127.0.0.1", own, ["127.0.0.1", port], key])])


def tvm_board(port: int, key: str):
    """TVM's server as its command starts it."""
    own = free_port()
    where = ("--host", "127.0.0.1", "--port", str(own), "--port-end", str(own + 20))
    return process("tvm.exec.rpc_server", "--tracker", f"127.0.0.1:{port}", "--key", key, *where)


def own_board(port: int, key: str):
    own = json.dumps([["127.0.0.1", port], key, "127.0.0.1", free_port()])
    code = (
        "import json, sys\n"
        "from pruner_engine.measure.boards.serving import serve_board\n"
        "serve_board(*json.loads(sys.argv[1]), tell=print)"
    )
    return started([sys.executable, "-c", code, own])


def own_tracker(port: int):
    return started([sys.executable, "-m", "pruner_engine.cli", "tracker", "--port", str(port)])


def wait_for(condition) -> None:
    for _ in range(600):
        with contextlib.suppress(UserError):
            if condition():
                return
        time.sleep(0.1)
    raise TimeoutError
