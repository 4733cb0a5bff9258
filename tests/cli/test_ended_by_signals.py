"""What a shutdown or a terminal that is closed sends stops a run in good order, unless it is not to be heard."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import pytest

from pruner_engine.errors import UserError
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, carried_out

pytestmark = pytest.mark.usefixtures("warm")


def tuned(project, number, trials):
    """A run whose terminal is sent a signal as soon as something is measured."""

    def send() -> None:
        while not over.wait(0.02):
            with contextlib.suppress(UserError), ProjectReader(project) as reader:  # it may just be made
                if reader.run()["trials"]:
                    os.kill(os.getpid(), number)
                    return

    over, thread = threading.Event(), threading.Thread(target=send)
    thread.start()
    done = carried_out("tune", "matmul:32,32,32", "--trials", trials, "--project", project, *SMALL)
    over.set()
    thread.join()
    with ProjectReader(project) as reader:
        return done.returncode, reader.run()["state"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_in_good_order(number, tmp_path):
    before = signal.signal(number, signal.SIG_DFL)  # the tests may run under nohup
    try:
        assert tuned(tmp_path / "m.pruner", number, 100_000) == (3, "stopped")
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_what_nohup_has_ignored_stays_ignored(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert tuned(tmp_path / "m.pruner", signal.SIGHUP, 12) == (0, "finished")
    finally:
        signal.signal(signal.SIGHUP, before)
