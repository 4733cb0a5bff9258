"""Calls that are tried in a process of their own leave nothing behind."""

from __future__ import annotations

import select
import subprocess
import sys

import pytest

from pruner_engine.processes.child import environment


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends a process with its parent")
def test_what_is_tried_ends_with_who_tries_it():
    """Else it would go on to hold the lock of a project whose engine is gone."""
    code = "import time; from pruner_engine.processes.isolation import deadly; "
    code += "deadly([lambda: (print('begun', flush=True), time.sleep(600))])"
    with subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.PIPE, bufsize=0) as trying:
        assert trying.stdout.readline() == b"begun\n"
        trying.kill()
        assert select.select([trying.stdout], [], [], 20)[0] and trying.stdout.read() == b"", "both have closed it"
